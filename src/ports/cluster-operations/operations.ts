import type { Result } from '../../kernel/index.ts';
import type { Command, CommandOutcome } from './command.ts';
import type { WorkloadConfiguration } from './configuration.ts';
import type { Inspection, InspectionTarget } from './inspection.ts';
import type { ExecSession, ExecSpec, LogRequest, LogSink } from './pods.ts';
import type { DeploymentResult } from './result.ts';
import type { Facts, Snapshot } from './snapshot.ts';
import type { WorkloadRef } from './workload-ref.ts';

/** How a run of steps is watched and stopped. */
export type RunOptions = {
  /** The caller's context: its abort leaves the outcome `unknown`. */
  readonly signal?: AbortSignal;
  /**
   * Called exactly once, just before the first write, and awaited; never for a run refused in its preconditions. Whoever keeps runs
   * writes down that this one began, so that after a crash it is unknown instead of done twice.
   */
  readonly started?: () => void | Promise<void>;
};

/**
 * The whole of what Hakopod does in a cluster (spec kubernetes-adapter). Requests of the three runs are taken as they came and
 * validated by them, so that a malformed one is a result like any other. No error text of the API server leaves these calls.
 */
export interface ClusterOperations {
  facts(signal?: AbortSignal): Promise<Facts>;
  inspect(target: InspectionTarget, signal?: AbortSignal): Promise<Result<Inspection>>;
  logs(request: LogRequest, sink: LogSink, signal?: AbortSignal): Promise<Result<void>>;
  openExec(spec: ExecSpec, signal?: AbortSignal): Promise<Result<ExecSession>>;
  operate(command: Command, signal?: AbortSignal): Promise<CommandOutcome>;
  readWorkload(target: WorkloadRef, signal?: AbortSignal): Promise<Result<WorkloadConfiguration>>;
  applyWorkload(request: unknown, options?: RunOptions): Promise<DeploymentResult>;
  deploy(request: unknown, options?: RunOptions): Promise<DeploymentResult>;
  remove(request: unknown, options?: RunOptions): Promise<DeploymentResult>;
  /** Never fails: what could not be read is empty and named in `truncated`. */
  snapshot(signal?: AbortSignal): Promise<Snapshot>;
}
