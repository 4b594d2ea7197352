import { type ChildProcess, fork } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJobQueue, type Queues } from '../../queues/runtime/index.ts';
import { connectRedis, type PrivateRedis, type RedisHandle } from '../../src/adapters/redis/index.ts';
import { silentLog, testRedis } from '../support/redis.ts';
import { nextCase } from './fuzz-cases.ts';
import { createSender, type Sender } from './fuzz-client.ts';
import { createDice, eventsOf, PROOFS, proven } from './fuzz-deliveries.ts';
import type { Health } from './fuzz-server.ts';

const DELIVERIES = 50_000;
const WARM = 10_000;
const AT_ONCE = 48;
/** What a hundred bytes kept of each delivery would come to; a flat heap comes out within a quarter of it. */
const MOST_GROWTH = 4 * 1_048_576;
const SEED = Number(process.env.HAKOPOD_FUZZ_SEED ?? 20_261_130);

let store: PrivateRedis;
let redis: RedisHandle;
let queue: Queues;
let child: ChildProcess;
let sender: Sender;
beforeAll(async () => {
  store = await testRedis();
  redis = connectRedis(store.url);
  queue = createJobQueue({ url: store.url, prefix: 'hakopod', log: silentLog() });
  await Promise.all([redis.waitUntilReady(5_000), queue.waitUntilReady(5_000)]);
  const script = new URL('fuzz-server.ts', import.meta.url);
  child = fork(script, [store.url], {
    execArgv: ['--expose-gc', '--no-flush-bytecode'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { port } = await said<{ readonly port: number }>();
  sender = createSender(port);
});
afterAll(async () => {
  sender?.stop();
  child?.kill('SIGKILL');
  await queue?.close();
  await redis?.close();
  await store?.stop();
});

function said<T>(): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`the receiver's process ended with ${code}`)));
  });
}
function health(): Promise<Health> {
  const answer = said<Health>();
  child.send('health');
  return answer;
}

/** Sends so many, some at once, and counts the answers. The first few that are not allowed are told with the seed that leads to them. */
async function deliver(dice: ReturnType<typeof createDice>, many: number, answers: Map<string, number>): Promise<void> {
  let left = many;
  const wrong: string[] = [];
  const one = async (): Promise<void> => {
    while (left > 0 && wrong.length < 20) {
      left -= 1;
      const next = nextCase(dice);
      const answer = (await sender.send(next)).trim();
      if (!next.allowed.includes(answer))
        wrong.push(`${next.name}: "${answer}", not ${next.allowed.join(', ')}: ${shown(next)}`);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  expect(wrong, `with the seed ${SEED}`).toEqual([]);
}

function shown(one: ReturnType<typeof nextCase>): string {
  const { path, headers, body } = 'call' in one ? one.call : { path: '', headers: {}, body: one.raw.bytes };
  return JSON.stringify({ path, headers, body: String(body) }).slice(0, 2_000);
}

it(`answers ${DELIVERIES} malformed deliveries as it may, and keeps nothing of them`, {
  timeout: 300_000,
}, async () => {
  const dice = createDice(SEED);
  const answers = new Map<string, number>();
  await deliver(dice, WARM, answers);
  const warm = await health();
  await deliver(dice, DELIVERIES - WARM, answers);
  const end = await health();
  const table = [...answers].sort().map(([answer, times]) => `${answer}: ${times}`);
  const grown = end.heapUsed - warm.heapUsed + end.external - warm.external;
  console.log(`seed ${SEED}; ${table.join('; ')}; grown ${grown} B of ${warm.heapUsed} B`, { warm, end });

  for (const { errors, polluted } of [warm, end]) expect({ errors, polluted }).toEqual({ errors: [], polluted: [] });
  expect(grown).toBeLessThan(MOST_GROWTH);
  // Nothing of ours holds the process up: the longest turn is that of parsing megabytes, on a machine that does more than this.
  expect(end.p99DelayMs).toBeLessThan(500);
  expect(answers.has('202 accepted')).toBe(false);
  expect([...answers.values()].reduce((sum, times) => sum + times, 0)).toBe(DELIVERIES);
  expect(await leftInRedis()).toEqual([]);

  for (const proof of PROOFS) {
    for (const { event, payload } of eventsOf(proof)) {
      const call = proven(dice, proof, event, Buffer.from(JSON.stringify(payload)));
      expect(await sender.send({ name: event, allowed: [], call }), `a whole ${event} afterwards`).toBe('202 accepted');
    }
  }
  expect((await leftInRedis()).length).toBeGreaterThan(0);
});

/** Marks, mentions and jobs; the bounded history of deliveries does not count. */
async function leftInRedis(): Promise<readonly string[]> {
  const counts = await queue.counts();
  const waiting = counts.ok ? counts.value.filter((one) => one.waiting > 0).map((one) => one.queue) : ['unknown'];
  const keys = await redis.client.keys('hakopod:*');
  return [...waiting, ...keys.filter((key) => /^hakopod:(?:seen|mentioned):/.test(key))];
}
