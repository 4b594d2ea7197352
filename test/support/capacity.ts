import {
  type ClusterObservation,
  type ObservedClaim,
  type ObservedNode,
  ok,
  type Result,
} from '../../src/kernel/index.ts';
import type { Cluster, ClusterCapacity } from '../../src/ports/index.ts';

const GIB = 1024 ** 3;

/** A node with plenty of everything; what is given counts instead. */
export function node(name: string, given: Partial<ObservedNode> = {}): ObservedNode {
  return {
    name,
    labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name },
    ready: true,
    unschedulable: false,
    taints: [],
    allocatable: { cpuMillis: 16_000, memoryBytes: 64 * GIB, gpus: 0 },
    freeDiskBytes: 100 * GIB,
    ...given,
  };
}

/** A cluster of these nodes, with nothing on them and a default storage class. */
export function observation(
  nodes: readonly ObservedNode[] = [node('a')],
  given: Partial<ClusterObservation> = {},
): ClusterObservation {
  return {
    observedAt: new Date('2026-06-01T00:00:00Z'),
    nodes,
    placed: [],
    storageClasses: [{ name: 'standard', provisioner: 'example.com/volumes', isDefault: true }],
    ...given,
  };
}

/** A `ClusterCapacity` that answers this, or room for everything. */
export function fakeCapacity(
  cluster: () => ClusterObservation = () => observation(),
  claims: () => readonly ObservedClaim[] = () => [],
): ClusterCapacity {
  return { observe: async () => ok(cluster()), claims: async () => ok(claims()) };
}

/** Room for everything, seen now. */
export function roomyCapacity(now: () => Date): ClusterCapacity {
  return fakeCapacity(() => observation([node('a')], { observedAt: now() }));
}

/** Gives an embedded or real cluster nodes that only say they are there, and storage classes. */
export async function addCapacity(
  cluster: Cluster,
  wanted: {
    readonly nodes?: Readonly<
      Record<string, { readonly arch?: string; readonly cpu?: string; readonly gpus?: number }>
    >;
    readonly classes?: readonly string[];
  },
): Promise<void> {
  for (const [name, { arch = 'amd64', cpu = '16', gpus = 0 }] of Object.entries(wanted.nodes ?? {})) {
    const labels = { 'kubernetes.io/arch': arch, 'kubernetes.io/hostname': name };
    must(await cluster.create({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} }));
    const allocatable = {
      cpu,
      memory: '64Gi',
      'ephemeral-storage': '100Gi',
      pods: '100',
      'nvidia.com/gpu': String(gpus),
    };
    const status = { allocatable, capacity: allocatable, conditions: [{ type: 'Ready', status: 'True' }] };
    must(await cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name }, { status }, 'status'));
  }
  for (const name of wanted.classes ?? [])
    must(
      await cluster.create({
        ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name } },
        provisioner: 'example.com/volumes',
      }),
    );
}

/** What the application of `test/render/market.ts` needs of a cluster. */
export const MARKET_CAPACITY = {
  nodes: { 'arm-node-1': { arch: 'arm64' }, 'gpu-node-1': { gpus: 8 } },
  classes: ['fast', 'shared-files'],
} as const;

function must(result: Result<unknown>): void {
  if (!result.ok) throw new Error(`${result.problem.code}: ${result.problem.message}`);
}
