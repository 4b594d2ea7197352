import { fail, ok, problem, type Result } from '../../src/kernel/index.ts';
import { PRODUCER_DEADLINE_MS } from './connection.ts';

/**
 * Runs one exchange with Redis under the producers' deadline. A client that is not ready fails at once. After a timeout the
 * exchange may still have happened; for a queued hint that is harmless.
 */
export async function guarded<T>(status: () => string, exchange: () => Promise<T>): Promise<Result<T>> {
  if (status() !== 'ready') return fail(problem('queue_unavailable'));
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Result<T>>((resolve) => {
    timer = setTimeout(
      () => resolve(fail(problem('queue_unavailable', 'Redis did not answer in time'))),
      PRODUCER_DEADLINE_MS,
    );
  });
  const outcome = exchange().then(ok, (cause: unknown) => fail(problem('queue_unavailable', undefined, { cause })));
  try {
    return await Promise.race([outcome, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
