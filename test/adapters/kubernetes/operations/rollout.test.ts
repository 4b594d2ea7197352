import { describe, expect, it } from 'vitest';
import { openContext } from '../../../../src/adapters/kubernetes/operations/context.ts';
import { awaitRollout, type Rollout } from '../../../../src/adapters/kubernetes/operations/rollout.ts';
import type { Answer, Manifest } from '../../../../src/kernel/index.ts';
import { shows } from '../../../support/claims.ts';
import { podsFor, rolledOut } from '../../../support/recorded-api.ts';
import { ManualClock, scriptedApi, settled } from '../../../support/scripted-cluster.ts';

const LABELS = { app: 'web' };
const DEPLOYMENT: Manifest = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', generation: 2 },
  spec: {
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};
const READY = rolledOut(DEPLOYMENT);
const status = (fields: object): Manifest => ({ ...DEPLOYMENT, status: { observedGeneration: 2, ...fields } });
const PROGRESSING = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' };
const WAITING = status({ conditions: [PROGRESSING] });
const GAVE_UP = status({ conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] });
const REFUSED = status({ conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }] });
const OWN = { own: { claims: ['data', 'logs'] } };

type Reading = Manifest | { readonly status?: number };
type Setup = Partial<Rollout> & {
  readonly seconds?: number;
  readonly objects?: readonly Manifest[];
  readonly leaveAfter?: number;
};

/** Waits over these readings, one each poll; the last one stays. */
async function wait(readings: readonly Reading[], { seconds = 600, objects = [], leaveAfter, ...rollout }: Setup = {}) {
  const clock = new ManualClock();
  const { api, calls } = scriptedApi({ objects });
  let reads = 0;
  const get: typeof api.get = async (ref, signal) => {
    if (ref.kind !== 'Deployment') return api.get(ref, signal);
    const reading = readings[Math.min(reads, readings.length - 1)] as Reading;
    reads += 1;
    const answer: Answer<Manifest> =
      'kind' in reading ? { ok: true, value: reading as Manifest } : { ok: false, failure: reading };
    return answer;
  };
  const caller = new AbortController();
  const context = openContext(clock, seconds * 1000, caller.signal);
  let isDone = false;
  const subject = { namespace: 'shop', name: 'web', ...rollout };
  const end = awaitRollout({ api: { ...api, get }, clock }, subject, context).finally(() => {
    isDone = true;
  });
  await settled();
  for (let passed = 0; !isDone && passed < seconds + 10; passed += 1) {
    if (passed === leaveAfter) caller.abort();
    await clock.advance(1000);
  }
  context.end();
  return { end: await end, reads, calls };
}

const timedOut = (detail?: string): object => ({
  outcome: 'timed_out',
  code: 'rollout_timeout',
  ...(detail === undefined ? {} : { detail }),
});

