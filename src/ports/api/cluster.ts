import { z } from 'zod';
import type { Principal } from '../../access/index.ts';
import type { Result } from '../../kernel/index.ts';
import {
  CLUSTER_HEALTH,
  type ClusterHealth,
  type ExecSession,
  type Facts,
  type Inspection,
  type LogSink,
  OPERATION_LIMITS,
  type Snapshot,
  type WorkloadConfiguration,
  WorkloadRef,
} from '../cluster-operations/index.ts';
import {
  type ClusterDeployment,
  type ClusterRemoval,
  type ClusterRunAnswer,
  type ClusterRunParams,
  Outcomes,
  RunFields,
} from './cluster-runs.ts';
import { HexId, Name, type Operation } from './common.ts';

const Pod = z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/);
const Container = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
const Flag = z.stringbool().default(false);
const Rest = z.looseObject({});

export const ServicePodParams = z.strictObject({ id: HexId, service: Name });
export const WhichPod = {
  pod: Pod.optional().meta({ description: 'one of the service’s pods; default: the newest that runs' }),
  container: Container.optional().meta({ description: 'default: the pod’s only one, or the service’s' }),
};
export const LogQuery = z.strictObject({
  ...WhichPod,
  follow: Flag.meta({ description: 'go on with what comes, for an hour' }),
  previous: Flag.meta({ description: 'of the container before its last restart' }),
  timestamps: Flag,
  tail: z.coerce.number().int().min(0).max(OPERATION_LIMITS.logTail).default(0).meta({ description: '0: all' }),
  since: z.iso.datetime({ offset: true }).optional(),
});
export const ExecQuery = z.strictObject(WhichPod);

/** The pod and container somebody is about to run something in. */
export const ExecTarget = z.strictObject({ pod: z.string(), container: z.string() });
export type ExecTarget = z.infer<typeof ExecTarget>;

const Dimension = z.int().min(1).max(OPERATION_LIMITS.execDimension);
/** The first message of a terminal. */
export const ExecStart = z.strictObject({
  argv: z.array(z.string()).min(1).max(OPERATION_LIMITS.execArguments),
  rows: Dimension.default(24),
  columns: Dimension.default(80),
});
export type ExecStart = z.infer<typeof ExecStart>;
/** Text of somebody's terminal after that; what they type goes as bytes. */
export const ExecControl = z.strictObject({ resize: z.strictObject({ rows: Dimension, columns: Dimension }) });
/** Text to somebody's terminal: that it began, and how it ended; output goes as bytes. The exit code is absent when nobody knows it. */
export const ExecEvent = z.union([
  z.strictObject({ started: ExecTarget }),
  z.strictObject({ ended: z.strictObject({ exit_code: z.int().optional() }) }),
  z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) }),
]);
export type ExecEvent = z.infer<typeof ExecEvent>;

export const FactsAnswer = z.strictObject({
  runtime: z.literal('kubernetes'),
  server_version: z.string(),
  platform: z.string(),
  node_count: z.string(),
});

/** The inventory, in snake case. Its parts have the fields of the snapshot. */
export const SnapshotAnswer = z.strictObject({
  health: z.enum(CLUSTER_HEALTH).meta({
    description: 'degraded: a node is not ready; unknown: no node could be read, or not all',
  }),
  engine: Rest,
  nodes: z.array(Rest),
  namespaces: z.array(Rest),
  workloads: z.array(Rest),
  pods: z.array(Rest),
  services: z.array(Rest),
  claims: z.array(Rest),
  storage_classes: z.array(Rest),
  truncated: z.array(z.string()).meta({ description: 'lists that are cut, or could not be read' }),
});

