import type { Outcome, StepCode } from '../../../ports/cluster-operations/index.ts';
import type { CallFailure } from './api.ts';
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

/**
 * What a failed call means, in this order (cluster operations 0.3): 403 is denied `forbidden`; another status is failed
 * `runtime_status` with it; without one, a caller who left is unknown `cancelled`, time that is over is timed_out `runtime_timeout`,
 * and the rest failed `runtime_error`.
 */
export function classify(failure: CallFailure, context: Context): StepFailure {
  const { status } = failure;
  if (status === 403) return denied('forbidden');
  if (status !== undefined && status >= 100 && status <= 599) return failed('runtime_status', String(status));
  const state = context.state();
  if (state === 'cancelled') return { outcome: 'unknown', code: 'cancelled' };
  if (state === 'expired') return { outcome: 'timed_out', code: 'runtime_timeout' };
  return failed('runtime_error');
}
