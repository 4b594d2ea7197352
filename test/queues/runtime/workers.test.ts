import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobContext } from '../../../queues/index.ts';
import {
  createJobQueue,
  type Queues,
  startWorkers,
  type Workers,
  type WorkerTiming,
} from '../../../queues/runtime/index.ts';
import { connectRedis, type PrivateRedis, type RedisHandle } from '../../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import { ok, problem, type Result } from '../../../src/kernel/index.ts';
import type { Job, Metrics } from '../../../src/ports/index.ts';
import { handling } from '../../contracts/handling.ts';
import { gate, noMetrics, silentLog, testRedis, until } from '../../support/redis.ts';

const SYNC: Job = { queue: 'sync', repository: 'shop', ref: 'refs/heads/main' };
const SHORT = { lockMs: 600, stalledCheckMs: 200 };
let redis: PrivateRedis;
let queue: Queues;
let direct: RedisHandle;
let prefix = '';
let round = 0;
let workers: Workers | undefined;
beforeAll(async () => {
  redis = await testRedis();
  direct = connectRedis(redis.url);
  await direct.waitUntilReady(5_000);
});
afterAll(async () => {
  await direct.close();
  await redis.stop();
});
beforeEach(async () => {
  round += 1;
  prefix = `w${round}`;
  queue = createJobQueue({ url: redis.url, prefix, log: silentLog() });
  await queue.waitUntilReady(5_000);
});
afterEach(async () => {
  await workers?.stop();
  workers = undefined;
  await queue.close();
});

type Sync = (job: Job, context: JobContext) => Promise<Result<void>>;
async function work(sync: Sync, timing: Partial<WorkerTiming> = {}, metrics: Metrics = noMetrics()): Promise<Workers> {
  workers = startWorkers({
    url: redis.url,
    prefix,
    handlers: handling(sync),
    log: silentLog(),
    metrics,
    clock: createSystemClock(),
    timing: { ...SHORT, drainMs: 50, abortMs: 500, ...timing },
  });
  await workers.ready();
  return workers;
}

async function killedWhileRunning(): Promise<void> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./killed-worker.ts', import.meta.url)), { execArgv: [] });
  await once(child, 'message');
  child.send({ url: redis.url, prefix, timing: SHORT });
  const [word] = await once(child, 'message');
  expect(word).toBe('began');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('workers', () => {
  it('run a killed worker’s job elsewhere, told that it was begun before, as often as it takes', async () => {
    await queue.add(SYNC);
    await killedWhileRunning();
    await killedWhileRunning();
    const contexts: JobContext[] = [];
    await work(async (_job, context) => {
      contexts.push(context);
      return ok(undefined);
    });
    await until(() => contexts.length === 1, 'the run elsewhere');
    expect(contexts[0]).toMatchObject({ attempt: 1, lastAttempt: false, previouslyStarted: true });
    await until(async () => (await syncCounts()).active === 0, 'the end');
    expect((await syncCounts()).failed).toBe(0);
  });

  it('give a job that is cut off by the end of the process to another, without costing an attempt', async () => {
    const began = gate();
    const first = await work(async (_job, { signal }) => {
      began.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    await queue.add(SYNC);
    await began.passed;
    await first.stop();
    expect(await syncCounts()).toMatchObject({ waiting: 1, active: 0, failed: 0 });
    const contexts: JobContext[] = [];
    await work(async (_job, context) => {
      contexts.push(context);
      return ok(undefined);
    });
    await until(() => contexts.length === 1, 'the run elsewhere');
    expect(contexts[0]).toMatchObject({ attempt: 1, previouslyStarted: true });
  });

  it('stop in time also when a job ignores its signal', async () => {
    const began = gate();
    const first = await work(
      () => {
        began.open();
        return new Promise(() => {});
      },
      { drainMs: 50, abortMs: 50 },
    );
    await queue.add(SYNC);
    await began.passed;
    const at = performance.now();
    await first.stop();
    expect(performance.now() - at).toBeLessThan(1_500);
  });

  it('abort a job whose lock is gone, because another worker will run it', async () => {
    let runs = 0;
    const aborted = gate();
    await work(async (_job, { signal }) => {
      runs += 1;
      if (runs > 1) return ok(undefined);
      signal.addEventListener('abort', () => aborted.open());
      await aborted.passed;
      return { ok: false, problem: problem('lease_lost') };
    });
    await queue.add(SYNC);
    await until(() => runs === 1, 'the run');
    const [lock] = await direct.client.keys(`${prefix}:sync:*:lock`);
    await direct.client.set(lock!, 'another worker');
    await aborted.passed;
    await direct.client.del(lock!);
    await until(() => runs === 2, 'the run by another');
  });

  it('give up after the last attempt, which the handler is told', async () => {
    const contexts: JobContext[] = [];
    await work(async (_job, context) => {
      contexts.push(context);
      return { ok: false, problem: problem('git_unavailable') };
    });
    await queue.add(SYNC);
    await until(async () => {
      const { delayed, failed } = await syncCounts();
      if (delayed === 1) await queue.add(SYNC);
      return failed === 1;
    }, 'a dead job');
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(contexts.map(({ lastAttempt }) => lastAttempt)).toEqual([false, false, false, false, false, true]);
    expect(await queue.dead(1)).toMatchObject({ ok: true, value: [{ code: 'git_unavailable' }] });
  });

  it('pause briefly only when a hint came during a run that then failed late', async () => {
    const hinted = gate();
    const times: number[] = [];
    await work(async (_job, { attempt }) => {
      times.push(performance.now());
      if (attempt === 3) {
        await queue.add(SYNC);
        hinted.open();
      }
      return attempt <= 3 ? { ok: false, problem: problem('git_unavailable') } : ok(undefined);
    });
    await queue.add(SYNC);
    await until(
      async () => {
        if (times.length < 3 && (await syncCounts()).delayed === 1) await queue.add(SYNC);
        return times.length >= 4;
      },
      'the fourth attempt',
      6_000,
    );
    // Without the hint the third pause is 8 s at least.
    expect(times[3]! - times[2]!).toBeLessThan(3_000);
    await until(() => times.length === 5, 'the run of the hint itself');
  });

  it('refuse a job that is not of its queue without asking the handler', async () => {
    let runs = 0;
    await work(async () => {
      runs += 1;
      return ok(undefined);
    });
    await queue.add({ queue: 'sync', repository: '', ref: 'refs/heads/main' });
    await until(async () => (await syncCounts()).failed === 1, 'a dead job');
    expect(runs).toBe(0);
    expect(await queue.dead(1)).toMatchObject({ ok: true, value: [{ code: 'invalid_request' }] });
  });

  it('count each run by queue and outcome', async () => {
    const seen: string[] = [];
    const results = [ok(undefined), { ok: false, problem: problem('invalid_spec') } as const];
    await work(
      async () => results.shift() ?? ok(undefined),
      {},
      { ...noMetrics(), stage: (stage, outcome) => seen.push(`${stage} ${outcome}`) },
    );
    await queue.add(SYNC);
    await until(() => seen.length === 1, 'the first');
    await queue.add(SYNC);
    await until(() => seen.length === 2, 'the second');
    expect(seen).toEqual(['sync done', 'sync rejected']);
  });
});

async function syncCounts(): Promise<{ waiting: number; active: number; delayed: number; failed: number }> {
  const answer = await queue.counts();
  if (!answer.ok) throw new Error(answer.problem.code);
  return answer.value.find((counts) => counts.queue === 'sync')!;
}
