import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import {
  claimChange,
  decideWrite,
  drift,
  heldBack,
  keepForeignReplicas,
  keepReplicas,
} from '../../src/reconcile/index.ts';
import { fixtureOf, ownerOf } from './fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
type Loose = any;
const replicasOf = (manifest: Manifest): number => (manifest.spec as Loose).replicas;

function withSpec(manifest: Manifest, change: object): Manifest {
  return { ...manifest, spec: { ...(manifest.spec as object), ...change } };
}

describe('a claim', () => {
  const { desired, answer } = fixtureOf('PersistentVolumeClaim/hakopod-volume-media');
  const bound: Manifest = {
    ...withSpec(answer, { volumeName: 'pv-1', storageClassName: 'standard' }),
    metadata: {
      ...answer.metadata,
      uid: 'u',
      finalizers: ['kubernetes.io/pvc-protection'],
      annotations: { ...answer.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' },
    },
    status: { phase: 'Bound' },
  };

  it('is as wanted once it is bound and has the default class', () => {
    expect(drift(desired, bound)).toEqual([]);
    expect(claimChange(desired, bound)).toBeUndefined();
    expect(claimChange(desired, undefined)).toBeUndefined();
  });

  it.each([
    ['size', { resources: { requests: { storage: '6Gi' } } }],
    ['class', { storageClassName: 'other' }],
    ['access mode', { accessModes: ['ReadWriteMany'] }],
  ])('refuses another %s, by its place in the file', (_what, change) => {
    const refused = { code: 'volume_change', at: 'volumes.media' };
    expect(claimChange(withSpec(desired, change), bound)).toMatchObject(refused);
    const decision = decideWrite({ desired: withSpec(desired, change), live: bound, owner: ownerOf(bound) });
    expect(decision).toMatchObject({ action: 'refuse', problem: refused });
  });

  it('is named by its service when it is the service’s own', () => {
    const own = fixtureOf('PersistentVolumeClaim/pg-data');
    const other = withSpec(own.desired, { resources: { requests: { storage: '3Gi' } } });
    expect(claimChange(other, own.answer)?.at).toBe('services.pg.volume');
  });

  it('keeps its volume and class when it is replaced', () => {
    const marked = {
      ...bound,
      metadata: { ...bound.metadata, labels: { ...bound.metadata.labels, 'hakopod.io/x': '1' } },
    };
    const decision = decideWrite({ desired, live: marked, owner: ownerOf(marked) });
    expect(decision).toMatchObject({
      action: 'replace',
      manifest: {
        metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
        spec: { volumeName: 'pv-1', storageClassName: 'standard' },
      },
    });
  });

  it('of another spelling of the same size is the same', () => {
    expect(claimChange(desired, withSpec(bound, { resources: { requests: { storage: '5120Mi' } } }))).toBeUndefined();
  });
});

describe('keepReplicas', () => {
  const { desired, answer } = fixtureOf('Deployment/front');
  const autoscaler = fixtureOf('HorizontalPodAutoscaler/front').desired;

  it.each([
    [4, 4],
    [1, 2],
    [9, 5],
    [0, 2],
  ])('goes on from %i with %i', (now, next) => {
    expect(replicasOf(keepReplicas(desired, withSpec(answer, { replicas: now }), autoscaler))).toBe(next);
  });

  it('begins where the file says, and leaves those alone that nobody scales', () => {
    expect(replicasOf(keepReplicas(desired, undefined, autoscaler))).toBe(2);
    expect(replicasOf(keepReplicas(desired, withSpec(answer, { replicas: 4 }), undefined))).toBe(2);
  });
});

describe('keepForeignReplicas', () => {
  const { desired, answer } = fixtureOf('Deployment/api');
  const wanted = replicasOf(desired);
  const scaledBy = (manager: string, subresource: string | undefined, field = 'f:replicas'): Manifest => ({
    ...withSpec(answer, { replicas: 7 }),
    metadata: {
      ...answer.metadata,
      managedFields: [{ manager, subresource, operation: 'Update', fieldsV1: { 'f:spec': { [field]: {} } } }],
    },
  });

  it('leaves the replicas to an autoscaler, whoever made it', () => {
    expect(replicasOf(keepForeignReplicas(desired, scaledBy('kube-controller-manager', 'scale')))).toBe(7);
  });

  it.each([
    ['a person who scales', scaledBy('kubectl', 'scale')],
    ['a controller that writes the object', scaledBy('kube-controller-manager', undefined)],
    ['an autoscaler that owns something else', scaledBy('kube-controller-manager', 'scale', 'f:paused')],
    ['nobody', withSpec(answer, { replicas: 7 })],
    ['an object that is not there', undefined],
  ])('leaves them not to %s', (_, live) => {
    expect(replicasOf(keepForeignReplicas(desired, live))).toBe(wanted);
  });
});

describe('heldBack', () => {
  const { desired, answer } = fixtureOf('CronJob/nightly-cron');
  const suspended = (manifest: Manifest): boolean => (manifest.spec as Loose).suspend;

  it('suspends a schedule that is new or changes, and no other', () => {
    expect(suspended(heldBack(desired, undefined))).toBe(true);
    expect(suspended(heldBack(withSpec(desired, { schedule: '0 0 * * *' }), answer))).toBe(true);
    expect(suspended(heldBack(desired, answer))).toBe(false);
  });

  it('does not take the attempt that created it for a change', () => {
    const annotations = { ...desired.metadata.annotations, 'hakopod.io/job-creation': 'another' };
    expect(drift({ ...desired, metadata: { ...desired.metadata, annotations } }, answer)).toEqual([]);
  });

  it('keeps the mark of the attempt that created it when something else changes', () => {
    const annotations = { ...answer.metadata.annotations, 'hakopod.io/job-creation': 'first' };
    const live = { ...answer, metadata: { ...answer.metadata, uid: 'u', annotations } };
    const decision = decideWrite({ desired: withSpec(desired, { schedule: '0 0 * * *' }), live, owner: ownerOf(live) });
    expect(decision).toMatchObject({
      action: 'apply',
      manifest: { metadata: { annotations: { 'hakopod.io/job-creation': 'first' } } },
    });
  });
});
