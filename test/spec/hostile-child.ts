/*
 * Parses hostile texts in a process of its own. With a name: that text once, in whatever heap the parent allows; an engine without room kills
 * its process. Without: every text a few times. Prints the heap in use before, and the milliseconds of the processor each took at best, in
 * units of which a fixed piece of work takes `reference`.
 */
import { createHash } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { parseSpec } from '../../src/spec/index.ts';
import { HOSTILE } from '../support/hostile-texts.ts';

const RUNS = 5;

/** The best of some runs; time of this thread, so that others on the computer do not count. */
function best(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const start = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

const [, , name] = process.argv;
const small = 'name = "a"\n[services.web]\nimage = "a"\nport = 80\n[services.web.env]\nA = "b"\n';
for (let i = 0; i < 200; i += 1) parseSpec(small);
globalThis.gc?.();
const heap = getHeapStatistics().used_heap_size;
if (name !== undefined) {
  const text = HOSTILE[name];
  if (text !== undefined) parseSpec(text);
  console.log(JSON.stringify({ heap }));
} else {
  const data = Buffer.alloc(32 * 1024 ** 2);
  const reference = best(() => createHash('sha256').update(data).digest());
  const times = Object.entries(HOSTILE).map(([key, text]) => [key, best(() => parseSpec(text))]);
  console.log(JSON.stringify({ heap, reference, times: Object.fromEntries(times) }));
}
