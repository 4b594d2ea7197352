import { at, type Manifest } from '../kernel/index.ts';
import { array, textAt } from './json.ts';

/** The taint of nodes with GPUs, which keeps nothing away that asks for one (facts 11.3). */
const GPU_TAINT = 'nvidia.com/gpu';
const KEEPS_AWAY: readonly unknown[] = ['NoSchedule', 'NoExecute'];

/**
 * The architectures of the nodes that pods may be scheduled on, sorted, each once (facts 3.8): not cordoned and without a taint that keeps
 * pods away. Empty without such a node: then nothing is known.
 */
export function schedulableArchitectures(nodes: readonly Manifest[]): readonly string[] {
  const found = nodes
    .filter(isSchedulable)
    .map((node) => node.metadata.labels?.['kubernetes.io/arch'] ?? textAt(node, 'status', 'nodeInfo', 'architecture'));
  return [...new Set(found.filter((name) => name !== undefined && name !== ''))].sort() as string[];
}

function isSchedulable(node: Manifest): boolean {
  if (at(node, 'spec', 'unschedulable') === true) return false;
  return !array(at(node, 'spec', 'taints')).some(({ key, effect }) => KEEPS_AWAY.includes(effect) && key !== GPU_TAINT);
}
