import type { Outcome, StepCode } from './result.ts';

export const ACTIONS = ['workload.restart', 'workload.scale', 'workload.delete', 'pod.delete'] as const;
export type Action = (typeof ACTIONS)[number];

/** One action on a workload or pod. Read loosely: what is wrong with it is said in the outcome, in a fixed order. */
export type Command = {
  readonly id: string;
  /** One of `ACTIONS`; anything else is denied. */
  readonly action: string;
  /** `<namespace>/<kind>/<name>`. */
  readonly reference: string;
  readonly deadline?: string;
  readonly expects?: { readonly replicas?: number };
};

/** Words that explain how a command ended; empty on success. */
export type CommandDetail =
  | ''
  | 'unsupported action'
  | 'invalid_reference'
  | 'unsupported'
  | 'replicas_out_of_range'
  | 'not_found'
  | `runtime_status ${number}`
  | Exclude<StepCode, 'runtime_status'>;

export type CommandOutcome = { readonly outcome: Outcome; readonly detail: CommandDetail };
