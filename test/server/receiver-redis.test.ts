import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJobQueue, type Queues } from '../../queues/runtime/index.ts';
import {
  connectRedis,
  createDeliveryIntake,
  type PrivateRedis,
  type RedisHandle,
} from '../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../src/adapters/system/index.ts';
import { silentLog, testRedis, until } from '../support/redis.ts';
import { call, type Harness, pushBody, signed, startReceiver } from './harness.ts';

let server: PrivateRedis;
let redis: RedisHandle;
let queue: Queues;
let receiver: Harness;
beforeEach(async () => {
  server = await testRedis();
  redis = connectRedis(server.url);
  queue = createJobQueue({ url: server.url, prefix: 'hakopod', log: silentLog() });
  await Promise.all([redis.waitUntilReady(5_000), queue.waitUntilReady(5_000)]);
  const clock = createSystemClock();
  receiver = await startReceiver({ intake: createDeliveryIntake({ redis, queue, clock, log: silentLog() }), clock });
});
afterEach(async () => {
  await receiver.server.stop();
  await queue.close();
  await redis.close();
  await server.stop();
});

async function answersFast(): Promise<number> {
  const began = performance.now();
  const { status } = await call(receiver.port, signed(pushBody()));
  expect(performance.now() - began).toBeLessThan(1_000);
  return status;
}

describe('the receiver on a real Redis', () => {
  it('loses none of many deliveries at once, takes duplicates once, and queues one sync per ref', async () => {
    const deliveries = Array.from({ length: 120 }, (_, i) =>
      signed(pushBody({ ref: `refs/heads/b${i % 6}`, after: (i % 60).toString(16).padStart(40, '0') }), {
        delivery: `delivery-${i % 60}`,
      }),
    );
    const replies = await Promise.all(deliveries.map((delivery) => call(receiver.port, delivery)));
    const bodies = replies.map(({ body }) => body);
    expect(bodies.filter((body) => body === '{"accepted":true}')).toHaveLength(60);
    expect(bodies.filter((body) => body === '{"ignored":"duplicate"}')).toHaveLength(60);
    expect(await redis.client.keys('hakopod:seen:*')).toHaveLength(60);
    const counts = await queue.counts();
    expect(counts.ok && counts.value.find((one) => one.queue === 'sync')?.waiting).toBe(6);
  });

  it('answers 503 within a second while Redis is frozen, and 202 again after', async () => {
    process.kill(server.pid, 'SIGSTOP');
    try {
      expect(await Promise.all([answersFast(), answersFast(), answersFast()])).toEqual([503, 503, 503]);
      expect(await answersFast()).toBe(503);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await until(async () => (await call(receiver.port, signed(pushBody()))).status === 202, '202 after the thaw');
  });

  it('answers 503 within a second when Redis is killed under it', async () => {
    process.kill(server.pid, 'SIGSTOP');
    const inFlight = answersFast();
    process.kill(server.pid, 'SIGKILL');
    expect(await inFlight).toBe(503);
    expect(await answersFast()).toBe(503);
  });
});
