import { z } from 'zod';
import type { Result } from '../kernel/index.ts';
import { RequestId } from './cluster-operations/index.ts';
import { Condition, type Resource, Timestamp } from './resource.ts';
import type { NewResource } from './store.ts';

/** How many runs stay on record, and for how long, in milliseconds (cluster operations 18b). */
export const RUNS_KEPT = 20;
export const RUN_KEPT_MS = 24 * 3_600_000;

export const RunKind = z.enum(['apply', 'deploy', 'remove']);
export type RunKind = z.infer<typeof RunKind>;

/**
 * One run of the cluster operations: who asked for what, never with a value of what was asked. Immutable but for status. There is at most one
 * that has not ended, held by whoever holds the Lease of runs.
 */
export const ClusterRunSpec = z.object({
  id: RequestId.describe('request id: asked for again, the run is answered from here and not done twice'),
  kind: RunKind,
  request: z.string().describe('keyed digest of the request, so that its id is not used for another one'),
  namespace: z.string(),
  name: z.string().describe('workload as KIND/NAME, or the project of the services'),
  deadline: Timestamp,
  requestedAt: Timestamp,
  identity: z.string(),
  key: z.string().optional().describe('id of the API key it was asked with'),
});

export const ClusterRunStatus = z.object({
  conditions: z.array(Condition).optional(),
  state: z.enum(['started', 'ended']).optional().describe('started: just before the first write; absent before that'),
  startedAt: Timestamp.optional(),
  endedAt: Timestamp.optional(),
  outcome: z.enum(['succeeded', 'failed', 'denied', 'timed_out', 'unknown']).optional(),
  code: z.string().optional(),
  steps: z
    .array(
      z.object({
        service: z.string(),
        step: z.string(),
        outcome: z.string(),
        code: z.string().optional(),
        detail: z.string().optional(),
      }),
    )
    .optional(),
  services: z
    .array(
      z.object({
        service: z.string(),
        kind: z.enum(['Deployment']),
        namespace: z.string(),
        name: z.string(),
        uid: z.string(),
        generation: z.int(),
        imageDigest: z.string(),
      }),
    )
    .optional(),
});

export type ClusterRun = Resource<z.infer<typeof ClusterRunSpec>, z.infer<typeof ClusterRunStatus>>;

/** The runs on record. Writes are compare-and-set, as those of every collection; nothing is cached. */
export interface ClusterRunCollection {
  get(name: string): Promise<Result<ClusterRun | undefined>>;
  /** `already_exists` when the request id is taken. */
  create(resource: NewResource<ClusterRun>): Promise<Result<ClusterRun>>;
  updateStatus(
    name: string,
    change: (current: ClusterRun) => ClusterRun['status'] | undefined,
  ): Promise<Result<ClusterRun>>;
  /** All that are kept, newest first. */
  all(): Promise<Result<readonly ClusterRun[]>>;
  delete(name: string, uid: string): Promise<Result<void>>;
}
