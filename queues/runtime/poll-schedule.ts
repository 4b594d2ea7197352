import { ok, type Result } from '../../src/kernel/index.ts';
import type { PollSchedule } from '../../src/ports/index.ts';
import { guarded } from './guard.ts';
import { jobOptions, type OpenQueue } from './open-queue.ts';

type Wanted = { readonly name: string; readonly intervalSeconds: number };

/** New schedules start this far apart, so that a thousand repositories are not asked in the same second, now or later. */
const SPREAD_MS = 50;
/** Schedules read or written in one exchange; each exchange has its own deadline. */
const CHUNK = 100;
/** Even when nothing seems to have changed, everything is compared this often. */
const FULL_CHECK_MS = 600_000;

/**
 * The polls as BullMQ job schedulers, whose next run lives in Redis. `ensure` writes differences only; when neither the list nor
 * the number of schedules in Redis changed since the last call, that number is all it asks, so an emptied Redis is noticed and
 * filled again.
 */
export function createPollSchedule({ queue, status }: OpenQueue): PollSchedule {
  let last: { readonly digest: string; readonly fullAt: number } | undefined;

  return {
    async ensure(repositories): Promise<Result<void>> {
      const wanted = new Map(repositories.map((repository) => [repository.name, repository]));
      const digest = JSON.stringify([...wanted.values()].map((r) => [r.name, r.intervalSeconds]).sort());
      const count = await guarded(status, () => queue.getJobSchedulersCount());
      if (!count.ok) return count;
      const fresh = last !== undefined && Date.now() - last.fullAt < FULL_CHECK_MS;
      if (fresh && last?.digest === digest && count.value === wanted.size) return ok(undefined);

      const present = await readAll(count.value);
      if (!present.ok) return present;
      const now = Date.now();
      const gone = [...present.value.keys()].filter((name) => !wanted.has(name));
      const changed = [...wanted.values()].filter((repository) => {
        const found = present.value.get(repository.name);
        // A next run long past means that its job was lost and nothing will bring it back.
        return found?.every !== everyMs(repository) || (found.next ?? 0) < now - everyMs(repository) - 60_000;
      });
      const done = await inChunks(gone, (name) => queue.removeJobScheduler(name));
      if (!done.ok) return done;
      let position = 0;
      const written = await inChunks(changed, async (repository) => {
        const spread = (position++ * SPREAD_MS) % everyMs(repository);
        if (present.value.has(repository.name)) await queue.removeJobScheduler(repository.name);
        await queue.upsertJobScheduler(
          repository.name,
          { every: everyMs(repository), startDate: now + spread },
          { name: 'poll', data: { repository: repository.name }, opts: templateOptions() },
        );
      });
      if (!written.ok) return written;
      last = { digest, fullAt: now };
      return ok(undefined);
    },
  };

  async function readAll(
    count: number,
  ): Promise<Result<ReadonlyMap<string, { every: number | undefined; next: number | undefined }>>> {
    const found = new Map<string, { every: number | undefined; next: number | undefined }>();
    for (let start = 0; start < count; start += CHUNK) {
      const page = await guarded(status, () => queue.getJobSchedulers(start, start + CHUNK - 1, true));
      if (!page.ok) return page;
      for (const scheduler of page.value) {
        if (scheduler?.key === undefined) continue;
        found.set(scheduler.key, { every: Number(scheduler.every), next: scheduler.next });
      }
    }
    return ok(found);
  }

  async function inChunks<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<Result<void>> {
    for (let start = 0; start < items.length; start += CHUNK) {
      const done = await guarded(status, () => Promise.all(items.slice(start, start + CHUNK).map(act)));
      if (!done.ok) return done;
    }
    return ok(undefined);
  }
}

function everyMs(repository: Wanted): number {
  return repository.intervalSeconds * 1_000;
}

function templateOptions(): ReturnType<typeof jobOptions> {
  return jobOptions('poll');
}
