import { GPU } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { LABELS, ownershipLabels } from './labels.ts';
import { storageGroup } from './storage-group.ts';

/**
 * Where a service's pods may run (facts 3.3): its architecture, its one node (by the node's name, which unlike a label no two nodes
 * share; taints still hold), nodes for GPUs, and the node of the pods it shares a ReadWriteOnce volume with.
 */
export function renderScheduling(input: RenderInput, name: string, service: Service): Record<string, unknown> {
  const group = storageGroup(input.application, name);
  const affinity = { ...nodeAffinity(service, placedOn(input, group)), ...podAffinity(input, group) };
  return {
    nodeSelector: service.architecture === '' ? {} : { 'kubernetes.io/arch': service.architecture },
    tolerations: service.gpu === undefined ? [] : [{ key: GPU, operator: 'Exists', effect: 'NoSchedule' }],
    ...(Object.keys(affinity).length === 0 ? {} : { affinity }),
  };
}

function placedOn({ placement = {} }: RenderInput, group: string | undefined): readonly string[] {
  return group !== undefined && Object.hasOwn(placement, group) ? (placement[group] ?? []) : [];
}

/** The one node a service names, else one of those that the preflight found room on. A term can name one node only (Kubernetes API). */
function nodeAffinity({ node_name }: Service, placed: readonly string[]): object {
  const nodes = node_name === '' ? placed : [node_name];
  if (nodes.length === 0) return {};
  const nodeSelectorTerms = nodes.map((node) => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }],
  }));
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

/** The pods carry the label they ask for, so the scheduler lets the first of them choose the node. */
function podAffinity(input: RenderInput, group: string | undefined): object {
  if (group === undefined) return {};
  const term = {
    labelSelector: { matchLabels: { ...ownershipLabels(input.id), [LABELS.storageGroup]: group } },
    topologyKey: 'kubernetes.io/hostname',
  };
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}
