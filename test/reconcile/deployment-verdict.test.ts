import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest, Strike } from '../../src/kernel/index.ts';
import { confirmFailure, type DeploymentVerdict, deploymentVerdict } from '../../src/reconcile/index.ts';
import { fixtureOf } from './fixture.ts';

const { answer } = fixtureOf('Deployment/api');
// biome-ignore lint/suspicious/noExplicitAny: free-form
const template = (answer.spec as any).template;

type Shape = { status?: object; conditions?: object[]; generation?: number };

function deployment(shape: Shape = {}): Manifest {
  const counts = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 5 };
  return {
    ...answer,
    metadata: { ...answer.metadata, generation: shape.generation ?? 5 },
    status: { ...counts, ...shape.status, conditions: shape.conditions ?? [] },
  };
}

type PodShape = {
  ready?: boolean;
  status?: object;
  container?: object;
  labels?: object;
  deleting?: boolean;
  created?: string;
  phase?: string;
};

function pod(name: string, shape: PodShape = {}): Manifest {
  const deletion = shape.deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      creationTimestamp: shape.created ?? '2026-01-01T00:00:00Z',
      labels: { ...template.metadata.labels, 'pod-template-hash': 'abc', ...shape.labels },
      ...deletion,
    },
    spec: { ...template.spec, containers: [{ ...template.spec.containers[0], ...shape.container }] },
    status: {
      phase: shape.phase ?? 'Running',
      conditions: [{ type: 'Ready', status: (shape.ready ?? true) ? 'True' : 'False' }],
      ...shape.status,
    },
  };
}

const stuck = (state: object, rest: object = {}): PodShape => ({
  ready: false,
  status: {
    containerStatuses: [{ name: 'app', ready: false, state, ...rest }],
    conditions: [{ type: 'Ready', status: 'False' }],
  },
});
const both = [pod('a'), pod('b')];
const GAVE_UP = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'SECRET prose' };

