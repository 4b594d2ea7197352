import { describe, expect, it } from 'vitest';
import {
  containerStatuses,
  isOwnedBy,
  MANAGED_BY,
  type Manifest,
  newestPod,
  reasonWord,
  refKey,
  withAssigned,
  withoutAssigned,
} from '../../src/kernel/index.ts';

function object(kind: string, spec: object, metadata: object = {}): Manifest {
  return { apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, spec };
}

describe('ownership', () => {
  const labels = { ...MANAGED_BY, 'hakopod.io/instance': 'i' };

  it('needs every label, with its value', () => {
    expect(isOwnedBy(object('Pod', {}, { labels: { ...labels, other: 'x' } }), labels)).toBe(true);
    expect(isOwnedBy(object('Pod', {}, { labels: MANAGED_BY }), labels)).toBe(false);
    expect(isOwnedBy(object('Pod', {}, { labels: { ...labels, 'hakopod.io/instance': 'j' } }), labels)).toBe(false);
  });

  it('is nobody’s without labels on either side, and none of a prototype', () => {
    expect(isOwnedBy(object('Pod', {}), labels)).toBe(false);
    expect(isOwnedBy(object('Pod', {}, { labels }), {})).toBe(false);
    expect(isOwnedBy(undefined, labels)).toBe(false);
    const inherited = Object.create(labels) as Record<string, string>;
    expect(isOwnedBy(object('Pod', {}, { labels: inherited }), labels)).toBe(false);
  });
});

describe('what the API server chooses', () => {
  const live = object('Service', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'], ipFamilies: ['IPv4'], type: 'X' });

  it('is kept by a full write, and nothing else of the live object', () => {
    expect(withAssigned(object('Service', { ports: [] }), live).spec).toEqual({
      ports: [],
      clusterIP: '10.0.0.9',
      clusterIPs: ['10.0.0.9'],
      ipFamilies: ['IPv4'],
    });
    const job = { template: { metadata: { labels: { 'job-name': 'a', mine: 'x' } } }, selector: { x: 'y' } };
    const wanted = object('Job', { template: { metadata: { labels: { service: 's' } } } });
    expect(withAssigned(wanted, object('Job', job)).spec).toEqual({
      template: { metadata: { labels: { service: 's', 'job-name': 'a' } } },
      selector: { x: 'y' },
    });
  });

  it('gives way to what is asked for, and can be left to the server', () => {
    const asked = object('Service', { clusterIP: '10.0.0.1' });
    expect(withAssigned(asked, live).spec).toMatchObject({ clusterIP: '10.0.0.1' });
    expect(withAssigned(withoutAssigned(asked), live).spec).toMatchObject({ clusterIP: '10.0.0.9' });
    expect(withoutAssigned(live).spec).toEqual({ type: 'X' });
  });
});

describe('words about objects', () => {
  it('repeat a reason only when it is one word of letters', () => {
    expect(['CrashLoopBackOff', 'two words', 'x'.repeat(65), 'a1', '', 5].map(reasonWord)).toEqual([
      'CrashLoopBackOff',
      ...[undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  it('choose the newest pod whatever the order, and look at what starts first first', () => {
    const pod = (name: string, creationTimestamp: string): Manifest => object('Pod', {}, { name, creationTimestamp });
    const pods = [pod('b', '2026-01-02'), pod('c', '2026-01-03'), pod('d', '2026-01-03'), pod('a', '2026-01-01')];
    expect([newestPod(pods), newestPod([...pods].reverse())].map((one) => one?.metadata.name)).toEqual(['d', 'd']);
    expect(newestPod([])).toBeUndefined();
    const status = { containerStatuses: [{ name: 'b' }], initContainerStatuses: [{ name: 'a' }] };
    expect(containerStatuses({ status }).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('name an object across the versions of its kind, in its namespace', () => {
    const ref = { kind: 'Deployment', namespace: 'n', name: 'a' };
    expect(refKey({ ...ref, apiVersion: 'apps/v1' })).toBe(refKey({ ...ref, apiVersion: 'apps/v1beta1' }));
    expect(refKey({ ...ref, apiVersion: 'apps/v1' })).not.toBe(refKey({ ...ref, apiVersion: 'v1' }));
    expect(refKey({ ...ref, apiVersion: 'v1' })).not.toBe(refKey({ ...ref, apiVersion: 'v1', namespace: 'm' }));
  });
});
