/**
 * How something ended. `denied`: a refusal whose state is known, nothing was written by that step. `failed`: the cluster answered
 * badly. `timed_out`: the deadline passed with no answer. `unknown`: the caller left and the API server may or may not have acted.
 */
export type Outcome = 'succeeded' | 'failed' | 'denied' | 'timed_out' | 'unknown';
export type StepOutcome = Outcome | 'skipped';

/** Why a step was not a success (cluster operations, shared vocabulary); some carry a parameter as the step's detail. */
export const STEP_CODES = [
  'forbidden',
  'admission_denied',
  'pod_security',
  'name_taken',
  'conflict',
  'claim_immutable',
  'service_ip_immutable',
  'service_ip_unavailable',
  'application_managed',
  'configuration_unreported',
  'secret_ref_refused',
  'pvc_retention',
  'rollout_timeout',
  'runtime_status',
  'runtime_timeout',
  'runtime_error',
  'cancelled',
] as const;
export type StepCode = (typeof STEP_CODES)[number];

/** Why a run was not a success. The last five are said by whoever keeps runs, never by the adapter. */
export type RunCode =
  | 'step_failed'
  | 'invalid_request'
  | 'clock_skew'
  | 'wrong_endpoint'
  | 'busy'
  | 'restarted'
  | 'unreadable'
  | 'legacy';

export type StepName =
  | 'precondition'
  | 'create'
  | 'start'
  | 'prune'
  | 'restore'
  | 'apply'
  | 'rollout'
  | 'remove'
  | 'volume';

export type Step = {
  readonly service: string;
  readonly step: StepName;
  readonly outcome: StepOutcome;
  /** Set exactly when the outcome is neither succeeded nor skipped. */
  readonly code?: StepCode;
  /** The parameter of the code, never a sentence; at most 256 bytes. */
  readonly detail?: string;
};

/** What a deploy made of one service. */
export type DeployedService = {
  readonly service: string;
  readonly kind: 'Deployment';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly imageDigest: string;
};

export type DeploymentResult = {
  /** Absent when the request's was malformed, as is `requestId`. */
  readonly deployment?: string;
  readonly requestId?: string;
  readonly outcome: Outcome;
  /** Absent on success. */
  readonly code?: RunCode;
  readonly steps: readonly Step[];
  readonly services: readonly DeployedService[];
};
