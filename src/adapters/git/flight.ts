import { fail, type Result } from '../../kernel/index.ts';
import { cancelled } from './http.ts';

/** Milliseconds a call of the port may take (ports/git.ts). */
export const DEADLINE_MS = 30_000;

/**
 * Runs `work` with a signal that ends with one of the outer signals or after `ms`, and answers `git_unavailable` at that moment even
 * when `work` does not notice. Leaves no timer and no listener behind.
 */
export async function withDeadline<T>(
  ms: number,
  outer: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<Result<T>>,
): Promise<Result<T>> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(() => controller.abort(new DOMException('deadline', 'TimeoutError')), ms);
  for (const signal of outer) {
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  }
  try {
    return controller.signal.aborted
      ? fail(cancelled(controller.signal))
      : await orAborted(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of outer) signal?.removeEventListener('abort', stop);
  }
}

/** The result of `work`, or the reason's problem as soon as the signal ends. */
export async function orAborted<T>(work: Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>> {
  let stop: () => void = () => {};
  const aborted = new Promise<Result<T>>((resolve) => {
    stop = () => resolve(fail(cancelled(signal)));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Flight<T> = { readonly result: Promise<Result<T>>; readonly controller: AbortController; waiters: number };

/** Work that several callers want at the same time and that is done once. It is aborted when the last of them has left. */
export class SharedFlights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result<T>>): Promise<Result<T>> {
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.waiters += 1;
    try {
      return await orAborted(flight.result, signal);
    } finally {
      flight.waiters -= 1;
      if (flight.waiters === 0) this.#end(key, flight);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result<T>>): Flight<T> {
    const controller = new AbortController();
    const result = withDeadline(DEADLINE_MS, [controller.signal], work);
    const flight: Flight<T> = { result, controller, waiters: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  #end(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
    flight.controller.abort();
  }
}