describe('a rollout', () => {
  it(`${shows('rollout', 'ready', 'poll')} reads at once and then every two seconds until it is ready`, async () => {
    expect(await wait([READY])).toMatchObject({ end: undefined, reads: 1 });
    expect(await wait([WAITING, WAITING, READY])).toMatchObject({ end: undefined, reads: 3 });
    const { reads } = await wait([WAITING], { seconds: 60 });
    expect(reads).toBe(30);
  });

  it.each([
    { observedGeneration: 1 },
    { replicas: 2 },
    { updatedReplicas: 0 },
    { readyReplicas: 0 },
    { availableReplicas: 0 },
  ])(`${shows('rollout', 'ready')} is not there with %j`, async (fields) => {
    const { end } = await wait([rolledOut(DEPLOYMENT, fields)], { seconds: 20 });
    expect(end).toEqual(timedOut());
  });

  it(`${shows('rollout', 'zero_replicas')} of none is ready when all counts are none`, async () => {
    const none = { ...DEPLOYMENT, spec: { ...(DEPLOYMENT.spec as object), replicas: 0 } };
    expect((await wait([{ ...none, status: { observedGeneration: 2 } }])).end).toBeUndefined();
  });

  it(`${shows('rollout', 'ready')} of ours wants its pods ready and of its template too`, async () => {
    const pods = podsFor([DEPLOYMENT], 'app=web');
    expect((await wait([READY], { ...OWN, objects: pods })).end).toBeUndefined();
    const others: readonly (readonly Manifest[])[] = [
      [],
      [...pods, ...pods],
      pods.map((pod) => ({ ...pod, spec: { containers: [{ name: 'web', image: 'web:0' }] } })),
      pods.map((pod) => ({ ...pod, status: { phase: 'Running' } })),
    ];
    for (const objects of others)
      expect((await wait([READY], { ...OWN, objects, seconds: 10 })).end).toMatchObject({ outcome: 'timed_out' });
  });

  it(`${shows('rollout', 'two_strikes')} fails when two readings in a row say so`, async () => {
    const gaveUp = { outcome: 'failed', code: 'rollout_timeout', detail: 'progressing=ProgressDeadlineExceeded' };
    expect(await wait([WAITING, GAVE_UP])).toMatchObject({ end: gaveUp, reads: 3 });
    expect((await wait([REFUSED])).end).toMatchObject({ outcome: 'failed', detail: 'replicafailure=FailedCreate' });
  });

  it(`${shows('rollout', 'stale_condition')} does not fail for one of the rollout before`, async () => {
    expect((await wait([GAVE_UP, WAITING, GAVE_UP, WAITING, READY])).end).toBeUndefined();
    const stale = { ...GAVE_UP, metadata: { ...GAVE_UP.metadata, generation: 3 } };
    expect((await wait([stale, stale, stale, READY])).end).toBeUndefined();
  });

  it(`${shows('rollout', 'transient_read')} survives readings that are nobody's answer`, async () => {
    const broken = [{}, { status: 429 }, { status: 500 }, { status: 503 }];
    expect((await wait([...broken, READY])).end).toBeUndefined();
    // They do not take the first strike back.
    expect(await wait([GAVE_UP, {}, GAVE_UP])).toMatchObject({ end: { outcome: 'failed' }, reads: 3 });
    const { end } = await wait([WAITING, {}], { seconds: 20 });
    expect(end).toEqual(timedOut('progressing=ReplicaSetUpdated'));
  });

  it(`${shows('rollout', 'permanent_read')} ends at a refusal`, async () => {
    expect((await wait([WAITING, { status: 403 }])).end).toEqual({ outcome: 'denied', code: 'forbidden' });
    const gone = { outcome: 'failed', code: 'runtime_status', detail: '404' };
    expect(await wait([WAITING, { status: 404 }])).toMatchObject({ end: gone, reads: 2 });
  });

  it(`${shows('rollout', 'cancelled')} is unknown when the caller leaves`, async () => {
    expect((await wait([WAITING], { leaveAfter: 7 })).end).toEqual({ outcome: 'unknown', code: 'cancelled' });
  });

  it(`${shows('rollout', 'rollout_timeout')} without one good reading has no reasons`, async () => {
    expect((await wait([{}], { seconds: 20 })).end).toEqual(timedOut());
  });

  it(`${shows('rollout', 'reasons')} says at most three words of letters, in the order of the conditions`, async () => {
    const conditions = [
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
      { type: 'Progressing', status: 'True', reason: 'not a word' },
      { type: 'ReplicaFailure', status: 'False', reason: 'Gone' },
      { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
    ];
    const { end } = await wait([status({ conditions })], { seconds: 10 });
    expect(end).toEqual(timedOut('available=MinimumReplicasUnavailable,progressing=ReplicaSetUpdated'));
    const more = [...conditions, PROGRESSING, PROGRESSING];
    expect((await wait([status({ conditions: more })], { seconds: 10 })).end?.detail?.split(',')).toHaveLength(3);
    const available = [{ type: 'Available', status: 'True', reason: 'Fine' }];
    expect((await wait([status({ conditions: available })], { seconds: 10 })).end).toEqual(timedOut());
  });

  const object = (kind: string, name: string, own: object, metadata: object = {}): Manifest =>
    ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'shop', ...metadata }, status: own }) as Manifest;
  const stuck = (name: string, reason: string, creationTimestamp: string): Manifest =>
    object(
      'Pod',
      name,
      { containerStatuses: [{ state: { running: {} } }, { state: { waiting: { reason } } }] },
      { creationTimestamp },
    );

  it(`${shows('rollout', 'claim_reason', 'pod_reason')} names claims that are not bound and what the newest pod waits for`, async () => {
    const objects = [
      object('PersistentVolumeClaim', 'data', { phase: 'Pending' }),
      object('PersistentVolumeClaim', 'logs', { phase: 'Bound' }),
      stuck('new', 'ImagePullBackOff', '2026-11-29T12:00:01Z'),
      stuck('old', 'CrashLoopBackOff', '2026-11-29T12:00:00Z'),
    ];
    const { end } = await wait([WAITING], { ...OWN, objects, seconds: 10 });
    expect(end).toEqual(timedOut('progressing=ReplicaSetUpdated,claim=Pending,pod=ImagePullBackOff'));
    const lost = [object('PersistentVolumeClaim', 'data', { phase: 'Lost' })];
    expect((await wait([GAVE_UP], { ...OWN, objects: lost })).end?.detail).toBe(
      'progressing=ProgressDeadlineExceeded,claim=Lost',
    );
    // Only of what we rendered.
    expect((await wait([WAITING], { objects, seconds: 10 })).end).toEqual(timedOut('progressing=ReplicaSetUpdated'));
  });
});
