/**
 * The contracts of the cluster operations: requests and their validators, results, limits, and the interface `ClusterOperations`. Times
 * are ISO 8601 text, absent is `undefined`, unknown fields of a request are refused. Never holds a type of a Kubernetes client.
 */
export { ACTIONS, type Action, type Command, type CommandDetail, type CommandOutcome } from './command.ts';
export { UNSUPPORTED, type Unsupported, WorkloadConfiguration, WorkloadContainer } from './configuration.ts';
export {
  type DeploymentClaim,
  DeploymentRequest,
  type DeploymentService,
  parseDeploymentRequest,
  parseRemovalRequest,
  RemovalRequest,
} from './deployment.ts';
export { Arguments, EnvEntry, EnvName, EnvValue, envBytes, Image, KeyReference, Quantity } from './environment.ts';
export { type InspectedPod, type Inspection, InspectionTarget, parseInspectionTarget } from './inspection.ts';
export { OPERATION_ANNOTATIONS, OPERATION_LABELS, POD_SECURITY_LABEL } from './labels.ts';
export { OPERATION_LIMITS } from './limits.ts';
export type { ClusterOperations, RunOptions } from './operations.ts';
export {
  type ExecSession,
  ExecSpec,
  LogRequest,
  type LogSink,
  parseExecSpec,
  parseLogRequest,
  TerminalSize,
} from './pods.ts';
export {
  type DeployedService,
  type DeploymentResult,
  type Outcome,
  type RunCode,
  STEP_CODES,
  type Step,
  type StepCode,
  type StepName,
  type StepOutcome,
} from './result.ts';
export {
  CLUSTER_HEALTH,
  type ClusterHealth,
  clusterHealth,
  type Facts,
  type PodContainer,
  SNAPSHOT_LISTS,
  type Snapshot,
  type SnapshotClaim,
  type SnapshotNode,
  type SnapshotPod,
  type SnapshotService,
  type SnapshotWorkload,
  type TruncatedList,
} from './snapshot.ts';
export { EndpointId, isPlainText, LABEL, RequestId, ResourceVersion, ServiceName, SUBDOMAIN, Uuid } from './words.ts';
export { parseWorkloadApply, WorkloadApply } from './workload-apply.ts';
export {
  EditableRef,
  formatWorkloadRef,
  parseWorkloadRef,
  type WorkloadKind,
  WorkloadRef,
} from './workload-ref.ts';
