import { type Job as BullJob, type MinimalJob, Worker } from 'bullmq';
import type { Clock, Log, Metrics, QueueName } from '../../src/ports/index.ts';
import { type Handlers, pauseAfter, QUEUE_NAMES, QUEUES } from '../index.ts';
import { workerConnection } from './connection.ts';
import { type RunOutcome, settle, unreadableJob } from './settle.ts';

/** How long things take; the defaults let a killed worker's job run again within ten seconds. */
export type WorkerTiming = {
  /** Life of a job's lock, renewed every third of it. */
  readonly lockMs: number;
  /** How often workers look for jobs whose lock ran out. */
  readonly stalledCheckMs: number;
  /** How long `stop` lets running jobs finish before it aborts them. */
  readonly drainMs: number;
  /** How long aborted jobs may take to let go. */
  readonly abortMs: number;
};

const DEFAULT_TIMING: WorkerTiming = { lockMs: 6_000, stalledCheckMs: 2_000, drainMs: 20_000, abortMs: 5_000 };

/** With no job running, closing is a few round trips; longer means that Redis is away. */
const IDLE_CLOSE_MS = 1_000;

/** A job is never given up because its workers were killed: our jobs read before they write, so another run is harmless. */
const MAX_STALLED_COUNT = 1_000_000;

/** The consumers' side. */
export type Workers = {
  /** Resolves when every queue is being listened to. */
  ready(): Promise<void>;
  /** Stops fetching at once, lets running jobs finish until the deadline, then aborts their signal; what is cut off runs elsewhere. */
  stop(): Promise<void>;
};

export type WorkerOptions = {
  readonly url: string;
  readonly prefix: string;
  readonly handlers: Handlers;
  /** Jobs at a time per queue, instead of the queue's own number. */
  readonly concurrency?: { readonly [Q in QueueName]?: number };
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly timing?: Partial<WorkerTiming>;
};

/** Starts one worker per queue. Each survives any outage of Redis by itself. */
export function startWorkers(options: WorkerOptions): Workers {
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const running = new Map<BullJob, AbortController>();
  const workers = QUEUE_NAMES.map((name) => startWorker(name, options, { timing, running }));
  let stopped: Promise<void> | undefined;

  async function drain(): Promise<void> {
    // Closing stops the fetching first and resolves when the running jobs are done.
    const closed = Promise.all(workers.map((worker) => worker.close())).then(() => true);
    const closedWithin = (ms: number): Promise<boolean> => within(closed, ms, options.clock);
    const deadline = options.clock.now().getTime() + timing.drainMs;
    while (running.size > 0 && options.clock.now().getTime() < deadline) {
      if (await closedWithin(Math.min(50, timing.drainMs))) return;
    }
    for (const controller of running.values()) controller.abort();
    if (await closedWithin(running.size > 0 ? timing.abortMs : IDLE_CLOSE_MS)) return;
    if (running.size > 0) {
      options.log.warn('jobs ignored the end of this worker and will run again elsewhere', { jobs: running.size });
    }
    // What is left waits for a handler that does not end or for a Redis that is away.
    const dropped = Promise.all(workers.map((worker) => worker.getBackend().close(true))).then(() => true);
    await within(dropped, IDLE_CLOSE_MS, options.clock);
  }

  return {
    ready: async () => {
      await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    },
    stop: () => {
      stopped ??= drain();
      return stopped;
    },
  };
}

/** Whether the promise resolves in time. */
async function within(done: Promise<boolean>, ms: number, clock: Clock): Promise<boolean> {
  const patience = new AbortController();
  const inTime = await Promise.race([done, clock.sleep(ms, patience.signal).then(() => false)]);
  patience.abort();
  return inTime;
}

type Shared = { readonly timing: WorkerTiming; readonly running: Map<BullJob, AbortController> };

