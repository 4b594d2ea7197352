import { describe, expect, it } from 'vitest';
import { refOf } from '../../src/kernel/index.ts';
import {
  cleanupExcess,
  closedIngresses,
  inventoryEntry,
  pruneSet,
  snapshotsInUse,
  stalePolicies,
} from '../../src/reconcile/index.ts';
import { allObjects } from '../../src/render/index.ts';
import { inputFor, rendered, SHOP } from '../render/fixture.ts';
import { MARKET } from '../render/market.ts';
import { fixtureOf } from './fixture.ts';

const objects = allObjects(rendered());
const inventory = objects.map((object) =>
  inventoryEntry({ ...object, metadata: { ...object.metadata, uid: `uid-${object.metadata.name}` } }),
);
const none = new Set<string>();
const names = (entries: readonly { kind: string; name: string }[]): string[] =>
  entries.map((e) => `${e.kind}/${e.name}`);

describe('pruneSet', () => {
  it('keeps everything that is still rendered', () => {
    expect(pruneSet({ inventory, rendered: objects.map(refOf), renderedOk: true, snapshotsInUse: none })).toEqual([]);
  });

  it('removes a service that left, in order, and nothing of the others', () => {
    const rest = SHOP.replace(/\n\[services\.web\][\s\S]*?\n\n(?=\[services\.worker\])/, '\n');
    const left = allObjects(rendered(inputFor(rest))).map(refOf);
    expect(names(pruneSet({ inventory, rendered: left, renderedOk: true, snapshotsInUse: none }))).toEqual([
      'Ingress/web',
      'Service/web',
      'Deployment/web',
      'NetworkPolicy/hakopod-acme-http01',
      'NetworkPolicy/hakopod-service-web',
    ]);
  });

  it('never removes claims, namespaces or quotas, nor anything of a kind it does not know', () => {
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'x', name: 'db-data', uid: 'u' };
    const more = [...inventory, claim, { ...claim, kind: 'ClusterRole' }];
    const kinds = new Set(
      pruneSet({ inventory: more, rendered: [], renderedOk: true, snapshotsInUse: none }).map((e) => e.kind),
    );
    expect([...kinds]).toEqual(['Ingress', 'Service', 'Deployment', 'Job', 'Secret', 'NetworkPolicy']);
    const market = allObjects(rendered(inputFor(MARKET))).map((object) => inventoryEntry(object));
    const all = pruneSet({ inventory: market, rendered: [], renderedOk: true, snapshotsInUse: none });
    expect([...new Set(all.map(({ kind }) => kind))]).toEqual([
      'Ingress',
      'Service',
      'HorizontalPodAutoscaler',
      'CronJob',
      'Deployment',
      'Job',
      'ConfigMap',
      'Secret',
      'NetworkPolicy',
    ]);
  });

  it('removes nothing when rendering failed', () => {
    expect(pruneSet({ inventory, rendered: [], renderedOk: false, snapshotsInUse: none })).toEqual([]);
  });

  it('keeps a Secret that a pod still reads, and all of them when nobody knows', () => {
    const kept = (used: ReadonlySet<string> | undefined): string[] =>
      names(pruneSet({ inventory, rendered: [], renderedOk: true, snapshotsInUse: used })).filter((n) =>
        n.startsWith('Secret'),
      );
    const { answer } = fixtureOf('Deployment/api');
    const spec = (answer.spec as { template: { spec: object } }).template.spec;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
    const api = 'api-environment-de95b6e17447e878';
    expect([...snapshotsInUse([pod])]).toEqual([`Secret/${api}`]);
    expect([...snapshotsInUse([answer])]).toEqual([`Secret/${api}`]);
    expect(kept(snapshotsInUse([pod]))).toEqual(['Secret/migrate-environment-1edf8df94acebd65']);
    expect(kept(none)).toHaveLength(2);
    expect(kept(undefined)).toEqual([]);
  });

  it('finds every reader: variables, files, schedules, and what a patch may add', () => {
    const market = allObjects(rendered(inputFor(MARKET)));
    const snapshots = market.filter(({ kind }) => kind === 'Secret' || kind === 'ConfigMap');
    expect([...snapshotsInUse(market)].sort()).toEqual(
      snapshots.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort(),
    );
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        imagePullSecrets: [{ name: 'pull' }],
        volumes: [
          {
            name: 'v',
            projected: { sources: [{ secret: { name: 'p-secret' } }, { configMap: { name: 'p-config' } }] },
          },
        ],
        initContainers: [
          { envFrom: [{ secretRef: { name: 'from-secret' } }, { configMapRef: { name: 'from-config' } }] },
        ],
        containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'key-config' } } }] }],
      },
    };
    expect([...snapshotsInUse([pod])].sort()).toEqual([
      'ConfigMap/from-config',
      'ConfigMap/key-config',
      'ConfigMap/p-config',
      'Secret/from-secret',
      'Secret/p-secret',
      'Secret/pull',
    ]);
  });

  it('tells the stale policies, which leave early', () => {
    const prune = pruneSet({ inventory, rendered: [], renderedOk: true, snapshotsInUse: none });
    expect(stalePolicies(prune).every((e) => e.kind === 'NetworkPolicy')).toBe(true);
    expect(stalePolicies(prune).length).toBe(7);
  });

  it('tells the Ingresses of services that stay, which close early', () => {
    const entry = (kind: string, name: string) => ({ apiVersion: 'a/v1', kind, namespace: 'n', name, uid: name });
    const prune = [entry('Ingress', 'stays'), entry('Ingress', 'goes'), entry('Service', 'stays')];
    const closed = closedIngresses(prune, { services: { stays: {} } });
    expect(closed.map(({ kind, name }) => `${kind}/${name}`)).toEqual(['Ingress/stays']);
  });
});

describe('cleanupExcess', () => {
  const many = (kind: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ apiVersion: 'v1', kind, metadata: { name: `n${n}` } }));

  it.each([
    ['Job', 200],
    ['CronJob', 20],
    ['Deployment', 100],
  ])('looks at %s objects up to %i, and refuses more', (kind, limit) => {
    const others = [...many('Pod', 500), ...many('ConfigMap', 300)];
    expect(cleanupExcess([...others, ...many(kind, limit)])).toBeUndefined();
    expect(cleanupExcess([...others, ...many(kind, limit + 1)])).toMatchObject({
      code: 'cleanup_limit',
      message: `there are ${limit + 1} ${kind}s of it; at most ${limit} are looked at`,
    });
  });
});
