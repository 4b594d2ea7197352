import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rollingBounds } from '../../../src/adapters/embedded/controllers/rolling.ts';
import {
  BEHAVIOUR,
  type Behaviour,
  type EmbeddedCluster,
  startEmbeddedCluster,
} from '../../../src/adapters/embedded/index.ts';
import { apply, type Body, call, configMap, deployment, job, until } from './fixtures.ts';

const APPS = '/apis/apps/v1/namespaces/default';
const WEB = `${APPS}/deployments/web`;
const JOB = '/apis/batch/v1/namespaces/default/jobs/once';
const PODS = '/api/v1/namespaces/default/pods';

let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = await startEmbeddedCluster({ delays: { deadlineSecondMs: 20 } });
});
afterEach(() => cluster.stop());

function condition(body: Body, type: string): Body | undefined {
  const conditions = body.status?.conditions ?? [];
  return conditions.find((one) => String(one.type) === type);
}
const reason = (body: Body, type: string): string => String(condition(body, type)?.reason);
const isRolledOut = (body: Body): boolean =>
  Number(body.status?.observedGeneration) === Number(body.metadata.generation) &&
  reason(body, 'Progressing') === 'NewReplicaSetAvailable';
const pods = async (selector: string): Promise<readonly Body[]> =>
  (await call(cluster, 'GET', `${PODS}?labelSelector=${encodeURIComponent(selector)}`)).body.items;
const ofImage = (list: readonly Body[], image: string): readonly Body[] =>
  list.filter((pod) => JSON.stringify(pod.spec).includes(`"${image}"`));
const told = (behaviour: Behaviour): object => ({
  replicas: 1,
  selector: { matchLabels: { app: 'web' } },
  progressDeadlineSeconds: 2,
  template: {
    metadata: { labels: { app: 'web' }, annotations: { [BEHAVIOUR]: JSON.stringify(behaviour) } },
    spec: { containers: [{ name: 'app', image: 'example.org/app:1' }] },
  },
});

