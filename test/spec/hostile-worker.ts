import { parentPort } from 'node:worker_threads';
import { parseSpec } from '../../src/spec/index.ts';
import { HOSTILE } from './hostile-texts.ts';

/** Parses the text of each name it gets and answers with the number of problems and the milliseconds of processor time. */
parentPort?.on('message', (name: string) => {
  const before = process.threadCpuUsage();
  const result = parseSpec(HOSTILE[name] ?? '');
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage({ problems: result.ok ? 0 : result.problems.length, ms: (user + system) / 1000 });
});
