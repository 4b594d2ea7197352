import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest, Result } from '../../src/kernel/index.ts';
import type { WatchEvent } from '../../src/ports/index.ts';
import { type ClusterUnderTest, eventually } from '../support/kubernetes.ts';

/** Tests an implementation can not pass, by title, and why. */
export type Skips = { readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[] };

/** `it`, or a loud skip for the titles an implementation declared. */
export function testsWith(options: Skips): (title: string, body: () => Promise<void>) => void {
  return (title, body) => {
    const skipped = options.skip?.find((skip) => skip.tests.includes(title));
    if (skipped === undefined) it(title, body);
    else it.skip(`${title} (${skipped.reason})`, body);
  };
}

/** Unwraps a success. */
export function must<T>(result: Result<T>): T {
  if (!result.ok)
    throw new Error(`${result.problem.code}: ${result.problem.message} ${JSON.stringify(result.problem.cause)}`);
  return result.value;
}

function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.problem.code;
}

/** What every implementation of the `Cluster` port does, through the same client. */
export function describeClusterContract(
  name: string,
  factory: () => Promise<ClusterUnderTest>,
  options: Skips = {},
): void {
  const test = testsWith(options);
  describe(`cluster contract: ${name}`, () => {
    let under: ClusterUnderTest;
    beforeAll(async () => {
      under = await factory();
    });
    afterAll(() => under.close());

    const configMap = (
      mapName: string,
      data: Record<string, string> = {},
      labels: Record<string, string> = {},
    ): Manifest => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: mapName, namespace: under.namespace, labels },
      data,
    });
    const ref = (mapName: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: under.namespace,
      name: mapName,
    });
    const query = (labelSelector: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: under.namespace,
      labelSelector,
    });

    test('creates, reads, and answers undefined for what is not there', async () => {
      const made = must(await under.cluster.create(configMap('create', { a: '1' })));
      expect(made.metadata.uid).toMatch(/./);
      expect(must(await under.cluster.get(ref('create')))).toMatchObject({ data: { a: '1' } });
      expect(must(await under.cluster.get(ref('absent')))).toBeUndefined();
      expect(codeOf(await under.cluster.create(configMap('create')))).toBe('already_exists');
    });

    test('refuses a write at a stale resourceVersion', async () => {
      const first = must(await under.cluster.create(configMap('stale', { a: '1' })));
      const second = must(await under.cluster.replace({ ...first, data: { a: '2' } }));
      expect(codeOf(await under.cluster.replace({ ...first, data: { a: '3' } }))).toBe('conflict');
      const patch = { metadata: { resourceVersion: first.metadata.resourceVersion }, data: { a: '4' } };
      expect(codeOf(await under.cluster.mergePatch(ref('stale'), patch))).toBe('conflict');
      const fresh = { metadata: { resourceVersion: second.metadata.resourceVersion }, data: { b: '5' } };
      expect(must(await under.cluster.mergePatch(ref('stale'), fresh))).toMatchObject({ data: { a: '2', b: '5' } });
    });

    test('answers not_found for writes to what is not there', async () => {
      expect(codeOf(await under.cluster.mergePatch(ref('absent'), { data: {} }))).toBe('not_found');
      expect(codeOf(await under.cluster.replace(configMap('absent')))).toBe('not_found');
      const elsewhere = { ...configMap('x'), metadata: { name: 'x', namespace: 'no-such-namespace' } };
      expect(codeOf(await under.cluster.create(elsewhere))).toBe('not_found');
    });

    test('deletes only at the given uid and version, and is content when the object is gone', async () => {
      const made = must(await under.cluster.create(configMap('delete')));
      const propagation = 'Background';
      const other = '00000000-0000-0000-0000-000000000000';
      must(await under.cluster.delete(ref('delete'), { uid: other, propagation }));
      expect(must(await under.cluster.get(ref('delete')))?.metadata.uid).toBe(made.metadata.uid);
      const stale = { uid: made.metadata.uid!, resourceVersion: '1', propagation } as const;
      expect(codeOf(await under.cluster.delete(ref('delete'), stale))).toBe('conflict');
      must(await under.cluster.delete(ref('delete'), { uid: made.metadata.uid!, propagation }));
      must(await under.cluster.delete(ref('delete'), { uid: made.metadata.uid!, propagation }));
      expect(must(await under.cluster.get(ref('delete')))).toBeUndefined();
    });

    test('applies: creates, changes only on difference, removes what it owned', async () => {
      const first = must(await under.cluster.apply(configMap('apply', { a: '1', b: '2' })));
      const again = must(await under.cluster.apply(configMap('apply', { a: '1', b: '2' })));
      expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      const dry = must(await under.cluster.apply(configMap('apply', { a: '9' }), { dryRun: true }));
      expect(dry).toMatchObject({ data: { a: '9' } });
      expect(must(await under.cluster.get(ref('apply')))).toMatchObject({ data: { a: '1', b: '2' } });
      const less = must(await under.cluster.apply(configMap('apply', { a: '1' })));
      expect(less.data).toEqual({ a: '1' });
    });

    test('keeps the `from` of a NetworkPolicy, on create and on apply', async () => {
      const from = [{ podSelector: { matchLabels: { app: 'web' } } }];
      const policy = (policyName: string): Manifest => ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: policyName, namespace: under.namespace },
        spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from }] },
      });
      must(await under.cluster.create(policy('created')));
      must(await under.cluster.apply(policy('applied')));
      for (const policyName of ['created', 'applied']) {
        const { apiVersion, kind } = policy(policyName);
        const live = must(await under.cluster.get({ apiVersion, kind, namespace: under.namespace, name: policyName }));
        expect((live!.spec as { ingress: unknown }).ingress).toEqual([{ from }]);
      }
    });

    test('refuses an unknown field as invalid, for good', async () => {
      const wrong = { ...configMap('strict'), nonsense: true };
      expect(codeOf(await under.cluster.apply(wrong))).toBe('invalid_object');
      expect(codeOf(await under.cluster.create(wrong))).toBe('invalid_object');
    });

    test('refuses an invalid value and a change of an immutable field', async () => {
      const job = (image: string): Manifest => ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'immutable', namespace: under.namespace },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image }] } } },
      });
      must(await under.cluster.apply(job('a:1')));
      expect(codeOf(await under.cluster.apply(job('b:1')))).toBe('invalid_object');
      expect(codeOf(await under.cluster.create(configMap('Not A Name')))).toBe('invalid_object');
    });

    test('refuses kinds and names that are not ours to touch', async () => {
      expect(codeOf(await under.cluster.get({ apiVersion: 'v1', kind: 'Binding', namespace: 'a', name: 'b' }))).toBe(
        'invalid_object',
      );
      expect(codeOf(await under.cluster.get(ref('../../../../api/v1/nodes')))).toBe('invalid_object');
      expect(codeOf(await under.cluster.get({ ...ref('a'), namespace: '..' }))).toBe('invalid_object');
    });

    test('lists by label, every page, with kind and apiVersion on each object', async () => {
      const names = Array.from({ length: 520 }, (_, i) => `page-${i}`);
      for (let i = 0; i < names.length; i += 40)
        await Promise.all(
          names.slice(i, i + 40).map(async (n) => must(await under.cluster.create(configMap(n, {}, { set: 'pages' })))),
        );
      const items = must(await under.cluster.list(query('set=pages')));
      expect(items).toHaveLength(520);
      expect(new Set(items.map((item) => `${item.apiVersion} ${item.kind}`))).toEqual(new Set(['v1 ConfigMap']));
      const metadata = must(await under.cluster.list({ ...query('set=pages'), metadataOnly: true }));
      expect(metadata).toHaveLength(520);
      expect(Object.keys(metadata[0]!).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
      expect(metadata[0]!.kind).toBe('ConfigMap');
    });

    test('keeps a cache current', async () => {
      const before = must(await under.cluster.create(configMap('cache-0', { v: '0' }, { set: 'cache' })));
      const cache = under.cluster.cache(query('set=cache'));
      const events: WatchEvent[] = [];
      cache.onChange(() => {
        throw new Error('a listener that throws harms nobody');
      });
      const off = cache.onChange((event) => events.push(event));
      await cache.whenSynced();
      expect(cache.get('cache-0', under.namespace)).toMatchObject({ kind: 'ConfigMap', data: { v: '0' } });
      const made = must(await under.cluster.create(configMap('cache-1', {}, { set: 'cache' })));
      await eventually(() => cache.items().length === 2);
      must(await under.cluster.replace({ ...before, data: { v: '1' } }));
      await eventually(() => (cache.get('cache-0')!.data as { v: string }).v === '1');
      must(await under.cluster.delete(ref('cache-1'), { uid: made.metadata.uid!, propagation: 'Background' }));
      await eventually(() => cache.items().length === 1);
      must(await under.cluster.mergePatch(ref('cache-0'), { metadata: { labels: { set: null } } }));
      await eventually(() => cache.items().length === 0, 'leaving the selector');
      expect(events.map((event) => `${event.type} ${event.object.metadata.name}`)).toEqual([
        'added cache-0',
        'added cache-1',
        'modified cache-0',
        'deleted cache-1',
        'deleted cache-0',
      ]);
      off();
      await cache.stop();
    });

    test('waits for a verdict, and for a deadline', async () => {
      const wait = under.cluster.waitFor({
        queries: [query('set=wait')],
        judge: (objects) => (objects.length === 2 ? objects.map((o) => o.metadata.name).sort() : undefined),
        deadline: new Date(Date.now() + 20_000),
      });
      must(await under.cluster.create(configMap('wait-1', {}, { set: 'wait' })));
      must(await under.cluster.create(configMap('wait-2', {}, { set: 'wait' })));
      expect(must(await wait)).toEqual(['wait-1', 'wait-2']);
      const never = { queries: [query('set=none')], judge: () => undefined };
      expect(must(await under.cluster.waitFor({ ...never, deadline: new Date(Date.now() + 150) }))).toBeUndefined();
      const signal = AbortSignal.timeout(100);
      const deadline = new Date(Date.now() + 60_000);
      expect(must(await under.cluster.waitFor({ ...never, deadline, signal }))).toBeUndefined();
    });
  });
}
