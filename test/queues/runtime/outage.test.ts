import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createJobQueue, type Queues, startWorkers, type Workers } from '../../../queues/runtime/index.ts';
import type { PrivateRedis } from '../../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import { ok, problem, type Result } from '../../../src/kernel/index.ts';
import type { Job } from '../../../src/ports/index.ts';
import { handling } from '../../contracts/handling.ts';
import { gate, noMetrics, silentLog, testRedis, until } from '../../support/redis.ts';

const SYNC: Job = { queue: 'sync', repository: 'shop', ref: 'refs/heads/main' };
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function redisAndQueue(): Promise<{ redis: PrivateRedis; queue: Queues }> {
  const redis = await testRedis();
  open.push({ close: () => redis.stop() });
  const queue = queueOn(redis.url);
  await queue.waitUntilReady(5_000);
  return { redis, queue };
}

function queueOn(url: string): Queues {
  const queue = createJobQueue({ url, prefix: 'outage', log: silentLog() });
  open.push(queue);
  return queue;
}

function work(url: string, sync: (job: Job) => Promise<Result<void>>): Workers {
  const workers = startWorkers({
    url,
    prefix: 'outage',
    handlers: handling(sync),
    log: silentLog(),
    metrics: noMetrics(),
    clock: createSystemClock(),
    timing: { drainMs: 1_000, abortMs: 200 },
  });
  open.push({ close: () => workers.stop() });
  return workers;
}

/** The result, which has to be `queue_unavailable` within a second. */
async function failsFast(act: () => Promise<Result<unknown>>): Promise<void> {
  const began = performance.now();
  const result = await act();
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(result).toMatchObject({ ok: false, problem: { code: 'queue_unavailable', kind: 'transient' } });
}

describe('Redis away', () => {
  it('fails within a second when it never was there', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    const queue = queueOn(`redis://127.0.0.1:${port}`);
    await failsFast(() => queue.add(SYNC));
    await failsFast(() => queue.counts());
    await failsFast(() => queue.dead(1));
    await failsFast(() => queue.ensure([{ name: 'shop', intervalSeconds: 60 }]));
    await failsFast(() => queue.ping());
    await failsFast(() => queue.waitUntilReady(100));
  });

  it('fails within a second on a server that accepts and says nothing', async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => mute.close(() => resolve())) });
    const queue = queueOn(`redis://127.0.0.1:${(mute.address() as { port: number }).port}`);
    await failsFast(() => queue.add(SYNC));
    await queue.close();
  });

  it('fails within a second while it is frozen, and works again after', async () => {
    const { redis, queue } = await redisAndQueue();
    process.kill(redis.pid, 'SIGSTOP');
    try {
      await failsFast(() => queue.add(SYNC));
      await failsFast(() => queue.addAll([SYNC, { queue: 'plan', source: 'shop' }]));
      await failsFast(() => queue.counts());
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    await until(async () => (await queue.add(SYNC)).ok, 'an add after the thaw');
  });

  it('fails within a second when it is killed with a command in flight, and never sends that again', async () => {
    const { redis, queue } = await redisAndQueue();
    process.kill(redis.pid, 'SIGSTOP');
    const inFlight = failsFast(() => queue.add(SYNC));
    process.kill(redis.pid, 'SIGKILL');
    await inFlight;
    await failsFast(() => queue.add(SYNC));
  });

  it('lets workers live through a frozen Redis', async () => {
    const { redis, queue } = await redisAndQueue();
    let runs = 0;
    const workers = work(redis.url, async () => {
      runs += 1;
      return ok(undefined);
    });
    await workers.ready();
    process.kill(redis.pid, 'SIGSTOP');
    await failsFast(() => queue.ping());
    process.kill(redis.pid, 'SIGCONT');
    await until(async () => (await queue.add(SYNC)).ok, 'an add after the thaw');
    await until(() => runs > 0, 'a run after the thaw');
  });

  it('takes new work after everything was flushed in the middle of a run', async () => {
    const { redis, queue } = await redisAndQueue();
    const [began, finish] = [gate(), gate()];
    let runs = 0;
    const workers = work(redis.url, async () => {
      runs += 1;
      began.open();
      if (runs === 1) await finish.passed;
      return runs === 1 ? { ok: false, problem: problem('git_unavailable') } : ok(undefined);
    });
    await workers.ready();
    await queue.add(SYNC);
    await began.passed;
    const { connectRedis } = await import('../../../src/adapters/redis/index.ts');
    const admin = connectRedis(redis.url);
    await admin.waitUntilReady(5_000);
    await admin.client.flushall();
    await admin.close();
    finish.open();
    expect((await queue.add(SYNC)).ok).toBe(true);
    await until(() => runs >= 2, 'a run of the work added after the flush');
  });
});

describe('stopping while Redis is away', () => {
  it('ends workers whose Redis never was there', async () => {
    const redis = await testRedis();
    await redis.stop();
    const workers = work(redis.url, async () => ok(undefined));
    await endsWithin(3_000, () => workers.stop());
  });

  it('ends workers whose Redis was killed', async () => {
    const redis = await testRedis();
    const workers = work(redis.url, async () => ok(undefined));
    await workers.ready();
    await redis.stop();
    await endsWithin(3_000, () => workers.stop());
  });

  it('ends workers and producers whose Redis is frozen', async () => {
    const { redis, queue } = await redisAndQueue();
    const workers = work(redis.url, async () => ok(undefined));
    await workers.ready();
    process.kill(redis.pid, 'SIGSTOP');
    await endsWithin(4_000, () => workers.stop());
    await endsWithin(500, () => queue.close());
    process.kill(redis.pid, 'SIGCONT');
  });
});

async function endsWithin(ms: number, act: () => Promise<void>): Promise<void> {
  const began = performance.now();
  await act();
  expect(performance.now() - began).toBeLessThan(ms);
}
