import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  connectRedis,
  createForgeBudget,
  type PrivateRedis,
  type RedisHandle,
} from '../../../src/adapters/redis/index.ts';
import type { Clock } from '../../../src/ports/index.ts';
import { testRedis } from '../../support/redis.ts';

let server: PrivateRedis;
let redis: RedisHandle;
let now: number;
let run = 0;
const clock: Clock = { now: () => new Date(now), sleep: () => Promise.resolve() };
/** Ten points, ten a second. */
const limits = { capacity: 10, perSecond: 10 };

beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  run += 1;
  now = Date.UTC(2026, 10, 29);
  redis = connectRedis(server.url, { prefix: `budget-${run}` });
  await redis.waitUntilReady(5000);
});
afterEach(() => redis.close());

describe('the budget of a forge installation', () => {
  it('gives what there is, then turns one after another at the pace of the refill', async () => {
    const budget = createForgeBudget(redis, clock);
    const waits: number[] = [];
    for (let i = 0; i < 5; i += 1) waits.push(await budget.take('a', 5, limits));
    // Two fit, and the third has to wait for five points, which take half a second; the others stand behind it.
    expect(waits).toEqual([0, 0, 500, 1000, 1500]);
    now += 500;
    expect(await budget.take('a', 5, limits)).toBe(0);
    expect(await budget.take('a', 5, limits)).toBeGreaterThan(0);
  });

  it('is one for all workers, and one per installation', async () => {
    const other = connectRedis(server.url, { prefix: redis.prefix });
    await other.waitUntilReady(5000);
    const [one, two] = [createForgeBudget(redis, clock), createForgeBudget(other, clock)];
    expect([await one.take('a', 10, limits), await two.take('a', 1, limits)]).toEqual([0, 100]);
    expect(await two.take('b', 10, limits)).toBe(0);
    await two.pause('b', 5000);
    expect(await one.take('b', 1, undefined)).toBe(5000);
    await other.close();
  });

  it('never refills beyond what there is after a quiet time, nor from a clock that is behind', async () => {
    const budget = createForgeBudget(redis, clock);
    await budget.take('a', 1, limits);
    now += 3_600_000;
    expect([await budget.take('a', 10, limits), await budget.take('a', 10, limits)]).toEqual([0, 100]);
    now -= 60_000;
    expect(await budget.take('a', 1, limits)).toBeGreaterThan(0);
  });

  it('starves no call that costs more for those that cost little', async () => {
    const budget = createForgeBudget(redis, clock);
    await budget.take('a', 10, limits);
    let writes = 0;
    let reads = 0;
    for (let tick = 0; tick < 200; tick += 1) {
      now += 100;
      // As many small calls as the refill allows, each before or after the large one.
      if (tick % 2 === 0 && (await budget.take('a', 1, limits)) === 0) reads += 1;
      if ((await budget.take('a', 5, limits)) === 0) writes += 1;
      if ((await budget.take('a', 1, limits)) === 0) reads += 1;
    }
    expect(writes).toBeGreaterThan(20);
    // Nobody gets more for it: 20 seconds of ten points, and what was there at first.
    expect(writes * 5 + reads).toBeLessThanOrEqual(20 * 10 + 10 + 4);
  });

  it('sends nobody away for more than five minutes', async () => {
    const budget = createForgeBudget(redis, clock);
    await budget.take('a', 10, limits);
    await budget.take('a', 9000, limits);
    expect(await budget.take('a', 10, limits)).toBe(300_000);
  });

  it('holds nobody back where nothing is limited, but for a pause; the longer one stays', async () => {
    const budget = createForgeBudget(redis, clock);
    for (let i = 0; i < 50; i += 1) expect(await budget.take('a', 5, undefined)).toBe(0);
    await budget.pause('a', 10_000);
    await budget.pause('a', 2_000);
    expect(await budget.take('a', 1, undefined)).toBe(10_000);
    now += 10_000;
    expect(await budget.take('a', 1, undefined)).toBe(0);
  });

  it('leaves nothing behind', async () => {
    const budget = createForgeBudget(redis, clock);
    await budget.take('a', 1, limits);
    await budget.pause('a', 10_000);
    const keys = await redis.client.keys(`${redis.prefix}:*`);
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(await redis.client.pttl(key)).toBeGreaterThan(0);
  });

  it('holds nobody back while Redis is away', async () => {
    await redis.close();
    const budget = createForgeBudget(redis, clock);
    await budget.pause('a', 10_000);
    expect(await budget.take('a', 1, limits)).toBe(0);
  });
});
