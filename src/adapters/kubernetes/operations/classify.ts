import { type CallFailure, type FailureClass, failureClass } from '../../../kernel/index.ts';
import type { Outcome, StepCode } from '../../../ports/cluster-operations/index.ts';
import type { Context } from './context.ts';

/** How a step ended, when it was not a success. */
export type StepFailure = {
  readonly outcome: Exclude<Outcome, 'succeeded'>;
  readonly code: StepCode;
  readonly detail?: string;
};

/** A step's refusal whose state is known: nothing was written by it. */
export function denied(code: StepCode, detail?: string): StepFailure {
  return { outcome: 'denied', code, ...(detail === undefined || detail === '' ? {} : { detail }) };
}

/** A step the cluster answered badly. */
export function failed(code: StepCode, detail?: string): StepFailure {
  return { ...denied(code, detail), outcome: 'failed' };
}

/** The classes without a status; what has one is told by it. */
const UNANSWERED: Partial<Readonly<Record<FailureClass, StepFailure>>> = {
  cancelled: { outcome: 'unknown', code: 'cancelled' },
  timed_out: { outcome: 'timed_out', code: 'runtime_timeout' },
  unanswered: failed('runtime_error'),
};

/**
 * What a failed call means to a step, from the one classification (cluster operations 0.3): 403 is denied `forbidden`; another status is failed
 * `runtime_status` with it; without one, a caller who left is unknown `cancelled`, time that is over is timed_out `runtime_timeout`, and the
 * rest failed `runtime_error`.
 */
export function classify(failure: CallFailure, context: Context): StepFailure {
  const { status } = failure;
  const state = context.state();
  const without = UNANSWERED[failureClass(failure, state === 'live' ? undefined : state)];
  if (without !== undefined) return without;
  return status === 403 ? denied('forbidden') : failed('runtime_status', String(status));
}
