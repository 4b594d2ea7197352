import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test } from 'vitest';
import { parseSpec, parseSpecJson } from '../../src/spec/index.ts';
import { HOSTILE } from './hostile-texts.ts';

/** MiB the thread has for everything, the code of the parser too; more ends it. */
const HEAP = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 16 };

describe('hostile texts cost little time and memory', () => {
  const worker = new Worker(new URL('./hostile-worker.ts', import.meta.url), { resourceLimits: HEAP });
  const ended = once(worker, 'exit').then(() => Promise.reject(new Error('the thread has ended')));
  ended.catch(() => undefined);
  afterAll(() => worker.terminate());

  test.each(Object.keys(HOSTILE))('%s', async (name) => {
    worker.postMessage(name);
    // a thread that has run out of memory has an error, and answers nothing afterwards
    const [answer] = await Promise.race([once(worker, 'message'), ended]);
    // 1 to 60 ms of processor time on the machine this was written on; the bound catches a change of order, not a busy machine
    expect(answer.ms).toBeLessThan(400);
    expect(answer.problems).toBeLessThan(200);
  });
});

test('a text over the limit is refused before it is read', () => {
  const start = process.cpuUsage();
  expect(parseSpec(`a="${'x'.repeat(50_000_000)}"`)).toMatchObject({
    ok: false,
    problems: [{ code: 'spec_too_large' }],
  });
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(400);
});

test.each<[string, () => unknown]>([
  [
    'wide',
    () => ({ name: 'a', services: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`s${i}`, {}])) }),
  ],
  ['long', () => ({ name: 'a', services: { web: { image: 'a', args: Array(100_000).fill('x') } } })],
  ['deep', () => Array.from({ length: 100_000 }).reduce<unknown>((below) => ({ services: [below] }), 1)],
  ['of unsafe keys', () => JSON.parse(`{"name":"a","services":{"web":[${'{"__proto__":1},'.repeat(50_000)}0]}}`)],
])('JSON that is %s is refused', (_name, raw) => {
  const value = raw();
  const start = process.cpuUsage();
  const result = parseSpecJson(value);
  expect(result.ok ? 0 : result.problems.length).toBeGreaterThan(0);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
});