function startWorker(name: QueueName, options: WorkerOptions, { timing, running }: Shared): Worker {
  const log = options.log.with({ queue: name });
  const definition = QUEUES[name];
  const worker: Worker = new Worker(name, (job, token) => run(job, token ?? ''), {
    connection: workerConnection(options.url),
    prefix: options.prefix,
    concurrency: options.concurrency?.[name] ?? definition.concurrency,
    lockDuration: timing.lockMs,
    lockRenewTime: timing.lockMs / 3,
    stalledInterval: timing.stalledCheckMs,
    maxStalledCount: MAX_STALLED_COUNT,
    runRetryDelay: 1_000,
    settings: { backoffStrategy: (attempt, _type, _error, job) => pause(attempt, job) },
  });

  async function run(job: BullJob, token: string): Promise<void> {
    const controller = new AbortController();
    running.set(job, controller);
    const began = options.clock.now().getTime();
    try {
      const outcome = await runHandler(job, controller.signal);
      const seconds = (options.clock.now().getTime() - began) / 1_000;
      options.metrics.stage(name, outcomeWord(outcome), seconds);
      logOutcome(log, job, outcome);
      await settle(outcome, job, token);
    } finally {
      running.delete(job);
    }
  }

  async function runHandler(job: BullJob, signal: AbortSignal): Promise<RunOutcome> {
    const data = definition.schema.safeParse(job.data);
    if (!data.success) return { kind: 'settled', result: unreadableJob() };
    // The schema is this queue's own, so the handler of the same name takes what it read.
    const handler = options.handlers[name] as (job: unknown, context: unknown) => ReturnType<Handlers[QueueName]>;
    const attempt = job.attemptsMade + 1;
    try {
      const result = await handler(
        { queue: name, ...data.data },
        {
          signal,
          attempt,
          lastAttempt: attempt >= (job.opts.attempts ?? 1),
          previouslyStarted: job.attemptsStarted > 1 || job.stalledCounter > 0,
        },
      );
      return !result.ok && signal.aborted ? { kind: 'cut off' } : { kind: 'settled', result };
    } catch (error) {
      if (signal.aborted) return { kind: 'cut off' };
      log.error('a job threw, which is a bug', { job: job.id, error });
      return { kind: 'threw' };
    }
  }

  /** A hint that came while the job ran waits behind its retries; then the first retry is soon. */
  async function pause(attempt: number, job: MinimalJob | undefined): Promise<number> {
    const regular = pauseAfter(attempt, definition.backoff, Math.random());
    const soon = pauseAfter(1, definition.backoff, Math.random());
    const key = job?.opts.deduplication?.id;
    if (key === undefined || regular <= soon) return regular;
    const client = await worker.getBackend().client;
    const hinted = await client.hexists(worker.toKey(`dn:${key}`), 'data').catch(() => 0);
    return hinted === 1 ? soon : regular;
  }

  watch(worker, log, running);
  return worker;
}

function watch(worker: Worker, log: Log, running: Shared['running']): void {
  let reachable = true;
  worker.on('ready', () => {
    reachable = true;
  });
  worker.on('error', (error) => {
    if (reachable) log.warn('a worker has trouble with Redis', { error: error.message });
    reachable = false;
  });
  worker.on('active', () => {
    reachable = true;
  });
  worker.on('stalled', (id) => log.warn('a job lost its worker and runs again', { job: id }));
  // Without its lock the job is, or soon will be, run by another worker.
  worker.on('lockRenewalFailed', (ids) => {
    for (const [job, controller] of running) {
      if (job.queueName === worker.name && ids.includes(job.id ?? '')) controller.abort();
    }
  });
}

function outcomeWord(outcome: RunOutcome): string {
  if (outcome.kind !== 'settled') return outcome.kind === 'threw' ? 'bug' : 'cut_off';
  return outcome.result.ok ? 'done' : outcome.result.problem.kind;
}

function logOutcome(log: Log, job: BullJob, outcome: RunOutcome): void {
  if (outcome.kind !== 'settled' || outcome.result.ok) return;
  const { kind, code, cause } = outcome.result.problem;
  const fields = { job: job.id, data: job.data, attempt: job.attemptsMade + 1, code, cause };
  if (kind === 'transient') log.warn('a job will be tried again', fields);
  else if (kind === 'rejected') log.info('a job was refused', fields);
  else log.debug('a job waits', fields);
}