describe('deploymentVerdict', () => {
  it('is ready when counts and pods agree', () => {
    expect(deploymentVerdict([deployment(), ...both])).toEqual({ state: 'ready', ready: 2, desired: 2 });
    const idle = {
      ...deployment({ status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 } }),
    };
    const zero = { ...idle, spec: { ...(idle.spec as object), replicas: 0 } };
    expect(deploymentVerdict([zero])).toEqual({ state: 'ready', ready: 0, desired: 0 });
  });

  it.each<[string, readonly Manifest[]]>([
    ['nothing is there', []],
    ['the generation is not observed', [deployment({ generation: 6 }), ...both]],
    ['replicas are missing', [deployment({ status: { replicas: 1 } }), ...both]],
    ['an old replica remains', [deployment({ status: { replicas: 3 } }), ...both]],
    ['not all are updated', [deployment({ status: { updatedReplicas: 1 } }), ...both]],
    ['not all are ready', [deployment({ status: { readyReplicas: 1 } }), ...both]],
    ['not all are available', [deployment({ status: { availableReplicas: 1 } }), ...both]],
    ['status was left out', [{ ...deployment(), status: {} }, ...both]],
    ['a pod is missing', [deployment(), pod('a')]],
    ['there is a pod too many', [deployment(), ...both, pod('c')]],
    ['a pod is not Ready', [deployment(), pod('a'), pod('b', { ready: false })]],
    ['a pod is going', [deployment(), pod('a'), pod('b', { deleting: true })]],
    ['a pod has ended', [deployment(), pod('a'), pod('b', { phase: 'Failed' })]],
    ['a pod runs another image', [deployment(), pod('a'), pod('b', { container: { image: 'x' } })]],
    ['a pod has other environment', [deployment(), pod('a'), pod('b', { container: { env: [] } })]],
    [
      'a pod is not of the template’s networks',
      [deployment(), pod('a'), pod('b', { labels: { 'hakopod.io/net-back': 'no' } })],
    ],
  ])('waits while %s', (_title, objects) => {
    expect(deploymentVerdict(objects).state).toBe('waiting');
  });

  it('looks only at pods of the service', () => {
    expect(
      deploymentVerdict([deployment(), ...both, pod('x', { labels: { 'hakopod.io/service': 'web' }, ready: false })])
        .state,
    ).toBe('ready');
  });

  it.each<[PodShape, string]>([
    [
      stuck({ waiting: { reason: 'ImagePullBackOff', message: 'SECRET' } }),
      'the image can not be pulled (ImagePullBackOff)',
    ],
    [stuck({ waiting: { reason: 'ErrImagePull' } }), 'the image can not be pulled (ErrImagePull)'],
    [
      stuck(
        { waiting: { reason: 'CrashLoopBackOff' } },
        { lastState: { terminated: { exitCode: 3, reason: 'Error' } }, restartCount: 4 },
      ),
      'the container starts and exits again and again (CrashLoopBackOff); it exited with code 3',
    ],
    [
      stuck(
        { waiting: { reason: 'CrashLoopBackOff' } },
        { lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
      ),
      'the container starts and exits again and again (CrashLoopBackOff); it used more memory than its limit (OOMKilled)',
    ],
    [
      stuck({ waiting: { reason: 'CreateContainerConfigError' } }),
      'the container can not be configured (CreateContainerConfigError)',
    ],
    [stuck({ waiting: { reason: 'SomethingNew' } }), 'the container is waiting (SomethingNew)'],
    [stuck({ terminated: { exitCode: 1 } }), 'the container has ended: it exited with code 1'],
    [stuck({ running: {} }, { started: true }), 'the container runs but its readiness probe fails'],
    [stuck({ running: {} }, { started: false }), 'the container runs but does not listen on its port yet'],
    [
      {
        ready: false,
        status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'SECRET' }] },
      },
      'no node has room for the pod (Unschedulable)',
    ],
  ])('explains %j', (shape, message) => {
    const waiting = deployment({ status: { readyReplicas: 1, availableReplicas: 1 } });
    expect(deploymentVerdict([waiting, pod('a'), pod('b', shape)])).toMatchObject({
      state: 'waiting',
      reason: message,
    });
    const gaveUp = deployment({ status: { readyReplicas: 1, availableReplicas: 1 }, conditions: [GAVE_UP] });
    expect(deploymentVerdict([gaveUp, pod('a'), pod('b', shape)])).toEqual({
      state: 'failed',
      ready: 1,
      desired: 2,
      code: 'rollout_timeout',
      message,
    });
  });

  it('explains by the newest pod of the template, whatever the order', () => {
    const waiting = deployment({ status: { readyReplicas: 0, availableReplicas: 0 } });
    const pods = [
      pod('old', { ...stuck({ waiting: { reason: 'ErrImagePull' } }), created: '2026-01-01T00:00:01Z' }),
      pod('new', { ...stuck({ waiting: { reason: 'CrashLoopBackOff' } }), created: '2026-01-01T00:00:02Z' }),
      pod('stale', {
        ...stuck({ waiting: { reason: 'InvalidImageName' } }),
        created: '2026-01-01T00:00:03Z',
        container: { image: 'x' },
      }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray([waiting, ...pods], { minLength: 4 }), (objects) => {
        expect(deploymentVerdict(objects)).toMatchObject({ reason: expect.stringContaining('CrashLoopBackOff') });
      }),
    );
  });

  it('says nothing of a pod that only takes its time', () => {
    const waiting = deployment({ status: { readyReplicas: 1 } });
    const verdict = deploymentVerdict([
      waiting,
      pod('a'),
      pod('b', stuck({ waiting: { reason: 'ContainerCreating' } })),
    ]);
    expect(verdict).toEqual({ state: 'waiting', ready: 1, desired: 2 });
  });

  it('fails when the controller may not create pods, and at our own deadline', () => {
    const refused = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'SECRET prose' };
    const noPods = { status: { replicas: 0, readyReplicas: 0 }, conditions: [refused] };
    expect(deploymentVerdict([deployment(noPods)])).toMatchObject({
      state: 'failed',
      code: 'rollout_failed',
      message: 'the cluster does not accept the pods (FailedCreate)',
    });
    expect(deploymentVerdict([deployment({ ...noPods, generation: 6 })]).state).toBe('waiting');
    expect(deploymentVerdict([deployment({ conditions: [GAVE_UP], generation: 6 })]).state).toBe('waiting');
    expect(
      deploymentVerdict([deployment({ status: { readyReplicas: 1 } }), pod('a')], { deadlinePassed: true }),
    ).toMatchObject({
      state: 'failed',
      code: 'rollout_timeout',
      message: '1 of 2 pods were ready',
    });
    expect(deploymentVerdict([], { deadlinePassed: true }).state).toBe('failed');
    expect(deploymentVerdict([deployment(), ...both], { deadlinePassed: true }).state).toBe('ready');
  });

  it('repeats no words of the cluster', () => {
    const prose = { reason: 'Back-off pulling "secret.example.com/x"', message: 'SECRET' };
    const objects = [
      deployment({
        status: { readyReplicas: 0 },
        conditions: [GAVE_UP, { type: 'ReplicaFailure', status: 'True', ...prose }],
      }),
      pod('a', stuck({ waiting: prose }, { lastState: { terminated: { exitCode: 1, ...prose } } })),
    ];
    const text = JSON.stringify(deploymentVerdict(objects));
    expect(text).not.toMatch(/SECRET|secret/);
    expect(text.length).toBeLessThan(1200);
  });
});

describe('confirmFailure', () => {
  const failed: DeploymentVerdict = { state: 'failed', ready: 0, desired: 1, code: 'rollout_timeout', message: 'x' };
  const waiting: DeploymentVerdict = { state: 'waiting', ready: 0, desired: 1 };
  const judge = (verdicts: readonly [DeploymentVerdict, number][]): string[] => {
    let strike: Strike;
    return verdicts.map(([verdict, ms]) => {
      const next = confirmFailure(verdict, strike, new Date(ms));
      strike = next.strike;
      return next.verdict.state;
    });
  };

  it('needs two readings in a row that are two seconds apart', () => {
    expect(
      judge([
        [failed, 0],
        [failed, 1999],
        [failed, 2000],
      ]),
    ).toEqual(['waiting', 'waiting', 'failed']);
    expect(
      judge([
        [failed, 0],
        [waiting, 1000],
        [failed, 2500],
        [failed, 4500],
      ]),
    ).toEqual(['waiting', 'waiting', 'waiting', 'failed']);
    expect(judge([[failed, 9000]])).toEqual(['waiting']);
  });

  it('passes everything else through', () => {
    expect(confirmFailure(waiting, { since: 0 }, new Date(9000))).toEqual({ verdict: waiting, strike: undefined });
  });
});
