import type { Result } from '../kernel/index.ts';

/** Work that waits. Payloads name the thing, never the truth (DESIGN 5). */
export type Job =
  | { readonly queue: 'poll'; readonly repository: string }
  | { readonly queue: 'sync'; readonly repository: string; readonly ref: string }
  | { readonly queue: 'plan'; readonly source: string }
  | { readonly queue: 'build'; readonly build: string }
  | { readonly queue: 'reconcile'; readonly application: string }
  | { readonly queue: 'preview'; readonly repository: string; readonly number: number }
  | { readonly queue: 'report'; readonly source: string; readonly commit: string }
  | { readonly queue: 'report'; readonly plan: string; readonly commit: string };

export type QueueName = Job['queue'];

/**
 * Adds work. Equal jobs coalesce: while one waits another add changes nothing; while one runs, any number of adds make one more run.
 * Fails with `queue_unavailable` within a second when Redis is away; the job may then still have been queued, which is harmless.
 */
export interface JobQueue {
  add(job: Job): Promise<Result<void>>;
  addAll(jobs: readonly Job[]): Promise<Result<void>>;
}

/** The repeating polls, one per repository, kept in the queue itself. */
export interface PollSchedule {
  /** Makes the schedule equal to this list; safe to call often. */
  ensure(repositories: readonly { readonly name: string; readonly intervalSeconds: number }[]): Promise<Result<void>>;
}

export type QueueCounts = {
  readonly queue: QueueName;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly oldestWaitingMs: number;
};

/** What metrics and `status` show. */
export interface QueueInspector {
  counts(): Promise<Result<readonly QueueCounts[]>>;
  /** Dead work: jobs that used up their attempts or were rejected, newest first. */
  dead(
    limit: number,
  ): Promise<
    Result<readonly { readonly queue: QueueName; readonly job: string; readonly code: string; readonly at: string }[]>
  >;
}
