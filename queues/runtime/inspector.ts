import { ok } from '../../src/kernel/index.ts';
import type { QueueInspector, QueueName } from '../../src/ports/index.ts';
import { guarded } from './guard.ts';
import type { OpenQueue } from './open-queue.ts';

/** Counts and dead jobs of all queues; each question fails within a second when Redis is away. */
export function createInspector(queues: readonly (readonly [QueueName, OpenQueue])[]): QueueInspector {
  return {
    async counts() {
      const answers = await Promise.all(
        queues.map(([name, { queue, status }]) =>
          guarded(status, async () => {
            const [counts, [oldest]] = await Promise.all([
              queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
              queue.getWaiting(0, 0),
            ]);
            return {
              queue: name,
              waiting: counts.waiting ?? 0,
              active: counts.active ?? 0,
              delayed: counts.delayed ?? 0,
              failed: counts.failed ?? 0,
              oldestWaitingMs: oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp),
            };
          }),
        ),
      );
      const bad = answers.find((answer) => !answer.ok);
      if (bad !== undefined && !bad.ok) return bad;
      return ok(answers.flatMap((answer) => (answer.ok ? [answer.value] : [])));
    },

    async dead(limit) {
      const answers = await Promise.all(
        queues.map(([name, { queue, status }]) =>
          guarded(status, async () => {
            const jobs = limit < 1 ? [] : await queue.getFailed(0, limit - 1);
            return jobs.map((job) => ({
              queue: name,
              job: JSON.stringify(job.data),
              code: job.failedReason ?? 'internal',
              at: new Date(job.finishedOn ?? job.timestamp).toISOString(),
            }));
          }),
        ),
      );
      const bad = answers.find((answer) => !answer.ok);
      if (bad !== undefined && !bad.ok) return bad;
      const all = answers.flatMap((answer) => (answer.ok ? answer.value : []));
      return ok(all.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit));
    },
  };
}
