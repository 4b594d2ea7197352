import type { AccessStore } from '../adapters/store/index.ts';
import type { Store } from '../ports/index.ts';

/** The watches of everything that is kept, shared by the roles of this process. */
export type Caches = {
  readonly isSynced: () => boolean;
  /** Resolves when every cache has listed once, or with false when `stop` came first. */
  readonly synced: Promise<boolean>;
  /** Ends the waiting for the first lists. */
  giveUp(): void;
};

/** The caches fill in the background: a cluster that is away makes a worker unready and the API answer so, but neither dies of it. */
export function startCaches(store: Store, access: AccessStore): Caches {
  const caching = new AbortController();
  let isSynced = false;
  const synced = Promise.all([store.start(caching.signal), access.start(caching.signal)]).then(
    () => {
      isSynced = true;
      return true;
    },
    () => false,
  );
  return { synced, isSynced: () => isSynced, giveUp: () => caching.abort() };
}
