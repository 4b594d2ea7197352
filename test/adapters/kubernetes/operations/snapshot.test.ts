import { describe, expect, it } from 'vitest';
import { bytesOf, clamp } from '../../../../src/adapters/kubernetes/operations/clamp.ts';
import { clean } from '../../../../src/adapters/kubernetes/operations/clean.ts';
import { snapshot } from '../../../../src/adapters/kubernetes/operations/snapshot.ts';
import type { Manifest } from '../../../../src/kernel/index.ts';
import { OPERATION_LIMITS, type Snapshot } from '../../../../src/ports/cluster-operations/index.ts';
import { shows } from '../../../support/claims.ts';
import { memoryLog } from '../../../support/kubernetes.ts';
import { ManualClock, podManifest, type Script, scriptedApi } from '../../../support/scripted-cluster.ts';

const VERSION = { gitVersion: 'v1.35.4', major: '1', minor: '35', platform: 'linux/arm64' };

function take(script: Script, clock = new ManualClock()) {
  const { api, calls } = scriptedApi({ version: VERSION, ...script });
  const log = memoryLog();
  return { taken: snapshot({ api, clock, log }), calls, log, clock };
}
const see = (objects: readonly object[], script: Script = {}): Promise<Snapshot> =>
  take({ objects: objects as readonly Manifest[], ...script }).taken;

const meta = (name: string, extra: object = {}): object => ({ name, namespace: 'shop', uid: `uid-${name}`, ...extra });
const many = (kind: string, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ kind, metadata: meta(`n${index}`) }));

