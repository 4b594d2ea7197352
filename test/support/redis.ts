import { createLog } from '../../src/adapters/log/index.ts';
import { type PrivateRedis, startPrivateRedis } from '../../src/adapters/redis/index.ts';
import type { Log, Metrics } from '../../src/ports/index.ts';

/** A real Redis for one test file; stop it in `afterAll`. */
export async function testRedis(): Promise<PrivateRedis> {
  const started = await startPrivateRedis();
  if (!started.ok) throw new Error(started.problem.message);
  return started.value;
}

/** A log that says nothing. */
export function silentLog(): Log {
  return createLog('silent');
}

/** Metrics that count nothing. */
export function noMetrics(): Metrics {
  return { delivery: () => {}, stage: () => {}, release: () => {}, grants: () => {} };
}

/** Asks until the answer is true; fails the test when it never becomes so. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 15_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A promise and its `open`: lets a test decide when a handler goes on. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}
