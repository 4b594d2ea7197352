import { z } from 'zod';
import { Arguments, ContainerName, EnvEntry, envBytes, Image, Quantity } from './environment.ts';
import { OPERATION_LIMITS } from './limits.ts';
import { Instant, Replicas, ResourceVersion } from './words.ts';
import { EditableRef } from './workload-ref.ts';

const Amounts = z.strictObject({ cpu: Quantity, memory: Quantity });

/** What an apply may change of one container. Empty quantities are unset ones. */
export const WorkloadContainer = z
  .strictObject({
    name: ContainerName,
    image: Image,
    /** Left empty by the reader. */
    imageId: z.literal('').optional(),
    command: Arguments,
    args: Arguments,
    env: z.array(EnvEntry).max(OPERATION_LIMITS.envEntries),
    resources: z.strictObject({ requests: Amounts, limits: Amounts }),
  })
  .refine(({ env }) => new Set(env.map((entry) => entry.name)).size === env.length)
  .refine(({ env }) => envBytes(env) <= OPERATION_LIMITS.envBytes);
export type WorkloadContainer = z.infer<typeof WorkloadContainer>;

/** Why an apply of what was read would drop something. Only the first three are ever reported. */
export const UNSUPPORTED = [
  'env_field_ref',
  'env_truncated',
  'argv_truncated',
  'containers_truncated',
  'env_from_truncated',
  'resources_extended',
] as const;
export type Unsupported = (typeof UNSUPPORTED)[number];

const Containers = z.array(WorkloadContainer).max(OPERATION_LIMITS.containers);
const EnvFrom = z.string().regex(/^(secret|configmap)\/[a-z0-9.-]{1,253}$/);

/** The editable part of a workload's pod template, as read or as wanted (cluster operations 0.2). */
export const WorkloadConfiguration = z
  .strictObject({
    target: EditableRef,
    /** Set by the reader, absent in an apply. */
    observedAt: Instant.optional(),
    resourceVersion: ResourceVersion.or(z.literal('')),
    /** Absent exactly for a DaemonSet. */
    replicas: Replicas.optional(),
    /** Of a Deployment only. */
    paused: z.boolean().optional(),
    strategy: z.enum(['', 'RollingUpdate', 'Recreate', 'OnDelete']),
    containers: Containers.min(1),
    initContainers: Containers,
    envFrom: z.array(EnvFrom).max(OPERATION_LIMITS.envFrom),
    /** Belongs to an application of ours; an apply is refused. */
    managed: z.boolean(),
    unsupported: z.array(z.enum(UNSUPPORTED)).max(OPERATION_LIMITS.unsupported),
    /** A native Deployment, for a create only: JSON or YAML text of one document. */
    runManifest: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= OPERATION_LIMITS.runManifestBytes)
      .optional(),
  })
  .refine(({ target, replicas }) => (target.kind === 'daemonset') === (replicas === undefined), { path: ['replicas'] })
  .refine(({ target, paused }) => target.kind === 'deployment' || paused === undefined, { path: ['paused'] })
  .refine(({ target, strategy }) => strategy !== (target.kind === 'deployment' ? 'OnDelete' : 'Recreate'), {
    path: ['strategy'],
  })
  .refine(
    ({ containers, initContainers }) => {
      const names = [...containers, ...initContainers].map((one) => one.name);
      return new Set(names).size === names.length;
    },
    { path: ['containers'] },
  );
export type WorkloadConfiguration = z.infer<typeof WorkloadConfiguration>;
