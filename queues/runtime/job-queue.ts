import type { JobsOptions } from 'bullmq';
import { fail, ok, problem, type Result } from '../../src/kernel/index.ts';
import type { Job, JobQueue, Log, PollSchedule, QueueInspector, QueueName } from '../../src/ports/index.ts';
import { QUEUE_NAMES, QUEUES } from '../index.ts';
import { guarded } from './guard.ts';
import { createInspector } from './inspector.ts';
import { jobOptions, type OpenQueue, openQueue } from './open-queue.ts';
import { createPollSchedule } from './poll-schedule.ts';

/** The producers' side of all queues. */
export type Queues = JobQueue &
  PollSchedule &
  QueueInspector & {
    /** Whether Redis answers now; within a second. */
    ping(): Promise<Result<void>>;
    /** Resolves when every queue has its connection, or with `queue_unavailable` after `ms`. */
    waitUntilReady(ms: number): Promise<Result<void>>;
    /** Ends the connections; jobs stay. */
    close(): Promise<void>;
  };

/** Connects (in the background, for ever) and hands out the producers' side of the queues. `prefix` keeps installations apart in one Redis. */
export function createJobQueue(options: { readonly url: string; readonly prefix: string; readonly log: Log }): Queues {
  const open = new Map(QUEUE_NAMES.map((name) => [name, openQueue(name, options)]));
  const of = (name: QueueName): OpenQueue => {
    const found = open.get(name);
    if (found === undefined) throw new Error('no such queue');
    return found;
  };

  async function addAll(jobs: readonly Job[]): Promise<Result<void>> {
    const results = await Promise.all(groupByQueue(jobs).map(([name, group]) => addTo(of(name), group)));
    return results.find((result) => !result.ok) ?? ok(undefined);
  }

  return {
    add: (job) => addAll([job]),
    addAll,
    ...createPollSchedule(of('poll')),
    ...createInspector(QUEUE_NAMES.map((name) => [name, of(name)])),
    ping: async () => {
      const { queue, status } = of('sync');
      const answer = await guarded(status, () => queue.getWaitingCount());
      return answer.ok ? ok(undefined) : answer;
    },
    waitUntilReady: async (ms) => {
      const deadline = Date.now() + ms;
      while ([...open.values()].some(({ status }) => status() !== 'ready')) {
        if (Date.now() >= deadline) return fail(problem('queue_unavailable'));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return ok(undefined);
    },
    close: async () => {
      for (const queue of open.values()) queue.close();
    },
  };
}

function groupByQueue(jobs: readonly Job[]): readonly (readonly [QueueName, readonly Job[]])[] {
  const groups = new Map<QueueName, Job[]>();
  for (const job of jobs) {
    const group = groups.get(job.queue);
    if (group === undefined) groups.set(job.queue, [job]);
    else group.push(job);
  }
  return [...groups];
}

async function addTo(open: OpenQueue, jobs: readonly Job[]): Promise<Result<void>> {
  return guarded(open.status, async () => {
    const missing = await open.missing(jobs.map(keyOf));
    const entries = jobs.filter((_job, i) => missing[i] !== false).map(entryOf);
    if (entries.length > 0) await open.queue.addBulk(entries);
  });
}

type Entry = { readonly name: string; readonly data: Omit<Job, 'queue'>; readonly opts: JobsOptions };

function entryOf(job: Job): Entry {
  const { queue, ...data } = job;
  const deduplication = { id: keyOf(job), keepLastIfActive: true };
  return { name: queue, data, opts: { ...jobOptions(queue), deduplication } };
}

function keyOf(job: Job): string {
  // The table's entry belongs to the queue of this very job.
  const definition = QUEUES[job.queue] as unknown as { readonly key: (job: Job) => string };
  return definition.key(job);
}
