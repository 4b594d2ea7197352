import { describe, expect, it } from 'vitest';
import { facts } from '../../../../src/adapters/kubernetes/operations/facts.ts';
import { inspect } from '../../../../src/adapters/kubernetes/operations/inspect.ts';
import { selectorText } from '../../../../src/adapters/kubernetes/operations/selector.ts';
import type { Manifest } from '../../../../src/kernel/index.ts';
import { must } from '../../../contracts/cluster.contract.ts';
import { shows } from '../../../support/claims.ts';
import { ManualClock, podManifest, type Script, scriptedApi } from '../../../support/scripted-cluster.ts';

const node = (name: string): Manifest => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

describe('facts', () => {
  it(`${shows('facts', 'whole', 'count_stops')} reports all four, and asks for no node after the page that passes 500`, async () => {
    const { api, calls } = scriptedApi({ objects: [node('a'), node('b')] });
    expect(await facts({ api, clock: new ManualClock() })).toEqual({
      runtime: 'kubernetes',
      server_version: 'v1.35.4',
      platform: 'linux/amd64',
      node_count: '2',
    });
    expect(calls.find(({ key }) => key === 'list Node')?.body).toMatchObject({ stopAfter: 500 });
  });

  it(`${shows('facts', 'unknown')} says unknown for what can not be read, also for what never answers`, async () => {
    const forbidden = scriptedApi({ failures: { list: { status: 403 }, version: { status: 500 } } });
    const unknown = { runtime: 'kubernetes', server_version: 'unknown', platform: 'unknown', node_count: 'unknown' };
    expect(await facts({ api: forbidden.api, clock: new ManualClock() })).toEqual(unknown);
    const clock = new ManualClock();
    const silent = facts({ api: scriptedApi({ silent: ['list', 'version'] }).api, clock });
    await clock.advance(20_000);
    expect(await silent).toEqual(unknown);
    const odd = scriptedApi({ version: { gitVersion: 7 } });
    expect(await facts({ api: odd.api, clock: new ManualClock() })).toEqual({ ...unknown, node_count: '0' });
  });
});

const target = { namespace: 'shop', name: 'web', uid: '0b0f3c1e-0000-4000-8000-000000000002' };

function deployment(extra: { readonly spec?: object; readonly status?: object } = {}): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: target.uid, generation: 4, labels: { app: 'other' } },
    spec: { selector: { matchLabels: { app: 'web' } }, ...extra.spec },
    status: {
      observedGeneration: 3,
      replicas: 2,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 2,
      ...extra.status,
    },
  } as Manifest;
}

const statuses = [
  {
    name: 'web',
    image: 'x',
    imageID: 'y',
    ready: false,
    restartCount: 2_000_000,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
  },
  { name: 'side', state: { terminated: { reason: 'exit code 3' } } },
];
const pod = podManifest({
  spec: {
    containers: [
      { name: 'web', image: 'nginx:1.27' },
      { name: 'side', image: 'a:1' },
      { name: 'new', image: 'b:1' },
    ],
  },
  status: { containerStatuses: statuses },
});

async function look(script: Script, given: object = target) {
  const { api, calls } = scriptedApi(script);
  return { result: await inspect({ api, clock: new ManualClock() }, given as typeof target), calls };
}

