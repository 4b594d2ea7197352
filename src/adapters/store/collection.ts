import type { Manifest, Result } from '../../kernel/index.ts';
import {
  type Cluster,
  type Collection,
  GROUP_VERSION,
  type Log,
  type ObjectCache,
  type Resource,
} from '../../ports/index.ts';
import { decodeOrSkip, type KindCodec } from './decode.ts';
import { objectsOf, type StatusGuard } from './objects.ts';

type AnyResource = Resource<unknown, unknown>;

export type CollectionOptions<R extends AnyResource> = {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly codec: KindCodec<R>;
  readonly log: Log;
  readonly guard?: StatusGuard<R>;
  /** The cache shows what this process wrote as soon as the API server took it, without waiting for the watch. */
  readonly ownWritesAtOnce?: true;
  /** Told before the listeners: what stood under this name, and what stands now. */
  readonly index?: (before: R | undefined, after: R | undefined) => void;
};

/** A collection and the life of its cache. */
export type CachedCollection<R extends AnyResource> = Collection<R> & {
  start(): ObjectCache;
  stop(): Promise<void>;
};

/**
 * Objects of one kind with a decoded cache: each version of an object is decoded once, when the watch brings it. An object that
 * does not match its schema is logged and left out, as if it were not there.
 */
export function createCollection<R extends AnyResource>(options: CollectionOptions<R>): CachedCollection<R> {
  const { cluster, codec, namespace, log } = options;
  const objects = objectsOf(options);
  const resources = new Map<string, R>();
  const listeners = new Set<(name: string) => void>();
  let all: readonly R[] | undefined;
  let cache: ObjectCache | undefined;

  const put = (name: string, after: R | undefined): void => {
    const before = resources.get(name);
    if (after === undefined) resources.delete(name);
    else resources.set(name, after);
    all = undefined;
    options.index?.(before, after);
    for (const listener of [...listeners]) tell(listener, name, log);
  };
  const take = (object: Manifest, deleted: boolean): void => {
    const { name } = object.metadata;
    const after = deleted ? undefined : decodeOrSkip(codec, object, log);
    // The watch may still be telling of a version before one we wrote.
    const isStale = options.ownWritesAtOnce === true && after !== undefined && isOlder(after, resources.get(name));
    if (!isStale) put(name, after);
  };

  const show = <T extends Result<R>>(written: T): T => {
    if (written.ok && !isOlder(written.value, resources.get(written.value.name)))
      put(written.value.name, written.value);
    return written;
  };
  const writes: Partial<typeof objects> =
    options.ownWritesAtOnce === undefined
      ? {}
      : {
          create: async (resource) => show(await objects.create(resource)),
          update: async (name, change) => show(await objects.update(name, change)),
          updateStatus: async (name, change) => show(await objects.updateStatus(name, change)),
          delete: async (name, uid) => {
            const gone = await objects.delete(name, uid);
            if (gone.ok && resources.get(name)?.uid === uid) put(name, undefined);
            return gone;
          },
        };

  return {
    ...objects,
    ...writes,
    cached: (name) => resources.get(name),
    all: () => {
      all ??= [...resources.values()];
      return all;
    },
    onChange: (listener) => {
      const own = (name: string): void => listener(name);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    start: () => {
      if (cache !== undefined) return cache;
      cache = cluster.cache({ apiVersion: GROUP_VERSION, kind: codec.kind, namespace });
      // objects that were there before we listened, then every change
      for (const object of cache.items()) take(object, false);
      cache.onChange((event) => take(event.object, event.type === 'deleted'));
      return cache;
    },
    stop: async () => {
      await cache?.stop();
      cache = undefined;
    },
  };
}

/** Versions of one object are numbers that grow (Kubernetes 1.35 promises it). */
export function isOlder(
  one: { readonly uid: string; readonly resourceVersion: string },
  other: { readonly uid: string; readonly resourceVersion: string } | undefined,
): boolean {
  return other !== undefined && one.uid === other.uid && Number(one.resourceVersion) < Number(other.resourceVersion);
}

function tell(listener: (name: string) => void, name: string, log: Log): void {
  try {
    listener(name);
  } catch (error) {
    log.error('a listener of the store threw', { error });
  }
}
