import type { Clock } from '../../../ports/index.ts';

/** How long something may take, under whoever asked for it. */
export interface Context {
  /** Aborts when the time is over or the caller has left. */
  readonly signal: AbortSignal;
  /** `cancelled`: the caller left first. `expired`: the time was over first, here or further up. */
  state(): 'live' | 'cancelled' | 'expired';
  /** Frees the timer; the signal aborts. */
  end(): void;
}

/** Opens a context of `ms` under the caller's signal or another context; a parent that has ended ends it at once. */
export function openContext(clock: Clock, ms: number, parent?: AbortSignal | Context): Context {
  const abort = new AbortController();
  const signal = parent === undefined || parent instanceof AbortSignal ? parent : parent.signal;
  let state: ReturnType<Context['state']> = 'live';
  const stop = (why: typeof state): void => {
    if (abort.signal.aborted) return;
    state = why;
    abort.abort();
    signal?.removeEventListener('abort', onParent);
  };
  const onParent = (): void =>
    stop(parent !== undefined && !(parent instanceof AbortSignal) ? parent.state() : 'cancelled');
  signal?.addEventListener('abort', onParent, { once: true });
  if (signal?.aborted === true) onParent();
  if (!abort.signal.aborted) {
    if (ms <= 0) stop('expired');
    // The end of the wait may also be ours, by `end`: then it is too late to say anything.
    else void clock.sleep(ms, abort.signal).then(() => stop('expired'));
  }
  return { signal: abort.signal, state: () => state, end: () => stop(state) };
}