describe('inspect', () => {
  it(`${shows('inspect', 'whole', 'selector')} reads the Deployment and the pods of its own selector, in two calls`, async () => {
    const { result, calls } = await look({ objects: [deployment(), pod] });
    expect(must(result)).toEqual({
      missing: false,
      observedAt: '2026-11-29T12:00:00.000Z',
      uid: target.uid,
      generation: 4,
      observedGeneration: 3,
      desired: 1,
      updated: 1,
      ready: 2,
      available: 2,
      conditions: [],
      pods: [
        {
          name: 'web-1',
          uid: pod.metadata.uid,
          phase: 'Running',
          containers: [
            {
              name: 'web',
              image: '',
              imageId: '',
              state: 'waiting',
              reason: 'CrashLoopBackOff',
              ready: false,
              restarts: 1_000_000,
            },
            { name: 'side', image: '', imageId: '', state: 'terminated', ready: false, restarts: 0 },
            { name: 'new', image: '', imageId: '', state: 'waiting', ready: false, restarts: 0 },
          ],
        },
      ],
    });
    expect(calls.map(({ key }) => key)).toEqual(['get Deployment/shop/web', 'list Pod']);
    expect(calls[1]?.body).toMatchObject({ namespace: 'shop', labelSelector: 'app=web', limit: 129 });
  });

  it(`${shows('inspect', 'conditions')} reports the first eight conditions of one word, without their messages`, async () => {
    const condition = (type: string, reason: string) => ({ type, status: 'True', reason, message: 'secret words' });
    const letters = [...'ABCDEFGHIJ'].map((letter) => condition(`Type${letter}`, 'Known'));
    const conditions = [condition('two words', 'Known'), condition('Available', 'not one word'), ...letters];
    const { result } = await look({ objects: [deployment({ status: { conditions } })] });
    const seen = must(result);
    expect(JSON.stringify(seen)).not.toContain('secret words');
    expect(seen.missing ? [] : seen.conditions).toEqual([
      { type: 'Available', status: 'True' },
      ...[...'ABCDEFG'].map((letter) => ({ type: `Type${letter}`, status: 'True', reason: 'Known' })),
    ]);
  });

  it(`${shows('inspect', 'missing', 'recreated')} answers that it is gone, and another's uid as it is`, async () => {
    expect(must((await look({})).result)).toEqual({ missing: true });
    const { result } = await look(
      { objects: [deployment()] },
      { ...target, uid: '0b0f3c1e-0000-4000-8000-00000000000f' },
    );
    expect(must(result)).toMatchObject({ missing: false, uid: target.uid });
  });

  it(`${shows('inspect', 'pods_limit')} refuses more than 128 pods instead of cutting them`, async () => {
    const pods = (count: number) =>
      Array.from({ length: count }, (_, index) => podManifest({ metadata: { name: `web-${index}` } }));
    const whole = must((await look({ objects: [deployment(), ...pods(128)] })).result);
    expect(whole.missing ? [] : whole.pods).toHaveLength(128);
    for (const count of [129, 130])
      expect((await look({ objects: [deployment(), ...pods(count)] })).result).toMatchObject({
        ok: false,
        problem: { code: 'cluster_unavailable' },
      });
  });

  it(`${shows('inspect', 'pods_limit')} refuses a short page that says there are more`, async () => {
    const { api } = scriptedApi({ objects: [deployment()] });
    const list: typeof api.list = async () => ({ ok: true, value: { items: [podManifest()], more: true } });
    const result = await inspect({ api: { ...api, list }, clock: new ManualClock() }, target);
    expect(result).toMatchObject({ problem: { code: 'cluster_unavailable' } });
  });

  it(`${shows('inspect', 'selector')} refuses a selector that selects nothing in particular, and knows every operator`, async () => {
    for (const selector of [undefined, {}, { matchLabels: {} }]) {
      const { result, calls } = await look({ objects: [deployment({ spec: { selector } })] });
      expect(result).toMatchObject({ ok: false });
      expect(calls).toHaveLength(1);
    }
    const matchExpressions = [
      { key: 'a', operator: 'In', values: ['1', '2'] },
      { key: 'b', operator: 'NotIn', values: ['3'] },
      { key: 'c', operator: 'Exists' },
      { key: 'd', operator: 'DoesNotExist' },
    ];
    expect(selectorText({ matchLabels: { e: '5' }, matchExpressions })).toBe('e=5,a in (1,2),b notin (3),c,!d');
    expect(selectorText({ matchExpressions: [{ key: 'a', operator: 'Like', values: [] }] })).toBeUndefined();
  });

  it(`${shows('inspect', 'invalid_request', 'unavailable')} checks the target first, and passes on that nothing could be read`, async () => {
    for (const wrong of [
      { ...target, uid: target.uid.toUpperCase() },
      { ...target, image: 'x' },
      { namespace: 'shop' },
    ]) {
      const { result, calls } = await look({ objects: [deployment()] }, wrong);
      expect(result).toMatchObject({ ok: false, problem: { code: 'invalid_request' } });
      expect(calls).toEqual([]);
    }
    const objects = [deployment()];
    const code = async (script: Script) => (await look({ objects, ...script })).result;
    expect(await code({ failures: { get: { status: 500 } } })).toMatchObject({
      problem: { code: 'cluster_unavailable' },
    });
    expect(await code({ failures: { list: {} } })).toMatchObject({ problem: { code: 'cluster_unavailable' } });
    expect(await code({ failures: { list: { status: 403 } } })).toMatchObject({ problem: { code: 'forbidden' } });
  });
});
