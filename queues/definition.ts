import type { z } from 'zod';
import type { Result } from '../src/kernel/index.ts';
import type { Job, QueueName } from '../src/ports/index.ts';

/** The job of one queue. */
export type JobOf<Q extends QueueName> = Extract<Job, { readonly queue: Q }>;

/** What a handler is told about this run of its job. */
export type JobContext = {
  /** Aborts when the process stops and its patience has ended, or when another worker took the job over. */
  readonly signal: AbortSignal;
  /** 1 for the first attempt; waiting costs none. */
  readonly attempt: number;
  /** True when a transient failure now ends the job for good. */
  readonly lastAttempt: boolean;
  /** True when an earlier run began and may have acted: read before you write. */
  readonly previouslyStarted: boolean;
};

/** Carries out one job. `rejected`: recorded by the handler, ends here. `waiting`: runs again later. `transient`: runs again with backoff. */
export type Handler<Q extends QueueName> = (job: JobOf<Q>, context: JobContext) => Promise<Result<void>>;

/** How the work of one queue waits: data only. */
export type QueueDefinition<Q extends QueueName> = {
  readonly name: Q;
  /** What may stand in the queue; anything else is dead on arrival. */
  readonly schema: z.ZodType<Omit<JobOf<Q>, 'queue'>>;
  /** Jobs of equal key coalesce. */
  readonly key: (job: JobOf<Q>) => string;
  /** Runs before a transient failure is for good. */
  readonly attempts: number;
  /** The pause before attempt n + 1 is `firstMs * factor ** (n - 1)`, at most `maxMs`, of which up to half is taken away at random. */
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly maxMs: number };
  /** Jobs one worker process runs at a time. */
  readonly concurrency: number;
  /** Dead jobs kept for people to see. */
  readonly keepDead: number;
  /** The pipeline function that runs it, a key of `Handlers`. */
  readonly handler: Q;
};
