import { describe, expect, it } from 'vitest';
import { createCollection } from '../../../src/adapters/store/collection.ts';
import { SOURCE } from '../../../src/adapters/store/decode.ts';
import { createStore } from '../../../src/adapters/store/index.ts';
import { fail, type Manifest, ok, problem } from '../../../src/kernel/index.ts';
import type { Cluster, GitSource, ObjectCache, WatchEvent } from '../../../src/ports/index.ts';
import { memoryLog } from '../../support/kubernetes.ts';
import { newApplication, newSource } from '../../support/resources.ts';

/** A cluster whose caches a test feeds by hand. */
function handFed() {
  const listeners: ((event: WatchEvent) => void)[] = [];
  const cache: ObjectCache = {
    synced: true,
    whenSynced: async () => undefined,
    items: () => [],
    get: () => undefined,
    onChange: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
    stop: async () => undefined,
  };
  const emit = (type: WatchEvent['type'], object: Manifest): void => {
    for (const listener of listeners) listener({ type, object });
  };
  return { cluster: { cache: () => cache } as unknown as Cluster, emit };
}

function stored(name: string, ref: string, resourceVersion = '1'): Manifest {
  const { spec } = newSource(name, 'shop', ref);
  return { apiVersion: 'hakopod.io/v1', kind: 'GitSource', metadata: { name, namespace: 'ns', resourceVersion }, spec };
}

describe('a collection', () => {
  it('decodes each version once, however often it is read, and leaves out what does not match', () => {
    const { cluster, emit } = handFed();
    const log = memoryLog();
    let decoded = 0;
    const codec = {
      kind: SOURCE.kind,
      decode: (object: Manifest) => {
        decoded += 1;
        return SOURCE.decode(object);
      },
    };
    const collection = createCollection<GitSource>({ cluster, namespace: 'ns', codec, log });
    collection.start();
    for (let i = 0; i < 1000; i += 1) emit('added', stored(`s${i}`, 'refs/heads/main'));
    for (let i = 0; i < 100; i += 1) collection.all();
    expect(collection.all()).toHaveLength(1000);
    expect(collection.all()).toBe(collection.all());
    expect(collection.cached('s7')).toBe(collection.cached('s7'));
    expect(decoded).toBe(1000);

    emit('modified', { ...stored('s7', 'refs/heads/main', '2'), spec: { repository: 7 } });
    expect(collection.cached('s7')).toBeUndefined();
    expect(collection.all()).toHaveLength(999);
    expect(log.lines).toMatchObject([{ level: 'warn', message: 'object skipped', fields: { code: 'invalid_object' } }]);
    emit('modified', stored('s7', 'refs/heads/main', '3'));
    expect(collection.cached('s7')?.resourceVersion).toBe('3');
  });

  it('tolerates fields it does not know, and a status that is not there', () => {
    const object: Manifest = { ...stored('s', 'refs/heads/main'), surprise: 1 };
    const decoded = SOURCE.decode({ ...object, spec: { ...(object.spec as object), future: true } });
    expect(decoded).toMatchObject({
      ok: true,
      value: { status: {}, annotations: {}, finalizers: [], deleting: false },
    });
  });

  it('survives a listener that throws, and tells the others', () => {
    const { cluster, emit } = handFed();
    const log = memoryLog();
    const collection = createCollection<GitSource>({ cluster, namespace: 'ns', codec: SOURCE, log });
    collection.start();
    const told: string[] = [];
    collection.onChange(() => {
      throw new Error('a bug');
    });
    const off = collection.onChange((name) => told.push(name));
    emit('added', stored('s', 'refs/heads/main'));
    off();
    emit('deleted', stored('s', 'refs/heads/main'));
    expect(told).toEqual(['s']);
    expect(log.lines.map((line) => line.message)).toContain('a listener of the store threw');
  });
});

describe('the store', () => {
  it('finds the sources of a ref without looking at the others', async () => {
    const { cluster, emit } = handFed();
    const store = createStore({ cluster, namespace: 'ns', log: memoryLog() });
    await store.start();
    const some = stored('x', 'refs/heads/x');
    for (let i = 0; i < 4000; i += 1) emit('added', stored(`s${i}`, `refs/heads/b${i % 2000}`));
    emit('added', some);
    expect(store.sourcesOf('shop', 'refs/heads/b5').map((s) => s.name)).toEqual(['s5', 's2005']);
    const started = performance.now();
    for (let i = 0; i < 10_000; i += 1) store.sourcesOf('shop', 'refs/heads/b5');
    // looking at all 4,000 each time takes seconds
    expect(performance.now() - started).toBeLessThan(500);
  });

  function racing(conflicts: number) {
    const { spec } = newApplication('a.b.c');
    let version = 1;
    let reads = 0;
    const versions: (string | undefined)[] = [];
    const cluster = {
      get: async () => {
        reads += 1;
        return ok({
          apiVersion: 'hakopod.io/v1',
          kind: 'Application',
          metadata: { name: 'a.b.c', resourceVersion: String(version) },
          spec,
        });
      },
      replace: async (manifest: Manifest) => {
        versions.push(manifest.metadata.resourceVersion);
        version += 1;
        return versions.length <= conflicts ? fail(problem('conflict')) : ok(manifest);
      },
    } as unknown as Cluster;
    const store = createStore({ cluster, namespace: 'ns', log: memoryLog() });
    return { store, versions, reads: () => reads };
  }

  it('reads anew after each conflict, ten times at most', async () => {
    const won = racing(9);
    expect((await won.store.applications.updateStatus('a.b.c', () => ({ revision: 1 }))).ok).toBe(true);
    expect(won.versions).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    const lost = racing(99);
    const result = await lost.store.applications.updateStatus('a.b.c', () => ({ revision: 1 }));
    expect(result.ok ? 'ok' : result.problem.code).toBe('conflict');
    expect(lost.reads()).toBe(10);
  });
});
