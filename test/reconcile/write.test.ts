import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import {
  adoptable,
  decideDelete,
  decideWrite,
  drift,
  inventoryEntry,
  type Owner,
  recorded,
  sealed,
} from '../../src/reconcile/index.ts';
import { ID } from '../render/fixture.ts';
import { fixtureOf, ownerOf } from './fixture.ts';
import { HARMLESS, MUTATIONS, mutated } from './mutations.ts';

const { desired, answer: live } = fixtureOf('Deployment/api');
const owner = ownerOf(live);
const stranger: Owner = { ...owner, inventory: [] };

function withMeta(manifest: Manifest, change: Partial<Manifest['metadata']>): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, ...change } };
}
function writtenBy(operation: string): Manifest {
  return withMeta(live, { annotations: { ...live.metadata.annotations, 'hakopod.io/operation': operation } });
}
function without(manifest: Manifest, label: string): Manifest {
  const labels = { ...manifest.metadata.labels };
  delete labels[label];
  return withMeta(manifest, { labels });
}

describe('decideWrite', () => {
  it('creates what is not there', () => {
    expect(decideWrite({ desired, live: undefined, owner })).toEqual({ action: 'create', manifest: desired });
  });

  it('writes nothing when nothing differs', () => {
    expect(decideWrite({ desired, live, owner })).toEqual({ action: 'none', adopt: false });
  });

  it.each(MUTATIONS.map((m) => [`${m.object}: ${m.title}`, m] as const))('decides for %s', (_title, mutation) => {
    const { desired: wanted, answer } = fixtureOf(mutation.object);
    const changed = mutated(answer, mutation);
    const decision = decideWrite({ desired: wanted, live: changed, owner: ownerOf(answer) });
    expect(decision).toMatchObject({ action: mutation.expect, adopt: false });
    if (decision.action !== 'replace') return;
    expect(decision.manifest.metadata).toMatchObject({
      uid: answer.metadata.uid,
      resourceVersion: answer.metadata.resourceVersion,
    });
    expect(drift(wanted, decision.manifest)).toEqual([]);
  });

  it('pins an apply to the live uid', () => {
    const scaled = mutated(live, { change: (o) => (o.spec.replicas = 7) });
    const decision = decideWrite({ desired, live: scaled, owner });
    expect(decision.action === 'apply' && decision.manifest.metadata.uid).toBe(live.metadata.uid);
  });

  it('carries over what others may keep, and what the server assigned, in a replacement', () => {
    const extra = MUTATIONS.find((m) => m.title === 'an extra container')!;
    const touched = HARMLESS.filter((m) => m.object === 'Deployment/api').reduce(mutated, mutated(live, extra));
    const decision = decideWrite({ desired, live: withMeta(touched, { finalizers: ['example.com/wait'] }), owner });
    const manifest = decision.action === 'replace' ? decision.manifest : undefined;
    expect(manifest?.metadata).toMatchObject({
      annotations: { 'deployment.kubernetes.io/revision': '4' },
      labels: { team: 'red' },
      finalizers: ['example.com/wait'],
    });
    expect(JSON.stringify(manifest)).toContain('kubectl.kubernetes.io/restartedAt');
    const service = fixtureOf('Service/api');
    const opened = mutated(service.answer, { change: (o) => (o.spec.externalIPs = ['198.51.100.7']) });
    const put = decideWrite({ desired: service.desired, live: opened, owner: ownerOf(service.answer) });
    const spec = put.action === 'replace' ? (put.manifest.spec as Record<string, unknown>) : {};
    expect(spec.clusterIP).toBe((service.answer.spec as Record<string, unknown>).clusterIP);
    expect(spec.externalIPs).toEqual([]);
  });

  it('keeps an autoscaler’s replicas in a replacement', () => {
    const { replicas: _, ...spec } = desired.spec as Record<string, unknown>;
    const scaled = mutated(live, {
      change: (o) => {
        o.spec.replicas = 7;
        o.spec.paused = true;
      },
    });
    const decision = decideWrite({ desired: { ...desired, spec }, live: scaled, owner });
    expect(decision.action === 'replace' && (decision.manifest.spec as { replicas: number }).replicas).toBe(7);
  });

  it('takes back a plain annotation or label that an earlier release set', () => {
    const plain = withMeta(desired, {
      annotations: { ...desired.metadata.annotations, 'example.com/note': 'x' },
      labels: { ...desired.metadata.labels, team: 'blue' },
    });
    const before = { ...live, metadata: { ...live.metadata, ...sealed(plain).metadata } } as Manifest;
    const now = withMeta(before, {
      uid: live.metadata.uid!,
      resourceVersion: '7',
      annotations: { ...before.metadata.annotations, 'other.com/kept': 'y' },
    });
    expect(decideWrite({ desired: plain, live: now, owner })).toEqual({ action: 'none', adopt: false });
    const decision = decideWrite({ desired, live: now, owner });
    const manifest = decision.action === 'replace' ? decision.manifest : undefined;
    expect(manifest?.metadata.annotations).toHaveProperty(['other.com/kept']);
    expect(manifest?.metadata.annotations).not.toHaveProperty(['example.com/note']);
    expect(manifest?.metadata.labels).not.toHaveProperty('team');
    expect(manifest?.metadata.annotations).not.toHaveProperty(['hakopod.io/set-keys']);
    expect(drift(desired, manifest!)).toEqual([]);
  });

  it('takes back one of several, which an apply might leave', () => {
    const two = withMeta(desired, { annotations: { ...desired.metadata.annotations, 'a.com/x': '1', 'b.com/y': '2' } });
    const one = withMeta(desired, { annotations: { ...desired.metadata.annotations, 'a.com/x': '1' } });
    const before = withMeta(live, { annotations: sealed(two).metadata.annotations! });
    const decision = decideWrite({ desired: one, live: before, owner });
    expect(decision.action).toBe('replace');
    expect(decision.action === 'replace' && decision.manifest.metadata.annotations).not.toHaveProperty(['b.com/y']);
  });

  it('refuses a snapshot whose content is not the one its name stands for', () => {
    const secret = fixtureOf('Secret/api-environment-de95b6e17447e878');
    const forged = { ...secret.answer, data: { DATABASE_URL: 'eA==', SIGNING: 'eA==' } };
    expect(decideWrite({ desired: secret.desired, live: forged, owner: ownerOf(secret.answer) })).toMatchObject({
      action: 'refuse',
      problem: { code: 'not_owned' },
    });
  });

  it('waits for an object that is being deleted', () => {
    const deleting = withMeta(live, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(decideWrite({ desired, live: deleting, owner })).toMatchObject({
      action: 'refuse',
      problem: { code: 'conflict', kind: 'transient' },
    });
  });
});

describe('ownership (invariant 8)', () => {
  it.each<[string, Manifest, Owner]>([
    ['without the managed-by label', without(live, 'app.kubernetes.io/managed-by'), owner],
    ['without the application label', without(live, 'hakopod.io/application-id'), owner],
    [
      'of another application',
      withMeta(live, { labels: { ...live.metadata.labels, 'hakopod.io/application-id': 'f'.repeat(32) } }),
      owner,
    ],
    ['with our labels but no release of ours', withMeta(live, { annotations: {} }), stranger],
    ['written by another application’s release', writtenBy('acme.production.other.1'), stranger],
    ['written by a later release', writtenBy('acme.production.shop.4'), stranger],
    ['with a forged operation', writtenBy('acme.production.shop.-1'), stranger],
    ['with the name of our application inside another', writtenBy('x.acme.production.shop.1'), stranger],
  ])('refuses an object %s', (_title, object, by) => {
    const differs = mutated(object, { change: (o) => (o.spec.replicas = 7) });
    for (const candidate of [object, differs]) {
      expect(decideWrite({ desired, live: candidate, owner: by })).toMatchObject({
        action: 'refuse',
        problem: { code: 'not_owned', kind: 'rejected' },
      });
    }
    expect(adoptable([object], by)).toEqual([]);
  });

  it('adopts what a release of this application made and did not live to record', () => {
    for (const operation of ['acme.production.shop.3', 'acme.production.shop.1']) {
      const orphan = writtenBy(operation);
      expect(decideWrite({ desired, live: orphan, owner: stranger })).toEqual({ action: 'none', adopt: true });
      expect(adoptable([orphan], stranger)).toEqual([orphan]);
    }
    const again = withMeta(live, { uid: 'recreated' });
    expect(decideWrite({ desired, live: again, owner })).toEqual({ action: 'none', adopt: true });
    expect(adoptable([live], owner)).toEqual([]);
  });

  it('deletes only what is on record, with our labels and the same uid', () => {
    const entry = inventoryEntry(live);
    expect(decideDelete({ entry, live, owner })).toBe('delete');
    expect(decideDelete({ entry, live: undefined, owner })).toBe('gone');
    expect(decideDelete({ entry, live: withMeta(live, { uid: 'other' }), owner })).toBe('refuse');
    expect(decideDelete({ entry, live: without(live, 'hakopod.io/application-id'), owner })).toBe('refuse');
    expect(decideDelete({ entry, live, owner: stranger })).toBe('refuse');
    expect(decideDelete({ entry, live: withMeta(live, { name: 'web' }), owner })).toBe('refuse');
  });

  it('records an object once, with its newest uid, in a stable order', () => {
    const service = fixtureOf('Service/api').answer;
    const first = recorded(recorded([], live), service);
    expect(recorded(recorded([], service), live)).toEqual(first);
    const renewed = recorded(first, withMeta(live, { uid: 'new' }));
    expect(renewed.map((e) => e.uid).sort()).toEqual([service.metadata.uid, 'new'].sort());
    expect(inventoryEntry(live)).toMatchObject({ kind: 'Deployment', name: 'api', namespace: `hp-${ID}` });
  });
});
