import { z } from 'zod';

/**
 * The custom resources of group `hakopod.io`, version `v1`: every durable fact (DESIGN 4). The CRDs of the chart are generated from
 * these schemas. All live in the control namespace.
 */
export const GROUP_VERSION = 'hakopod.io/v1';

/** A point in time as Kubernetes writes it. */
export const Timestamp = z.iso.datetime();

/** Kubernetes' standard condition; `Ready` is the one kstatus reads. */
export const Condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: Timestamp,
  observedGeneration: z.int().optional(),
});
export type Condition = z.infer<typeof Condition>;

/** What every status begins with. */
export const Conditions = z.array(Condition).optional();

/** Any of our resources: Kubernetes metadata, a spec and a status. */
export type Resource<Spec, Status> = {
  readonly name: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly uid: string;
  readonly createdAt: string;
  /** True once somebody asked to delete it and a finalizer holds it. */
  readonly deleting: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly spec: Spec;
  readonly status: Status;
};
