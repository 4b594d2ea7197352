import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connectRedis,
  createDeliveryIntake,
  createDeliveryLog,
  type PrivateRedis,
  type RedisHandle,
} from '../../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import { ok, type Result } from '../../../src/kernel/index.ts';
import { silentLog, testRedis, until } from '../../support/redis.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function up(): Promise<{ server: PrivateRedis; redis: RedisHandle }> {
  const server = await testRedis();
  closers.push(() => server.stop());
  const redis = on(server.url);
  expect(await redis.waitUntilReady(5_000)).toEqual(ok(undefined));
  return { server, redis };
}

function on(url: string): RedisHandle {
  const redis = connectRedis(url, { log: silentLog() });
  closers.push(() => redis.close());
  return redis;
}

/** Everything on the receiver's path must fail within a second. */
async function allFailFast(redis: RedisHandle): Promise<void> {
  const queue = { add: async () => ok(undefined), addAll: async () => ok(undefined) };
  const intake = createDeliveryIntake({ redis, queue, clock: createSystemClock(), log: silentLog() });
  const log = createDeliveryLog(redis);
  const push = { repository: 'shop', deliveryId: 'delivery-1', ref: 'refs/heads/main', commit: undefined, at: 'now' };
  intake.record({ repository: 'shop', deliveryId: undefined, verdict: 'event', at: 'now' });
  const began = performance.now();
  const results: Result<unknown>[] = await Promise.all([
    intake.accept(push),
    intake.seen('shop', 'delivery-1'),
    intake.seen('shop', undefined),
    log.mentioned('shop', 'refs/heads/main'),
    log.forget('shop', 'refs/heads/main', ['a']),
    log.recent('shop', 5),
    redis.ping(),
  ]);
  expect(performance.now() - began).toBeLessThan(1_000);
  for (const result of results) expect(result).toMatchObject({ ok: false, problem: { code: 'queue_unavailable' } });
}

describe('a connection whose Redis is away', () => {
  it('fails fast when it never was there', async () => {
    const server = await testRedis();
    await server.stop();
    const redis = on(server.url);
    await allFailFast(redis);
    expect((await redis.waitUntilReady(50)).ok).toBe(false);
  });

  it('fails fast on a server that says nothing', async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const redis = on(`redis://127.0.0.1:${(mute.address() as { port: number }).port}`);
    await allFailFast(redis);
    await redis.close();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('fails fast while it is frozen, and works again after', async () => {
    const { server, redis } = await up();
    process.kill(server.pid, 'SIGSTOP');
    try {
      await allFailFast(redis);
      await allFailFast(redis);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await until(async () => (await redis.ping()).ok, 'an answer after the thaw');
  });

  it('fails fast when it is killed with commands in flight', async () => {
    const { server, redis } = await up();
    process.kill(server.pid, 'SIGSTOP');
    const inFlight = allFailFast(redis);
    process.kill(server.pid, 'SIGKILL');
    await inFlight;
    await allFailFast(redis);
  });

  it('works again, scripts included, when Redis comes back empty', async () => {
    const { redis } = await up();
    const queue = { add: async () => ok(undefined), addAll: async () => ok(undefined) };
    const intake = createDeliveryIntake({ redis, queue, clock: createSystemClock(), log: silentLog() });
    const push = { repository: 'shop', deliveryId: 'd-1', ref: 'refs/heads/main', commit: undefined, at: 'now' };
    expect(await intake.accept(push)).toEqual(ok('accepted'));
    await redis.client.flushall();
    await redis.client.script('FLUSH');
    expect(await intake.accept({ ...push, deliveryId: 'd-2' })).toEqual(ok('accepted'));
  });
});
