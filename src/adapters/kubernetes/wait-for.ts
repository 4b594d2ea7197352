import { fail, type Manifest, ok, type Problem, type Result } from '../../kernel/index.ts';
import type { Cluster, Log } from '../../ports/index.ts';
import { WatchCache } from './cache.ts';
import type { Client } from './client.ts';
import { listAll } from './list.ts';
import type { WatchTuning } from './watch.ts';

export type WaitDeps = {
  readonly client: Client;
  readonly log: Log;
  readonly tuning: WatchTuning;
  readonly random: () => number;
};
type WaitRequest<T> = Omit<Parameters<Cluster['waitFor']>[0], 'judge'> & {
  readonly judge: (objects: readonly Manifest[]) => T | undefined;
};

/** A watch can be silently behind, so the objects are read again this often (facts 3.7). */
const REREAD_MS = 2000;

/**
 * Waits until `judge` answers. The watches bring changes at once; every 2 s the objects are listed beside them and judged too. A
 * problem is answered only when the objects could never be read and a person must act, or the deadline passed without one look.
 */
export async function waitFor<T>(deps: WaitDeps, request: WaitRequest<T>): Promise<Result<T | undefined>> {
  const { clock } = deps.client;
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  if (request.signal?.aborted === true || request.deadline.getTime() <= clock.now().getTime()) return ok(undefined);
  request.signal?.addEventListener('abort', stop, { once: true });
  void clock.sleep(request.deadline.getTime() - clock.now().getTime(), ended.signal).then(stop);
  const caches = request.queries.map((query) => new WatchCache({ ...deps, query }));
  try {
    return await new Promise((resolve, reject) => {
      const wait = new Wait(request, { resolve, reject });
      ended.signal.addEventListener('abort', () => wait.end(), { once: true });
      for (const cache of caches) cache.onChange(() => wait.schedule(caches));
      void Promise.all(caches.map((cache) => cache.whenSynced(ended.signal)))
        .then(() => wait.schedule(caches))
        .catch(() => undefined); // only when the wait is over
      void reread(deps, wait, ended.signal).catch(reject);
    });
  } finally {
    stop();
    request.signal?.removeEventListener('abort', stop);
    await Promise.all(caches.map((cache) => cache.stop()));
  }
}

async function reread<T>(deps: WaitDeps, wait: Wait<T>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await deps.client.clock.sleep(REREAD_MS, signal);
    if (signal.aborted) return;
    const listings = await Promise.all(wait.request.queries.map((query) => listAll(deps.client, query, signal)));
    const failed = listings.find((listing) => !listing.ok);
    if (failed !== undefined && !failed.ok) wait.unreadable(failed.problem);
    else wait.judge(listings.flatMap((listing) => (listing.ok ? listing.value.items : [])));
  }
}

type Settle<T> = {
  readonly resolve: (result: Result<T | undefined>) => void;
  readonly reject: (bug: unknown) => void;
};

class Wait<T> {
  readonly request: WaitRequest<T>;
  readonly #settle: Settle<T>;
  #over = false;
  #judged = false;
  #scheduled = false;
  #problem: Problem | undefined;

  constructor(request: WaitRequest<T>, settle: Settle<T>) {
    this.request = request;
    this.#settle = settle;
  }

  /** Judges once after a burst of events, and never before every query has been listed. */
  schedule(caches: readonly WatchCache[]): void {
    if (this.#scheduled || !caches.every((cache) => cache.synced)) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.judge(caches.flatMap((cache) => cache.items()));
    });
  }

  judge(objects: readonly Manifest[]): void {
    if (this.#over) return;
    this.#judged = true;
    try {
      const verdict = this.request.judge(objects);
      if (verdict !== undefined) this.#finish(ok(verdict));
    } catch (bug) {
      this.#over = true;
      this.#settle.reject(bug);
    }
  }

  unreadable(problem: Problem): void {
    this.#problem = problem;
    if (!this.#judged && problem.kind === 'rejected') this.#finish(fail(problem));
  }

  end(): void {
    const aborted = this.request.signal?.aborted === true;
    this.#finish(this.#judged || aborted || this.#problem === undefined ? ok(undefined) : fail(this.#problem));
  }

  #finish(result: Result<T | undefined>): void {
    this.#over = true;
    this.#settle.resolve(result);
  }
}