describe('snapshot', () => {
  it(`${shows('snapshot', 'whole')} shows each kind with what is known of it`, async () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const nodeInfo = { kubeletVersion: 'v1.35.4', operatingSystem: 'linux', architecture: 'arm64' };
    const labels = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '', other: '' };
    const template = { spec: { containers: [{ image: 'a:1' }, { image: 'b:2' }] } };
    const ours = { 'hakopod.io/application': 'app', 'hakopod.io/instance': 'one', 'hakopod.io/service': 'web' };
    const isDefault = { annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' } };
    const seen = await see([
      {
        kind: 'Node',
        metadata: { name: 'n1', labels },
        spec: { unschedulable: true },
        status: { nodeInfo, conditions },
      },
      { kind: 'Namespace', metadata: { name: 'shop' } },
      {
        kind: 'Deployment',
        metadata: meta('web', { labels: ours }),
        spec: { replicas: 0, paused: true, template },
        status: { readyReplicas: 2, updatedReplicas: 1 },
      },
      { kind: 'StatefulSet', metadata: meta('db', { labels: ours }), spec: { template } },
      {
        kind: 'DaemonSet',
        metadata: meta('agent'),
        status: { desiredNumberScheduled: 3, numberReady: 2, updatedNumberScheduled: 1 },
      },
      {
        kind: 'Service',
        metadata: meta('web', { labels: ours }),
        spec: {
          type: 'NodePort',
          clusterIP: '10.0.0.1',
          ports: [
            { port: 80, nodePort: 30080, protocol: 'TCP' },
            { port: 53, protocol: 'UDP' },
          ],
        },
      },
      {
        kind: 'PersistentVolumeClaim',
        metadata: meta('data'),
        spec: { storageClassName: 'fast' },
        status: { phase: 'Bound', capacity: { storage: '1Gi' } },
      },
      { kind: 'StorageClass', metadata: { name: 'fast', ...isDefault } },
      {
        kind: 'StorageClass',
        metadata: { name: 'a-slow', annotations: { 'storageclass.kubernetes.io/is-default-class': 'false' } },
      },
    ]);
    const images = ['a:1', 'b:2'];
    expect(seen).toEqual({
      engine: { runtime: 'kubernetes', version: 'v1.35.4', apiVersion: '1.35', os: 'linux', arch: 'arm64' },
      nodes: [
        {
          name: 'n1',
          version: 'v1.35.4',
          os: 'linux',
          arch: 'arm64',
          ready: true,
          roles: ['control-plane', 'worker'],
          unschedulable: true,
        },
      ],
      namespaces: [{ name: 'shop' }],
      workloads: [
        {
          kind: 'DaemonSet',
          namespace: 'shop',
          name: 'agent',
          uid: 'uid-agent',
          desired: 3,
          ready: 2,
          updated: 1,
          images: [],
          paused: false,
        },
        {
          kind: 'StatefulSet',
          namespace: 'shop',
          name: 'db',
          uid: 'uid-db',
          desired: 1,
          ready: 0,
          updated: 0,
          images,
          paused: false,
        },
        {
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          uid: 'uid-web',
          desired: 0,
          ready: 2,
          updated: 1,
          images,
          paused: true,
          application: 'app',
          instance: 'one',
        },
      ],
      pods: [],
      services: [
        {
          namespace: 'shop',
          name: 'web',
          type: 'NodePort',
          clusterIP: '10.0.0.1',
          ports: ['80:30080/TCP', '53/UDP'],
          instance: 'one',
          service: 'web',
        },
      ],
      claims: [{ namespace: 'shop', name: 'data', phase: 'Bound', class: 'fast', capacity: '1Gi' }],
      storageClasses: [
        { name: 'a-slow', isDefault: false },
        { name: 'fast', isDefault: true },
      ],
      truncated: [],
    });
  });

  it(`${shows('snapshot', 'owner')} names the Deployment in front of a ReplicaSet, and every other controller as it is`, async () => {
    const pod = (kind: string, name: string, hash?: string, controller = true) =>
      podManifest({
        metadata: {
          labels: hash === undefined ? {} : { 'pod-template-hash': hash },
          ownerReferences: [
            { kind: 'Other', name: 'x' },
            { kind, name, controller },
          ],
        },
        status: { startTime: '2026-11-29T11:00:00Z' },
      });
    const owner = async (...given: Parameters<typeof pod>) => {
      const [first] = (await see([pod(...given)])).pods;
      return [first?.ownerKind, first?.ownerName];
    };
    expect(await owner('ReplicaSet', 'web-front-5d4', '5d4')).toEqual(['Deployment', 'web-front']);
    expect(await owner('ReplicaSet', 'web-5d4', '777')).toEqual(['ReplicaSet', 'web-5d4']);
    expect(await owner('ReplicaSet', 'web-5d4')).toEqual(['ReplicaSet', 'web-5d4']);
    expect(await owner('StatefulSet', 'db', '5d4')).toEqual(['StatefulSet', 'db']);
    expect(await owner('Job', 'once', undefined, false)).toEqual([undefined, undefined]);
    expect((await see([pod('Job', 'once')])).pods[0]).toMatchObject({
      startedAt: '2026-11-29T11:00:00Z',
      phase: 'Running',
    });
  });

  it(`${shows('snapshot', 'forbidden_list', 'one_workload_kind', 'no_version')} names what could not be read and shows the rest`, async () => {
    const objects = [{ kind: 'Deployment', metadata: meta('web') }, podManifest()];
    const { taken, log } = take({
      objects: objects as readonly Manifest[],
      failures: {
        'list Pod': { status: 403 },
        'list StatefulSet': {},
        'list StorageClass': { status: 500 },
        version: {},
      },
    });
    const seen = await taken;
    expect(seen).toMatchObject({ engine: { runtime: 'kubernetes' }, pods: [], workloads: [{ name: 'web' }] });
    expect(seen.truncated).toEqual(['workloads', 'pods', 'storage_classes']);
    expect(Object.keys(seen.engine)).toEqual(['runtime']);
    expect(log.lines.map(({ fields }) => (fields as { kind: string }).kind).sort()).toEqual([
      'Pod',
      'StatefulSet',
      'StorageClass',
    ]);
  });

  it(`${shows('snapshot', 'concurrent')} asks for everything at once, 20 s each`, async () => {
    const { taken, calls, clock } = take({ silent: ['list', 'version'] });
    expect(calls).toHaveLength(10);
    await clock.advance(20_000);
    expect((await taken).truncated).toHaveLength(7);
  });

  it(`${shows('snapshot', 'paging', 'caps')} stops paging past each cap and cuts there`, async () => {
    const { taken, calls } = take({ objects: many('Node', 501) as readonly Manifest[] });
    const seen = await taken;
    expect([seen.nodes.length, seen.truncated]).toEqual([500, ['nodes']]);
    const stops = calls.flatMap(({ body }) => (body as { stopAfter?: number } | undefined)?.stopAfter ?? []);
    expect(stops).toEqual([500, 500, 2000, 2000, 2000, 2000, 2000, 1000, 100]);
    expect((await see(many('StorageClass', 101))).truncated).toEqual(['storage_classes']);
    expect((await see(many('PersistentVolumeClaim', 1001))).claims).toHaveLength(1000);
    expect((await see([...many('Deployment', 1500), ...many('DaemonSet', 600)])).workloads).toHaveLength(2000);
    expect((await see(many('Namespace', 500))).truncated).toEqual([]);
  });

  it(`${shows('snapshot', 'caps')} keeps lists within an object short, and names pods that have too many containers`, async () => {
    const containers = Array.from({ length: 33 }, (_, index) => ({ name: `c${index}`, image: 'a:1' }));
    const seen = await see([
      podManifest({ spec: { containers } }),
      { kind: 'Deployment', metadata: meta('web'), spec: { template: { spec: { containers } } } },
      { kind: 'Service', metadata: meta('web'), spec: { ports: Array(33).fill({ port: 80 }) } },
      {
        kind: 'Node',
        metadata: {
          name: 'n',
          labels: Object.fromEntries(containers.map(({ name }) => [`node-role.kubernetes.io/${name}`, ''])),
        },
      },
    ]);
    expect(seen.pods[0]?.containers).toHaveLength(32);
    expect(seen.workloads[0]?.images).toHaveLength(32);
    expect(seen.services[0]?.ports).toHaveLength(32);
    expect(seen.nodes[0]?.roles).toHaveLength(16);
    expect(seen.truncated).toEqual(['pods']);
  });

  it(`${shows('snapshot', 'sorted')} sorts by namespace, name and kind`, async () => {
    const at = (kind: string, namespace: string, name: string) => ({ kind, metadata: { namespace, name } });
    const seen = await see([
      at('StatefulSet', 'b', 'a'),
      at('Deployment', 'b', 'a'),
      at('Deployment', 'a', 'z'),
      at('Deployment', 'a', 'B'),
    ]);
    expect(seen.workloads.map(({ namespace, name, kind }) => [namespace, name, kind].join())).toEqual([
      'a,B,Deployment',
      'a,z,Deployment',
      'b,a,Deployment',
      'b,a,StatefulSet',
    ]);
  });

  it(`${shows('snapshot', 'clean')} drops what steers a terminal and cuts text at a character`, async () => {
    expect(clean('a\u0000\u001b[31mb\u009f\u2028\u202e\u2066\ud800c', 64)).toBe('a[31mbc');
    expect(clean('é'.repeat(40), 63)).toBe('é'.repeat(31));
    expect(clean('😀😀', 7)).toBe('😀');
    expect(clean('😀', 4)).toBe('😀');
    expect([clean(undefined, 9), clean(7, 9)]).toEqual(['', '']);
    const long = 'é'.repeat(600);
    const [pod] = (
      await see([
        podManifest({
          metadata: { name: long },
          spec: { containers: [{ name: 'x\u0007', image: long }] },
          status: { phase: long },
        }),
      ])
    ).pods;
    expect([pod?.name, pod?.containers[0]?.image, pod?.phase].map((text) => Buffer.byteLength(text ?? ''))).toEqual([
      252, 1024, 64,
    ]);
    expect(pod?.containers[0]?.name).toBe('x');
  });

  it(`${shows('snapshot', 'bytes_limit')} shrinks the longest list by quarters until it fits into 1 MiB`, async () => {
    const containers = [{ name: 'web', image: 'i'.repeat(1000) }];
    const pods = Array.from({ length: 1200 }, (_, index) =>
      podManifest({ metadata: { name: `p${index}` }, spec: { containers } }),
    );
    const seen = await see([...pods, ...many('Service', 1199)]);
    expect(seen.truncated).toEqual(['pods', 'services']);
    expect(bytesOf(seen)).toBeLessThanOrEqual(OPERATION_LIMITS.snapshotBytes);
    expect([seen.pods.length, seen.services.length]).toEqual([675, 899]);
    const small = await see(many('Service', 3));
    const shrunk = clamp(small, bytesOf(small) - 1);
    expect([shrunk.services.length, shrunk.truncated]).toEqual([2, ['services']]);
    expect(clamp(small, bytesOf(small))).toEqual(small);
  });
});
