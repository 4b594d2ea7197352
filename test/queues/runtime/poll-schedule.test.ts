import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJobQueue, type Queues, startWorkers } from '../../../queues/runtime/index.ts';
import { connectRedis, type PrivateRedis, type RedisHandle } from '../../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import { ok } from '../../../src/kernel/index.ts';
import { handling } from '../../contracts/handling.ts';
import { noMetrics, silentLog, testRedis, until } from '../../support/redis.ts';

let redis: PrivateRedis;
let direct: RedisHandle;
let queue: Queues;
beforeAll(async () => {
  redis = await testRedis();
  direct = connectRedis(redis.url);
  queue = createJobQueue({ url: redis.url, prefix: 'poll', log: silentLog() });
  await Promise.all([direct.waitUntilReady(5_000), queue.waitUntilReady(5_000)]);
});
afterAll(async () => {
  await queue.close();
  await direct.close();
  await redis.stop();
});
beforeEach(async () => {
  await direct.client.flushall();
});

const repositories = (count: number, intervalSeconds = 60): { name: string; intervalSeconds: number }[] =>
  Array.from({ length: count }, (_, i) => ({ name: `repository-${i}`, intervalSeconds }));

async function scheduled(): Promise<Record<string, number>> {
  const pairs = await direct.client.zrange('poll:poll:repeat', 0, '-1', 'WITHSCORES');
  const found: Record<string, number> = {};
  for (let i = 0; i < pairs.length; i += 2) found[pairs[i]!] = Number(pairs[i + 1]);
  return found;
}

async function commandsDuring(act: () => Promise<unknown>): Promise<number> {
  const processed = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/.exec(await direct.client.info('stats'))?.[1]);
  const before = await processed();
  await act();
  return (await processed()) - before;
}

describe('poll schedule', () => {
  it('makes the schedule equal to the list: adds, changes and removes', async () => {
    expect(await queue.ensure(repositories(3))).toEqual(ok(undefined));
    expect(Object.keys(await scheduled()).sort()).toEqual(['repository-0', 'repository-1', 'repository-2']);
    await queue.ensure([{ name: 'repository-1', intervalSeconds: 120 }]);
    expect(Object.keys(await scheduled())).toEqual(['repository-1']);
    expect(await direct.client.hget('poll:poll:repeat:repository-1', 'every')).toBe('120000');
    await queue.ensure([]);
    expect(await scheduled()).toEqual({});
  });

  it('spreads what begins together', async () => {
    await queue.ensure(repositories(50));
    const times = Object.values(await scheduled()).sort((a, b) => a - b);
    expect(new Set(times).size).toBe(50);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(2_000);
  });

  it('asks only for their number when nothing changed, whatever the order of the list', async () => {
    await queue.ensure(repositories(40));
    const before = await scheduled();
    const commands = await commandsDuring(() => queue.ensure(repositories(40).reverse()));
    // The number, and the two questions of this test itself.
    expect(commands).toBeLessThanOrEqual(3);
    expect(await scheduled()).toEqual(before);
  });

  it('does not touch the others when one is added', async () => {
    await queue.ensure(repositories(5));
    const before = await scheduled();
    await queue.ensure(repositories(6));
    expect(await scheduled()).toMatchObject(before);
  });

  it('fills an emptied Redis again', async () => {
    await queue.ensure(repositories(4));
    await direct.client.flushall();
    await queue.ensure(repositories(4));
    expect(Object.keys(await scheduled())).toHaveLength(4);
  });

  it('polls again and again at the interval', async () => {
    const polled: string[] = [];
    const workers = startWorkers({
      url: redis.url,
      prefix: 'poll',
      handlers: {
        ...handling(async () => ok(undefined)),
        poll: async ({ repository }) => {
          polled.push(repository);
          return ok(undefined);
        },
      },
      log: silentLog(),
      metrics: noMetrics(),
      clock: createSystemClock(),
    });
    await queue.ensure([{ name: 'shop', intervalSeconds: 1 }]);
    await until(() => polled.length >= 3, 'three polls');
    expect(new Set(polled)).toEqual(new Set(['shop']));
    await queue.ensure([]);
    await workers.stop();
    expect(await direct.client.zcard('poll:poll:delayed')).toBe(0);
  });
});