export const WorkloadParams = WorkloadRef;
/** A workload's configuration in snake case. It is checked whole by the operation. */
export const ConfigurationAnswer = z.looseObject({
  target: Rest,
  resource_version: z.string(),
  containers: z.array(Rest),
  managed: z.boolean(),
  unsupported: z.array(z.string()),
});
export const ApplyWorkload = z.strictObject({
  configuration: ConfigurationAnswer.meta({ description: 'as read, with what is to change' }),
  create: z.boolean().default(false),
  ...RunFields,
  request_id: z.uuid().optional().meta({ description: 'asked again with it, a run is not done twice' }),
});
export const ScaleWorkload = z.strictObject({ replicas: z.int().min(0).max(OPERATION_LIMITS.replicas) });
export const ConfirmWorkload = z.strictObject({
  confirm_name: z.string().max(63).meta({ description: 'the name, typed again' }),
});
export const OutcomeAnswer = z.strictObject({ outcome: Outcomes, detail: z.string() });
export type OutcomeAnswer = z.infer<typeof OutcomeAnswer>;
export const InspectionQuery = z.strictObject({ uid: z.uuid() });
export const InspectionParams = z.strictObject({
  namespace: WorkloadRef.shape.namespace,
  name: WorkloadRef.shape.name,
});
export const InspectionAnswer = z.looseObject({ missing: z.boolean() });

export const ManifestRequest = z.strictObject({
  name: z.string().min(1).max(128).meta({ description: 'of the cluster, for people' }),
  namespaces: z
    .array(WorkloadRef.shape.namespace)
    .max(OPERATION_LIMITS.manifestNamespaces)
    .meta({ description: 'where may be deployed, operated and exec’d' }),
  image: z.string().max(OPERATION_LIMITS.imageBytes).optional().meta({ description: 'pinned by digest' }),
  link: z
    .url({ protocol: /^https$/ })
    .max(4096)
    .optional(),
});
export type ManifestRequest = z.infer<typeof ManifestRequest>;
export const ManifestAnswer = z.strictObject({ file_name: z.string(), text: z.string() });

type OnService = z.infer<typeof ServicePodParams>;
type Workload = z.infer<typeof WorkloadParams>;

/** One container's log, chosen and permitted, and not yet opened. */
export type LogStream = ExecTarget & {
  readonly follow: boolean;
  read(sink: LogSink, signal: AbortSignal): Promise<Result<void>>;
};

/** A program on a terminal, running. */
export type Terminal = ExecTarget & { readonly session: ExecSession };

/** What is done in the cluster itself. Logs and exec are of a service; everything else is an administrator's. */
export interface ClusterApiOperations {
  /** Whether the principal may still do this to the application: no call to anything. Asked every 3 s of a log or a terminal. */
  mayGoOn(
    principal: Principal,
    target: { readonly id: string; readonly permission: 'logs:read' | 'pods:exec' },
  ): Result<void>;
  logs: Operation<OnService & z.infer<typeof LogQuery>, LogStream>;
  /** Where `exec` would run, for whoever may. */
  execTarget: Operation<OnService & z.infer<typeof ExecQuery>, ExecTarget>;
  exec: Operation<OnService & z.infer<typeof ExecQuery> & { readonly argv: readonly string[] }, Terminal>;
  facts: Operation<object, Facts>;
  workloads: Operation<object, Snapshot & { readonly health: ClusterHealth }>;
  read: Operation<Workload, WorkloadConfiguration>;
  apply: Operation<Workload & z.infer<typeof ApplyWorkload>, ClusterRunAnswer>;
  deploy: Operation<ClusterDeployment, ClusterRunAnswer>;
  /** Takes an instance down; its claims stay. */
  takeDown: Operation<ClusterRemoval, ClusterRunAnswer>;
  run: Operation<z.infer<typeof ClusterRunParams>, ClusterRunAnswer>;
  restart: Operation<Workload, OutcomeAnswer>;
  scale: Operation<Workload & z.infer<typeof ScaleWorkload>, OutcomeAnswer>;
  remove: Operation<Workload & z.infer<typeof ConfirmWorkload>, OutcomeAnswer>;
  inspect: Operation<z.infer<typeof InspectionParams> & z.infer<typeof InspectionQuery>, Inspection>;
  manifest: Operation<ManifestRequest, z.infer<typeof ManifestAnswer>>;
}
