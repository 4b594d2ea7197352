import { type Job as BullJob, DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import { problem, type Result } from '../../src/kernel/index.ts';

/** How one run of a handler ended. */
export type RunOutcome =
  | { readonly kind: 'settled'; readonly result: Result<void> }
  /** The handler threw: a bug. */
  | { readonly kind: 'threw' }
  /** The process stops, or the job's lock is gone: another worker shall run it. */
  | { readonly kind: 'cut off' };

/** Runs of a handler that throws before it is given up: a bug seldom heals, an odd moment does. */
const BUG_ATTEMPTS = 3;
/** `waiting` without a time of its own. */
const DEFAULT_WAIT_MS = 5_000;
/** No `waiting` is longer than an hour, so that a wrong time of another system cannot park work for days. */
const MAX_WAIT_MS = 3_600_000;

/**
 * The one translation from our problems to BullMQ's exceptions: `rejected` ends the job at once, `waiting` delays it without costing
 * an attempt, `transient` is retried with backoff until the attempts are used up. What is stored of a failure is its code only.
 * Returns for a success, throws for everything else.
 */
export async function settle(outcome: RunOutcome, job: BullJob, token: string): Promise<void> {
  if (outcome.kind === 'cut off') {
    await job.moveToWait(token);
    throw new WaitingError();
  }
  if (outcome.kind === 'threw') {
    if (job.attemptsMade + 1 >= BUG_ATTEMPTS) throw new UnrecoverableError('internal');
    throw failure('internal');
  }
  if (outcome.result.ok) return;
  const p = outcome.result.problem;
  switch (p.kind) {
    case 'rejected':
      throw new UnrecoverableError(p.code);
    case 'waiting': {
      const after = Math.min(MAX_WAIT_MS, Math.max(1, p.afterMs ?? DEFAULT_WAIT_MS));
      await job.moveToDelayed(Date.now() + after, token);
      throw new DelayedError();
    }
    case 'transient':
      throw failure(p.code);
  }
}

/** The problem of a job whose payload is not of its queue. */
export function unreadableJob(): Result<void> {
  return { ok: false, problem: problem('invalid_request', 'the job can not be read') };
}

function failure(code: string): Error {
  return new Error(code);
}
