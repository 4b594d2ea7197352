import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  type EmbeddedCluster,
  type RequestInfo,
  startEmbeddedCluster,
} from '../../../../src/adapters/embedded/index.ts';
import { freeBytes } from '../../../../src/adapters/kubernetes/capacity/disks.ts';
import {
  connect,
  createCluster,
  createClusterCapacity,
  type KubeConnection,
} from '../../../../src/adapters/kubernetes/index.ts';
import { type ClusterObservation, LIMITS, type Manifest, type Result } from '../../../../src/kernel/index.ts';
import type { Cluster, ClusterCapacity } from '../../../../src/ports/index.ts';
import { memoryLog, realClock } from '../../../support/kubernetes.ts';

const GIB = 1024 ** 3;
let embedded: EmbeddedCluster;
let connection: KubeConnection;
let cluster: Cluster;

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.problem.code}: ${result.problem.message}`);
  return result.value;
}

function capacity(keepMs = 0, keepDisksMs = 0, budgetMs: number = LIMITS.preflightMs): ClusterCapacity {
  const options = { cluster, clock: realClock, userAgent: 'test', keepMs, keepDisksMs, budgetMs };
  return createClusterCapacity(connection, options);
}

beforeAll(async () => {
  embedded = await startEmbeddedCluster();
  connection = must(connect({ kubeconfigText: embedded.kubeconfig }));
  cluster = createCluster(connection, { clock: realClock, log: memoryLog(), userAgent: 'test' });
});
afterEach(async () => {
  embedded.fault(undefined);
  embedded.setDenied([]);
});
afterAll(async () => {
  await connection.close();
  await embedded.stop();
});

async function make(manifest: object, status?: object): Promise<Manifest> {
  const made = must(await cluster.create(manifest as Manifest));
  return status === undefined ? made : must(await cluster.replace({ ...made, status } as Manifest, 'status'));
}

async function drop({ apiVersion, kind, metadata }: Manifest): Promise<void> {
  const { name, namespace, uid = '' } = metadata;
  must(
    await cluster.delete(
      { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) },
      { uid, propagation: 'Background' },
    ),
  );
}

it('shows nodes, what pods on them ask for, storage classes and free disk', async () => {
  const allocatable = { cpu: '1900m', memory: '3Gi', 'nvidia.com/gpu': '1', 'ephemeral-storage': '5Gi' };
  const node = await make(
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', labels: { zone: 'z' } },
      spec: { unschedulable: true, taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] },
    },
    { allocatable, conditions: [{ type: 'Ready', status: 'False' }] },
  );
  const pod = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m', memory: '1Mi' } } }],
    },
  });
  const running = await make(pod('running'), { phase: 'Running' });
  const over = await make(pod('over'), { phase: 'Succeeded' });
  const broken = await make(pod('broken'), { phase: 'Failed' });
  const seen = must(await capacity().observe());
  expect(seen.nodes.find(({ name }) => name === 'n')).toEqual({
    name: 'n',
    labels: { zone: 'z' },
    ready: false,
    unschedulable: true,
    taints: [{ key: 'k', effect: 'NoSchedule' }],
    allocatable: { cpuMillis: 1900, memoryBytes: 3 * GIB, gpus: 1 },
  });
  expect(seen.nodes.find(({ name }) => name === 'embedded')?.freeDiskBytes).toBeGreaterThan(LIMITS.diskBytes);
  expect(seen.placed).toEqual([
    { node: 'n', namespace: 'default', amounts: { cpuMillis: 100, memoryBytes: 1024 ** 2, gpus: 0 } },
  ]);
  expect(seen.storageClasses).toEqual([
    { name: 'embedded', provisioner: 'embedded.hakopod.io/volumes', isDefault: true },
  ]);
  for (const object of [running, over, broken, node]) await drop(object);
});

it('shows the claims of a namespace and where the volumes they are bound to can be used', async () => {
  const claim = (name: string, more = {}) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '2Gi' } },
      storageClassName: 'embedded',
      ...more,
    },
  });
  await make({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'zone', operator: 'In', values: ['z'] }] },
            { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] },
          ],
        },
      },
    },
  });
  await make({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'anywhere' }, spec: {} });
  await make(claim('here', { volumeName: 'pv' }));
  await make(claim('any', { volumeName: 'anywhere' }));
  await make(claim('gone', { volumeName: 'gone' }));
  const seen = must(await capacity().claims('default'));
  const base = { storageClass: 'embedded', sizeBytes: 2 * GIB, accessModes: ['ReadWriteOnce'] };
  expect(seen.map(({ name }) => name).sort()).toEqual(['any', 'gone', 'here']);
  const of = (wanted: string) => seen.find(({ name }) => name === wanted);
  expect(of('here')).toEqual({
    name: 'here',
    ...base,
    nodeTerms: [
      { expressions: [{ key: 'zone', operator: 'In', values: ['z'] }], fields: [] },
      { expressions: [], fields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] },
    ],
  });
  expect(of('any')).toEqual({ name: 'any', ...base });
  expect(of('gone')).toEqual({ name: 'gone', ...base });
});

it('does not know disks without the right to ask for them, and asks one node only', async () => {
  embedded.setDenied([{ verb: 'get', resource: 'nodes/proxy' }]);
  embedded.resetRequests();
  const seen = must(await capacity().observe());
  expect(seen.nodes.map(({ freeDiskBytes }) => freeDiskBytes)).toEqual([undefined]);
  expect(embedded.requests().by['get nodes/proxy']).toBe(1);
});

it('asks no more nodes for their disks once one has enough', async () => {
  const more = [];
  for (let i = 0; i < 20; i += 1) {
    const status = { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { 'ephemeral-storage': '5Gi' } };
    more.push(await make({ apiVersion: 'v1', kind: 'Node', metadata: { name: `z${i}` }, spec: {} }, status));
  }
  embedded.resetRequests();
  must(await capacity().observe());
  expect(embedded.requests().by['get nodes/proxy']).toBe(8);
  for (const node of more) await drop(node);
});

it.each(['nodes', 'pods', 'storageclasses'])('fails when %s can not be read', async (resource) => {
  embedded.setDenied([{ verb: 'list', resource }]);
  const seen = await capacity().observe();
  expect(!seen.ok && seen.problem.code).toBe('forbidden');
});

it('fails when claims can not be read, or a volume', async () => {
  for (const denied of [
    { verb: 'list', resource: 'persistentvolumeclaims' },
    { verb: 'get', resource: 'persistentvolumes' },
  ]) {
    embedded.setDenied([denied]);
    const seen = await capacity().claims('default');
    expect(!seen.ok && seen.problem.code).toBe('forbidden');
  }
});

it('reads once for all who ask at the same time and shortly after, and again after a failure', async () => {
  const shared = capacity(60_000, 60_000);
  embedded.fault(({ resource }: RequestInfo) => (resource === 'nodes' ? { status: 503 } : undefined));
  expect((await shared.observe()).ok).toBe(false);
  embedded.fault(undefined);
  embedded.resetRequests();
  await Promise.all([shared.observe(), shared.observe()]);
  await shared.observe();
  expect(embedded.requests().by).toEqual({
    ...{ 'list nodes': 1, 'list pods': 1, 'list storageclasses': 1, 'get nodes/proxy': 1 },
  });
});

it('takes no longer than its budget, and does without disks that take longer', async () => {
  const slow = (wanted: string, namespace?: string) => {
    embedded.fault(({ resource, subresource }: RequestInfo) =>
      (subresource === undefined ? resource : `${resource}/${subresource}`) === wanted
        ? { delayMs: 60_000 }
        : undefined,
    );
    const hurried = capacity(0, 0, 300);
    return namespace === undefined ? hurried.observe() : hurried.claims(namespace);
  };
  for (const late of [await slow('nodes'), await slow('pods'), await slow('persistentvolumeclaims', 'default')])
    expect(!late.ok && late.problem.code).toBe('cluster_unavailable');
  const seen = must<unknown>(await slow('nodes/proxy')) as ClusterObservation;
  expect(seen.nodes.map(({ freeDiskBytes }) => freeDiskBytes)).toEqual([undefined]);
  expect(LIMITS.preflightMs).toBe(10_000);
});

it('looks again at disks that were full', async () => {
  const full = await make({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'full' }, spec: {} });
  const status = (size: string) => ({
    conditions: [{ type: 'Ready', status: 'True' }],
    allocatable: { 'ephemeral-storage': size },
  });
  const embeddedNode = must(await cluster.get({ apiVersion: 'v1', kind: 'Node', name: 'embedded' }));
  must(
    await cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name: 'embedded' }, { spec: { unschedulable: true } }),
  );
  must(await cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name: 'full' }, { status: status('1Gi') }, 'status'));
  const shared = capacity(0, 60_000);
  const free = async (): Promise<number | undefined> =>
    must(await shared.observe()).nodes.find(({ name }) => name === 'full')?.freeDiskBytes;
  expect(await free()).toBe(GIB);
  must(await cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name: 'full' }, { status: status('3Gi') }, 'status'));
  expect(await free()).toBe(3 * GIB);
  must(await cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name: 'full' }, { status: status('1Gi') }, 'status'));
  expect(await free()).toBe(3 * GIB);
  must(
    await cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name: 'embedded' }, { spec: { unschedulable: null } }),
  );
  await drop(full);
  expect(embeddedNode?.metadata.name).toBe('embedded');
});

/** Answers lists with this many items of a kind, one page after another, and counts what was asked. */
function pagesOf(kind: string, count: number): { readonly connection: KubeConnection; readonly asked: string[] } {
  const asked: string[] = [];
  const page = (path: string): object => {
    const query = new URL(path, 'http://x').searchParams;
    const from = Number(query.get('continue') ?? 0);
    const isIt = path.includes(`/${kind}?`);
    const to = isIt ? Math.min(count, from + Number(query.get('limit'))) : 0;
    const items = Array.from({ length: to - from }, (_, i) => ({
      metadata: { name: `o${from + i}` },
      spec: {},
      status: {},
    }));
    return { metadata: { resourceVersion: '1', ...(isIt && to < count ? { continue: String(to) } : {}) }, items };
  };
  const fake = {
    server: 'http://x',
    send: async ({ path }: { readonly path: string }) => {
      asked.push(path);
      const { Readable } = await import('node:stream');
      return { status: 200, retryAfter: undefined, body: Readable.from([Buffer.from(JSON.stringify(page(path)))]) };
    },
    close: async () => undefined,
  };
  return { connection: fake as unknown as KubeConnection, asked };
}

it.each([
  ['nodes', LIMITS.preflightNodes, 'the cluster has more than 200 nodes, which are too many to check'],
  ['pods', LIMITS.preflightPods, 'the cluster has more than 10000 active pods, which are too many to check'],
  [
    'storageclasses',
    LIMITS.preflightStorageClasses,
    'the cluster has more than 100 storage classes, which are too many to check',
  ],
])('looks at so many %s and refuses more', async (kind, most, message) => {
  const of = async (count: number) => {
    const { connection: fake } = pagesOf(kind, count);
    return createClusterCapacity(fake, { cluster, clock: realClock, userAgent: 'test' }).observe();
  };
  expect((await of(most)).ok).toBe(true);
  const refused = await of(most + 1);
  expect(!refused.ok && [refused.problem.code, refused.problem.message]).toEqual(['delivery_unavailable', message]);
});

it('takes the smaller of both disks of a node, and none for none', () => {
  const summary = (own?: number, images?: number) => ({
    node: { fs: { availableBytes: own }, runtime: { imageFs: { availableBytes: images } } },
  });
  expect([
    freeBytes(summary(5, 3)),
    freeBytes(summary(3, 5)),
    freeBytes(summary(4)),
    freeBytes(summary(undefined, 5)),
  ]).toEqual([3, 3, 4, undefined]);
  expect([freeBytes({}), freeBytes('x'), freeBytes(summary(-1))]).toEqual([undefined, undefined, undefined]);
});
