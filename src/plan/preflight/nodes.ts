import {
  type Amounts,
  type ClusterObservation,
  isEligible,
  isForGpus,
  minusAmounts,
  type NodeRequirement,
  type NodeTerm,
  type ObservedNode,
  totalAmounts,
} from '../../kernel/index.ts';
import type { Service } from '../../spec/index.ts';

const ARCHITECTURE = 'kubernetes.io/arch';

/** A node where pods are placed, with what other applications leave of it. */
export type Room = { readonly node: ObservedNode; readonly free: Amounts };

/**
 * The nodes where pods are placed, by name. What the application's own pods ask for now counts as free, because they are replaced
 * (facts 11.3).
 */
export function roomsOf(cluster: ClusterObservation, namespace: string | undefined): readonly Room[] {
  return cluster.nodes
    .filter(isEligible)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((node) => {
      const others = cluster.placed.filter((one) => one.node === node.name && one.namespace !== namespace);
      return { node, free: minusAmounts(node.allocatable, totalAmounts(others.map(({ amounts }) => amounts))) };
    });
}

/** Whether a service's pods may run on a node: the one it names, its architecture, and GPU nodes for GPU services alone. */
export function accepts(node: ObservedNode, service: Service): boolean {
  const { node_name, gpu } = service;
  return (
    (node_name === '' || node_name === node.name) &&
    !isOtherArchitecture(node, service) &&
    (gpu !== undefined || !isForGpus(node))
  );
}

/** Whether a node has another architecture than the service needs. */
export function isOtherArchitecture(node: ObservedNode, { architecture }: Service): boolean {
  return architecture !== '' && node.labels[ARCHITECTURE] !== architecture;
}

/** Whether a volume with these terms can be used on a node; any one of them suffices, and none of them is nowhere. */
export function attaches(node: ObservedNode, terms: readonly NodeTerm[] | undefined): boolean {
  return terms === undefined || terms.some((term) => matches(node, term));
}

/** An empty term selects nothing (Kubernetes API, NodeSelectorTerm). */
function matches(node: ObservedNode, { expressions, fields }: NodeTerm): boolean {
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((one) => holds(one, Object.hasOwn(node.labels, one.key) ? node.labels[one.key] : undefined)) &&
    fields.every((one) => one.key === 'metadata.name' && holds(one, node.name))
  );
}

function holds({ operator, values }: NodeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && isInteger(values[0]) && Number(value) > Number(values[0]);
    case 'Lt':
      return isInteger(value) && isInteger(values[0]) && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

function isInteger(text: string | undefined): boolean {
  return text !== undefined && /^-?\d{1,15}$/.test(text);
}
