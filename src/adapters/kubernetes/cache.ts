import type { Manifest, Problem } from '../../kernel/index.ts';
import type { ListQuery, Log, ObjectCache, WatchEvent } from '../../ports/index.ts';
import type { Client } from './client.ts';
import { listAll } from './list.ts';
import { type WatchTuning, watchOnce } from './watch.ts';

export type CacheOptions = {
  readonly client: Client;
  readonly query: ListQuery;
  readonly log: Log;
  readonly tuning: WatchTuning;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
};

/**
 * List and watch, over and over, until `stop`. The library's informer stops for good at most errors; this one knows no error that
 * ends it. A watch that ended as agreed goes on where it was; after any failure everything is listed anew, because the server
 * that comes back may have another history. The difference between the old and the new list is told as events.
 */
export class WatchCache implements ObjectCache {
  readonly #options: CacheOptions;
  readonly #log: Log;
  readonly #objects = new Map<string, Manifest>();
  readonly #listeners = new Set<(event: WatchEvent) => void>();
  readonly #waiting = new Set<() => void>();
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;
  #synced = false;
  #items: readonly Manifest[] | undefined;
  #problem: Problem | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#log = options.log.with({ kind: options.query.kind });
    this.#done = this.#run();
  }

  get synced(): boolean {
    return this.#synced;
  }

  /** Why the list or watch does not work at the moment. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(settle);
        signal?.removeEventListener('abort', settle);
        if (this.#synced) resolve();
        else reject(new Error('the cache was stopped before its first list'));
      };
      if (signal?.aborted === true || this.#stopped.signal.aborted) return settle();
      this.#waiting.add(settle);
      signal?.addEventListener('abort', settle, { once: true });
    });
  }

  items(): readonly Manifest[] {
    this.#items ??= [...this.#objects.values()];
    return this.#items;
  }

  get(name: string, namespace?: string): Manifest | undefined {
    return this.#objects.get(keyOf(name, namespace ?? this.#options.query.namespace));
  }

  onChange(listener: (event: WatchEvent) => void): () => void {
    // a wrapper, so that one function registered twice is two listeners
    const own = (event: WatchEvent): void => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const settle of [...this.#waiting]) settle();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { tuning, random, client } = this.#options;
    const { signal } = this.#stopped;
    let from: string | undefined;
    let pause = tuning.backoffMs;
    while (!signal.aborted) {
      const started = performance.now();
      const round = await this.#round(from);
      from = round.from;
      if (signal.aborted) return;
      // a watch that lived or brought something was good; a short, silent one must not become a busy loop
      if (round.good || performance.now() - started > tuning.backoffMaxMs) pause = tuning.backoffMs;
      else pause = Math.min(pause * 2, tuning.backoffMaxMs);
      if (!round.good || round.from === undefined) await client.clock.sleep(pause * (0.5 + random() / 2), signal);
    }
  }

  /** One list where needed, and one watch. Answers where the next may go on. */
  async #round(from: string | undefined): Promise<{ readonly from: string | undefined; readonly good: boolean }> {
    const { client, query, tuning, random } = this.#options;
    const { signal } = this.#stopped;
    let position = from;
    if (position === undefined) {
      const listing = await listAll(client, query, signal);
      if (!listing.ok) {
        this.#troubled(listing.problem);
        return { from: undefined, good: false };
      }
      if (signal.aborted) return { from: undefined, good: false };
      this.#replaceAll(listing.value.items);
      position = listing.value.resourceVersion;
    }
    const onOpen = (): void => this.#recovered();
    const onEvent = (event: WatchEvent): void => this.#take(event);
    const end = await watchOnce(client, { query, from: position, tuning, random, signal, onOpen, onEvent });
    if (end.how === 'failed') this.#troubled(end.problem);
    return { from: end.how === 'ended' ? end.resourceVersion : undefined, good: end.events > 0 };
  }

  #replaceAll(items: readonly Manifest[]): void {
    const fresh = new Set<string>();
    for (const object of items) {
      fresh.add(keyOf(object.metadata.name, object.metadata.namespace));
      this.#take({ type: 'modified', object });
    }
    for (const [key, object] of [...this.#objects]) if (!fresh.has(key)) this.#take({ type: 'deleted', object });
    this.#synced = true;
    for (const settle of [...this.#waiting]) settle();
  }

  #take(event: WatchEvent): void {
    if (this.#stopped.signal.aborted) return;
    const { object } = event;
    const key = keyOf(object.metadata.name, object.metadata.namespace);
    const known = this.#objects.get(key);
    if (event.type === 'deleted') {
      if (!this.#objects.delete(key)) return;
    } else {
      if (known !== undefined && isSame(known, object)) return;
      this.#objects.set(key, object);
    }
    this.#items = undefined;
    const type = event.type === 'deleted' ? 'deleted' : known === undefined ? 'added' : 'modified';
    for (const listener of [...this.#listeners]) this.#tell(listener, { type, object });
  }

  #tell(listener: (event: WatchEvent) => void, event: WatchEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.#log.error('a listener of a cache threw', { error });
    }
  }

  #troubled(trouble: Problem): void {
    if (this.#stopped.signal.aborted) return;
    if (this.#problem === undefined)
      this.#log.warn('watch interrupted, trying again', { code: trouble.code, cause: trouble.cause });
    this.#problem = trouble;
  }

  #recovered(): void {
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#log.info('watch recovered');
  }
}

function keyOf(name: string, namespace: string | undefined): string {
  return `${namespace ?? ''}/${name}`;
}

function isSame(a: Manifest, b: Manifest): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
