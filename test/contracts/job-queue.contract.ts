import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Handlers, JobContext } from '../../queues/index.ts';
import { ok, problem, type Result } from '../../src/kernel/index.ts';
import type { Job, JobQueue, QueueInspector } from '../../src/ports/index.ts';
import { gate, until } from '../support/redis.ts';
import { handling } from './handling.ts';

/** What runs the jobs of a queue under test. */
export type Consumers = { ready(): Promise<void>; stop(): Promise<void> };

/** An implementation under test; `open` gives a queue nobody has used. */
export type JobQueueUnderTest = {
  readonly open: () => Promise<{
    readonly queue: JobQueue & QueueInspector;
    readonly work: (handlers: Handlers) => Consumers;
    readonly close: () => Promise<void>;
  }>;
  readonly close: () => Promise<void>;
};

type Opened = Awaited<ReturnType<JobQueueUnderTest['open']>>;
const SYNC: Extract<Job, { queue: 'sync' }> = { queue: 'sync', repository: 'shop', ref: 'refs/heads/main' };

/** The contract of `JobQueue` with its consumers. `races` is the number of rounds in which adds race with the end of a run. */
export function describeJobQueue(
  name: string,
  make: () => Promise<JobQueueUnderTest>,
  options: { readonly races: number },
): void {
  describe(`job queue: ${name}`, () => {
    let under: JobQueueUnderTest;
    let opened: Opened;
    let consumers: Consumers | undefined;
    beforeAll(async () => {
      under = await make();
    });
    afterAll(async () => under?.close());
    beforeEach(async () => {
      opened = await under.open();
    });
    afterEach(async () => {
      await consumers?.stop();
      consumers = undefined;
      await opened.close();
    });

    async function work(sync: (job: Job, context: JobContext) => Promise<Result<void>>): Promise<void> {
      consumers = opened.work(handling(sync));
      await consumers.ready();
    }
    async function counts(): Promise<{ waiting: number; active: number; delayed: number; failed: number }> {
      const answer = await opened.queue.counts();
      if (!answer.ok) throw new Error(answer.problem.code);
      return answer.value.find(({ queue }) => queue === 'sync')!;
    }
    const atRest = async (): Promise<boolean> => {
      const { waiting, active, delayed } = await counts();
      return waiting + active + delayed === 0;
    };

    it('runs a job with what was added', async () => {
      const seen: Job[] = [];
      await work(async (job) => {
        seen.push(job);
        return ok(undefined);
      });
      expect(await opened.queue.add(SYNC)).toEqual(ok(undefined));
      await until(() => seen.length === 1, 'the run');
      expect(seen).toEqual([SYNC]);
    });

    it('keeps jobs of different keys apart, in one call too', async () => {
      const jobs: Job[] = ['a', 'b', 'c'].map((ref) => ({
        queue: 'sync',
        repository: 'shop',
        ref: `refs/heads/${ref}`,
      }));
      const seen: string[] = [];
      await work(async (job) => {
        seen.push((job as { ref: string }).ref);
        return ok(undefined);
      });
      expect(await opened.queue.addAll(jobs)).toEqual(ok(undefined));
      await until(() => seen.length === 3, 'three runs');
      expect(seen.sort()).toEqual(['refs/heads/a', 'refs/heads/b', 'refs/heads/c']);
    });

    it('coalesces what is added while a job waits into one run', async () => {
      for (let i = 0; i < 10; i += 1) await opened.queue.add(SYNC);
      expect((await counts()).waiting).toBe(1);
      let runs = 0;
      await work(async () => {
        runs += 1;
        return ok(undefined);
      });
      await until(() => runs > 0, 'a run');
      await until(atRest, 'rest');
      expect(runs).toBe(1);
    });

    it('makes exactly one more run of what is added while a job runs', async () => {
      const [began, finish] = [gate(), gate()];
      let runs = 0;
      await work(async () => {
        runs += 1;
        began.open();
        if (runs === 1) await finish.passed;
        return ok(undefined);
      });
      await opened.queue.add(SYNC);
      await began.passed;
      for (let i = 0; i < 20; i += 1) await opened.queue.add(SYNC);
      finish.open();
      await until(() => runs === 2, 'the second run');
      await until(atRest, 'rest');
      expect(runs).toBe(2);
    });

    it('makes that one more run also when the first is refused', async () => {
      const [began, finish] = [gate(), gate()];
      const contexts: JobContext[] = [];
      await work(async (_job, context) => {
        contexts.push(context);
        began.open();
        if (contexts.length > 1) return ok(undefined);
        await finish.passed;
        return { ok: false, problem: problem('invalid_spec') };
      });
      await opened.queue.add(SYNC);
      await began.passed;
      await opened.queue.add(SYNC);
      finish.open();
      await until(() => contexts.length === 2, 'the second run');
      // The follow-up is a job like any other, with all its attempts.
      expect(contexts[1]).toMatchObject({ attempt: 1, lastAttempt: false, previouslyStarted: false });
    });

    it('ends a rejected job at once and shows it as dead, by its code only', async () => {
      let runs = 0;
      await work(async () => {
        runs += 1;
        return { ok: false, problem: problem('invalid_spec', 'text of ours', { cause: 'words of another system' }) };
      });
      await opened.queue.add(SYNC);
      await until(async () => (await counts()).failed === 1, 'a dead job');
      expect(runs).toBe(1);
      const dead = await opened.queue.dead(10);
      expect(dead).toMatchObject({ ok: true, value: [{ queue: 'sync', code: 'invalid_spec' }] });
      expect(JSON.stringify(dead)).not.toContain('another system');
      // A dead job is not in the way of the next hint.
      await opened.queue.add(SYNC);
      await until(() => runs === 2, 'a run of the next hint');
    });

    it('lets a waiting job run again at its time without costing an attempt', async () => {
      const attempts: JobContext[] = [];
      await work(async (_job, context) => {
        attempts.push(context);
        return attempts.length <= 8
          ? { ok: false, problem: problem('lease_held', undefined, { afterMs: 1 }) }
          : ok(undefined);
      });
      await opened.queue.add(SYNC);
      await until(() => attempts.length === 9, 'nine runs');
      expect(attempts.map(({ attempt }) => attempt)).toEqual(Array(9).fill(1));
      expect(attempts.map(({ previouslyStarted }) => previouslyStarted)).toEqual([false, ...Array(8).fill(true)]);
      await until(atRest, 'rest');
      expect((await counts()).failed).toBe(0);
    });

    it('tries a transient failure again, and a new hint brings it forward', async () => {
      const attempts: number[] = [];
      await work(async (_job, { attempt }) => {
        attempts.push(attempt);
        return attempts.length === 1 ? { ok: false, problem: problem('git_unavailable') } : ok(undefined);
      });
      await opened.queue.add(SYNC);
      await until(async () => (await counts()).delayed === 1, 'the pause');
      await opened.queue.add(SYNC);
      // The pause is half a second at least; the hint ends it.
      await until(() => attempts.length === 2, 'the second attempt', 450);
      expect(attempts).toEqual([1, 2]);
    });

    it('brings a job forward that waits, and loses no hint doing so', async () => {
      let runs = 0;
      await work(async () => {
        runs += 1;
        return runs === 1
          ? { ok: false, problem: problem('lease_held', undefined, { afterMs: 60_000 }) }
          : ok(undefined);
      });
      await opened.queue.add(SYNC);
      await until(async () => (await counts()).delayed === 1, 'the wait');
      await Promise.all(Array.from({ length: 5 }, () => opened.queue.add(SYNC)));
      await until(() => runs >= 2, 'the run of the hint');
      await until(atRest, 'rest');
    });

    it('tries a handler that throws a few times, then gives it up', async () => {
      let runs = 0;
      await work(async () => {
        runs += 1;
        throw new Error('secret words');
      });
      await opened.queue.add(SYNC);
      await until(async () => {
        if ((await counts()).delayed === 1) await opened.queue.add(SYNC);
        return (await counts()).failed === 1;
      }, 'a dead job');
      expect(runs).toBe(3);
      expect(JSON.stringify(await opened.queue.dead(5))).not.toContain('secret words');
    });

    it(`loses no hint in ${options.races} races with the end of a run`, async () => {
      // A hint counts as served when a run begins after its add was answered.
      let version = 0;
      let served = 0;
      await work(async () => {
        served = version;
        return ok(undefined);
      });
      for (let round = 0; round < options.races; round += 1) {
        const adds = 1 + (round % 4);
        for (let i = 0; i < adds; i += 1) {
          version += 1;
          const added = await opened.queue.add(SYNC);
          if (!added.ok) throw new Error(added.problem.code);
          if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        if (round % 5 === 0) await until(() => served === version, `hint ${version}`);
      }
      await until(() => served === version, `the last hint, ${version}`);
    });

    it('lets running jobs finish when it stops', async () => {
      const [began, finish] = [gate(), gate()];
      let finished = false;
      await work(async () => {
        began.open();
        await finish.passed;
        finished = true;
        return ok(undefined);
      });
      await opened.queue.add(SYNC);
      await began.passed;
      const stopped = consumers!.stop();
      finish.open();
      await stopped;
      expect(finished).toBe(true);
      await opened.queue.add({ ...SYNC, ref: 'refs/heads/later' });
      expect(await counts()).toMatchObject({ waiting: 1, active: 0 });
    });
  });
}