describe('deployments', () => {
  it('report as the real controller does when all replicas are available', async () => {
    await apply(cluster, WEB, deployment('web', { spec: { replicas: 3, minReadySeconds: 2 } }));
    const body = await until(cluster, WEB, isRolledOut);
    expect(body.status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(body.status).not.toHaveProperty('unavailableReplicas');
    expect(condition(body, 'Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
    const running = await pods('app=web');
    expect(running.map((pod) => String(pod.status?.phase))).toEqual(['Running', 'Running', 'Running']);
    expect(running[0]!.metadata).toMatchObject({ ownerReferences: [{ kind: 'ReplicaSet', controller: true }] });
  });

  it('replace pods on a new template, and keep the old ones available until then', async () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await apply(cluster, WEB, deployment('web', { spec: { replicas: 2, strategy } }));
    await until(cluster, WEB, isRolledOut);
    cluster.setBehaviour({ 'example.org/app:2': { kind: 'hang' } });
    await apply(cluster, WEB, deployment('web', { image: 'example.org/app:2', spec: { replicas: 2, strategy } }));
    const stuck = await until(
      cluster,
      WEB,
      (body) => Number(body.status?.updatedReplicas) === 1 && Number(body.status?.replicas) === 3,
    );
    expect(stuck.status).toMatchObject({ observedGeneration: 2, availableReplicas: 2, unavailableReplicas: 1 });
    expect(ofImage(await pods('app=web'), 'example.org/app:1')).toHaveLength(2);
    cluster.setBehaviour({});
    await until(cluster, WEB, isRolledOut);
    const left = await pods('app=web');
    expect(ofImage(left, 'example.org/app:2')).toHaveLength(2);
    expect(left).toHaveLength(2);
  });

  it('recreate: no new pod beside an old one', async () => {
    const strategy = { type: 'Recreate' };
    await apply(cluster, WEB, deployment('web', { spec: { strategy } }));
    await until(cluster, WEB, isRolledOut);
    let most = 0;
    const timer = setInterval(() => {
      const running = cluster.objects().filter(({ kind }) => kind === 'Pod');
      most = Math.max(most, running.length);
    }, 1);
    await apply(cluster, WEB, deployment('web', { image: 'example.org/app:2', spec: { strategy } }));
    await until(cluster, WEB, isRolledOut);
    clearInterval(timer);
    expect(most).toBe(1);
    expect(ofImage(await pods('app=web'), 'example.org/app:2')).toHaveLength(1);
  });

  it('recreate: wait for an old pod that something holds', async () => {
    const spec = { strategy: { type: 'Recreate' } };
    await apply(cluster, WEB, deployment('web', { spec }));
    await until(cluster, WEB, isRolledOut);
    const old = `${PODS}/${(await pods('app=web'))[0]!.metadata.name}`;
    const type = 'application/merge-patch+json';
    await call(cluster, 'PATCH', old, { body: { metadata: { finalizers: ['example.org/hold'] } }, type });
    await apply(cluster, WEB, deployment('web', { image: 'example.org/app:2', spec }));
    await until(cluster, old, (pod) => pod.metadata.deletionTimestamp !== undefined);
    await until(cluster, WEB, (body) => Number(body.status?.observedGeneration) === 2);
    expect(ofImage(await pods('app=web'), 'example.org/app:2')).toEqual([]);
    await call(cluster, 'PATCH', old, { body: { metadata: { finalizers: null } }, type });
    await until(cluster, WEB, isRolledOut);
    expect(ofImage(await pods('app=web'), 'example.org/app:2')).toHaveLength(1);
  });

  it('follow replicas, and keep no more old ReplicaSets than the history limit', async () => {
    for (const image of ['a:1', 'a:2', 'a:3', 'a:4', 'a:5']) {
      await apply(cluster, WEB, deployment('web', { image, spec: { revisionHistoryLimit: 2 } }));
      await until(cluster, WEB, isRolledOut);
    }
    await until(cluster, `${APPS}/replicasets`, (body) => body.items.length === 3);
    const rolled = (await call(cluster, 'GET', WEB)).body;
    expect(rolled.metadata).toMatchObject({ annotations: { 'deployment.kubernetes.io/revision': '5' } });
    await call(cluster, 'PATCH', `${WEB}/scale`, {
      body: { spec: { replicas: 0 } },
      type: 'application/merge-patch+json',
    });
    await until(cluster, WEB, (body) => isRolledOut(body) && body.status?.replicas === undefined);
    expect(await pods('app=web')).toEqual([]);
  });

  it.each<[string, Behaviour, (pod: Body) => unknown, unknown]>([
    [
      'an image that can not be pulled',
      { kind: 'fail', reason: 'ImagePullBackOff' },
      waitingReason,
      'ImagePullBackOff',
    ],
    ['a crash', { kind: 'fail', reason: 'CrashLoopBackOff', exitCode: 3 }, waitingReason, 'CrashLoopBackOff'],
    ['a crash with its exit code', { kind: 'fail', reason: 'CrashLoopBackOff', exitCode: 3 }, exitCode, 3],
    [
      'no node to run on',
      { kind: 'fail', reason: 'Unschedulable' },
      (pod) => reason(pod, 'PodScheduled'),
      'Unschedulable',
    ],
    ['a service that never becomes ready', { kind: 'hang' }, (pod) => reason(pod, 'Ready'), 'ContainersNotReady'],
  ])('show %s, and exceed their progress deadline', async (_name, behaviour, look, expected) => {
    await apply(cluster, WEB, { ...deployment('web'), spec: told(behaviour) });
    const body = await until(cluster, WEB, (one) => reason(one, 'Progressing') === 'ProgressDeadlineExceeded');
    expect(condition(body, 'Progressing')).toMatchObject({ status: 'False' });
    expect(condition(body, 'Available')).toMatchObject({ status: 'False' });
    expect(look((await pods('app=web'))[0]!)).toBe(expected);
  });

  it('become ready late when told to', async () => {
    cluster.setBehaviour({ 'default/web': { kind: 'delay', ms: 60 } });
    const start = performance.now();
    await apply(cluster, WEB, deployment('web'));
    await until(cluster, WEB, isRolledOut);
    expect(performance.now() - start).toBeGreaterThan(50);
  });

  it('report pods that admission refuses', async () => {
    cluster.setAdmission(({ object }) => (object.kind === 'Pod' ? 'exceeded quota: pods' : undefined));
    await apply(cluster, WEB, deployment('web'));
    const body = await until(cluster, WEB, (one) => condition(one, 'ReplicaFailure') !== undefined);
    expect(condition(body, 'ReplicaFailure')).toMatchObject({ status: 'True', reason: 'FailedCreate' });
    cluster.setAdmission(undefined);
    const healed = await until(cluster, WEB, isRolledOut);
    expect(condition(healed, 'ReplicaFailure')).toBeUndefined();
  });
});

describe('rolling bounds', () => {
  it.each([
    ['25%', '25%', 4, { surge: 1, unavailable: 1 }],
    ['25%', '25%', 1, { surge: 1, unavailable: 0 }],
    [1, 0, 3, { surge: 1, unavailable: 0 }],
    [0, 0, 3, { surge: 0, unavailable: 1 }],
  ])('surge %s, unavailable %s of %i', (maxSurge, maxUnavailable, replicas, expected) => {
    expect(rollingBounds({ replicas, strategy: { rollingUpdate: { maxSurge, maxUnavailable } } })).toEqual(expected);
  });
});

function status(pod: Body): Body {
  return pod.status!.containerStatuses![0]!;
}
function waitingReason(pod: Body): unknown {
  return status(pod).state?.waiting?.reason;
}
function exitCode(pod: Body): unknown {
  return status(pod).lastState?.terminated?.exitCode;
}

describe('jobs', () => {
  it('succeed', async () => {
    await apply(cluster, JOB, job('once'));
    const body = await until(cluster, JOB, (one) => condition(one, 'Complete') !== undefined);
    expect(body.status).toMatchObject({ succeeded: 1 });
    expect(body.status).toHaveProperty('completionTime');
    expect(condition(body, 'SuccessCriteriaMet')).toMatchObject({ status: 'True' });
    const run = await pods('job-name=once');
    expect(run.map((pod) => String(pod.status?.phase))).toEqual(['Succeeded']);
    const log = await fetch(`${cluster.url}${PODS}/${run[0]!.metadata.name}/log`, {
      headers: { authorization: `Bearer ${cluster.token}` },
    });
    expect(await log.text()).toContain('hello');
  });

  it('are tried again up to the backoff limit, then fail', async () => {
    cluster.setBehaviour({ 'example.org/job:1': { kind: 'fail', reason: 'Error', exitCode: 9, log: 'no\nway\n' } });
    await apply(cluster, JOB, job('once', { backoffLimit: 2 }));
    const body = await until(cluster, JOB, (one) => condition(one, 'Failed') !== undefined);
    expect(body.status).toMatchObject({ failed: 3 });
    expect(reason(body, 'Failed')).toBe('BackoffLimitExceeded');
    expect(reason(body, 'FailureTarget')).toBe('BackoffLimitExceeded');
    const run = await pods('job-name=once');
    expect(run.map((pod) => status(pod).state?.terminated?.exitCode)).toEqual([9, 9, 9]);
    const log = await fetch(`${cluster.url}${PODS}/${run[0]!.metadata.name}/log?tailLines=1`, {
      headers: { authorization: `Bearer ${cluster.token}` },
    });
    expect(await log.text()).toBe('way\n');
  });

  it('fail at their deadline, and their pods go', async () => {
    cluster.setBehaviour({ 'default/once': { kind: 'hang' } });
    await apply(cluster, JOB, job('once', { activeDeadlineSeconds: 2 }));
    await until(cluster, JOB, (one) => Number(one.status?.active) === 1);
    const body = await until(cluster, JOB, (one) => condition(one, 'Failed') !== undefined);
    expect(reason(body, 'Failed')).toBe('DeadlineExceeded');
    expect(body.status).not.toHaveProperty('active');
    expect(await pods('job-name=once')).toEqual([]);
  });

  it('wait while suspended, and go after their time to live', async () => {
    await apply(cluster, JOB, job('once', { suspend: true }));
    await until(cluster, JOB, (one) => condition(one, 'Suspended') !== undefined);
    expect(await pods('job-name=once')).toEqual([]);
    await apply(cluster, JOB, job('once', { suspend: false, ttlSecondsAfterFinished: 1 }));
    await until(cluster, JOB, (one) => Number(one.code) === 404);
  });
});

describe('deletion', () => {
  const count = (kind: string): number => cluster.objects().filter((object) => object.kind === kind).length;
  const gone = (kind: string): Promise<Body> => until(cluster, '/version', () => count(kind) === 0);

  it('in the background takes what the object owns with it', async () => {
    await apply(cluster, WEB, deployment('web'));
    await until(cluster, WEB, isRolledOut);
    expect((await call(cluster, 'DELETE', WEB)).body.status).toBe('Success');
    await gone('Pod');
    await gone('ReplicaSet');
  });

  it('in the foreground removes the owner last', async () => {
    await apply(cluster, JOB, job('once'));
    await until(cluster, JOB, (one) => condition(one, 'Complete') !== undefined);
    const { body } = await call(cluster, 'DELETE', JOB, { body: { propagationPolicy: 'Foreground' } });
    expect(body.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
    expect(body.metadata).toHaveProperty('deletionTimestamp');
    await gone('Job');
    expect(count('Pod')).toBe(0);
  });

  it('in the foreground keeps the owner while something holds what it owns', async () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    const owner = (await call(cluster, 'POST', maps, { body: configMap('owner') })).body.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid, blockOwnerDeletion: true };
    const metadata = { name: 'owned', finalizers: ['example.org/hold'], ownerReferences: [reference] };
    await call(cluster, 'POST', maps, { body: { metadata } });
    await call(cluster, 'DELETE', `${maps}/owner`, { body: { propagationPolicy: 'Foreground' } });
    await until(cluster, `${maps}/owned`, (body) => body.metadata.deletionTimestamp !== undefined);
    expect((await call(cluster, 'GET', `${maps}/owner`)).code).toBe(200);
    const type = 'application/merge-patch+json';
    await call(cluster, 'PATCH', `${maps}/owned`, { body: { metadata: { finalizers: null } }, type });
    await until(cluster, `${maps}/owner`, (body) => Number(body.code) === 404);
  });

  it('orphans when told to, and by default for jobs', async () => {
    await apply(cluster, JOB, job('once'));
    await until(cluster, JOB, (one) => condition(one, 'Complete') !== undefined);
    await call(cluster, 'DELETE', JOB);
    await gone('Job');
    const [pod] = await pods('job-name=once');
    expect(pod!.metadata).not.toHaveProperty('ownerReferences');
  });

  it('of a namespace removes all that is in it, in the end the namespace', async () => {
    await call(cluster, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'hp-a' } } });
    const path = '/apis/apps/v1/namespaces/hp-a/deployments/web';
    await apply(cluster, path, deployment('web', { namespace: 'hp-a' }));
    const claims = '/api/v1/namespaces/hp-a/persistentvolumeclaims';
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await call(cluster, 'POST', claims, { body: claim });
    await until(cluster, `${claims}/data`, (body) => String(body.status?.phase) === 'Bound');
    const held = { metadata: { name: 'held', finalizers: ['example.org/hold'] } };
    await call(cluster, 'POST', '/api/v1/namespaces/hp-a/configmaps', { body: held });
    const { body } = await call(cluster, 'DELETE', '/api/v1/namespaces/hp-a');
    expect(body.status).toEqual({ phase: 'Terminating' });
    const late = { metadata: { name: 'late' } };
    expect((await call(cluster, 'POST', '/api/v1/namespaces/hp-a/configmaps', { body: late })).code).toBe(403);
    const inside = () => cluster.objects().filter((object) => object.metadata.namespace === 'hp-a');
    await until(cluster, '/version', () => inside().length === 1);
    expect(inside()[0]!.metadata.name).toBe('held');
    const release = { body: { metadata: { finalizers: null } }, type: 'application/merge-patch+json' };
    await call(cluster, 'PATCH', '/api/v1/namespaces/hp-a/configmaps/held', release);
    await until(cluster, '/api/v1/namespaces/hp-a', (one) => Number(one.code) === 404);
  });

  it('of an object whose owner never existed happens by itself', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'nobody' }];
    await call(cluster, 'POST', '/api/v1/namespaces/default/configmaps', {
      body: { metadata: { name: 'lost', ownerReferences } },
    });
    await until(cluster, '/api/v1/namespaces/default/configmaps/lost', (one) => Number(one.code) === 404);
  });
});
