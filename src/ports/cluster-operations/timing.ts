import { z } from 'zod';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { OPERATION_LIMITS } from './limits.ts';
import { Instant } from './words.ts';

/** When a request was made, and when it must have ended. */
export const Timing = { issuedAt: Instant, deadline: Instant };
const Times = z.object(Timing);

/**
 * Judges the times of a request by the reader's clock: `clock_skew` when the issue is more than five minutes away, `invalid_request`
 * when the deadline is not after issue and now, or more than fifteen minutes behind either (cluster operations 0.2).
 */
export function checkTiming(times: z.infer<typeof Times>, now: Date): Result<void> {
  const issued = Date.parse(times.issuedAt);
  const deadline = Date.parse(times.deadline);
  const at = now.getTime();
  if (Math.abs(issued - at) > OPERATION_LIMITS.clockSkewMs)
    return fail(problem('clock_skew', undefined, { at: 'issuedAt' }));
  const latest = Math.min(issued, at) + OPERATION_LIMITS.lifetimeMs;
  if (deadline <= issued || deadline <= at || deadline > latest)
    return fail(problem('invalid_request', undefined, { at: 'deadline' }));
  return ok(undefined);
}
