import type { ClusterObservation, ObservedClaim, ObservedNode } from '../../src/kernel/index.ts';
import { ok } from '../../src/kernel/index.ts';
import type { ClusterCapacity } from '../../src/ports/index.ts';

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
