/*
 * Parses every hostile text a few times in a process of its own, and prints the milliseconds of the processor each took at best, beside what a
 * fixed piece of work took.
 */
import { createHash } from 'node:crypto';
import { parseSpec } from '../../src/spec/index.ts';
import { HOSTILE } from './hostile-texts.ts';

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

const small = 'name = "a"\n[services.web]\nimage = "a"\nport = 80\n[services.web.env]\nA = "b"\n';
for (let i = 0; i < 200; i += 1) parseSpec(small);
const data = Buffer.alloc(32 * 1024 ** 2);
const reference = best(() => createHash('sha256').update(data).digest());
const times = Object.entries(HOSTILE).map(([name, text]) => [name, best(() => parseSpec(text))]);
console.log(JSON.stringify({ reference, times: Object.fromEntries(times) }));
