import { at, count, type Fields, isFields, records } from '../../../kernel/index.ts';
import {
  OPERATION_LABELS,
  OPERATION_LIMITS,
  type Snapshot,
  type SnapshotClaim,
  type SnapshotNode,
  type SnapshotPod,
  type SnapshotService,
  type SnapshotWorkload,
} from '../../../ports/cluster-operations/index.ts';
import { clean } from './clean.ts';
import { podContainersOf } from './pod-containers.ts';

const LIMITS = OPERATION_LIMITS;
const ROLE = 'node-role.kubernetes.io/';
const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

function name(value: unknown): string {
  return clean(value, LIMITS.nameBytes);
}
function short(value: unknown): string {
  return clean(value, LIMITS.shortBytes);
}

function identity(object: unknown): { readonly namespace: string; readonly name: string } {
  return { namespace: name(at(object, 'metadata', 'namespace')), name: name(at(object, 'metadata', 'name')) };
}

/** The label as a property, or nothing when there is none. */
function labelled<K extends string>(key: K, object: unknown, label: string): { readonly [P in K]?: string } {
  const value = name(at(object, 'metadata', 'labels', label));
  return (value === '' ? {} : { [key]: value }) as { readonly [P in K]?: string };
}

/** A Node as the inventory shows it (cluster operations 14, as all of this file). */
export function nodeItem(node: unknown): SnapshotNode {
  const info = at(node, 'status', 'nodeInfo');
  const labels = at(node, 'metadata', 'labels');
  const roles = Object.keys(isFields(labels) ? labels : {})
    .filter((label) => label.startsWith(ROLE) && label.length > ROLE.length)
    .map((label) => short(label.slice(ROLE.length)))
    .sort();
  return {
    name: name(at(node, 'metadata', 'name')),
    version: short(at(info, 'kubeletVersion')),
    os: short(at(info, 'operatingSystem')),
    arch: short(at(info, 'architecture')),
    ready: records(at(node, 'status', 'conditions')).some(({ type, status }) => type === 'Ready' && status === 'True'),
    roles: roles.slice(0, LIMITS.rolesPerNode),
    unschedulable: at(node, 'spec', 'unschedulable') === true,
  };
}

/** A Namespace. */
export function namespaceItem(namespace: unknown): Snapshot['namespaces'][number] {
  return { name: name(at(namespace, 'metadata', 'name')) };
}

/** A Deployment, StatefulSet or DaemonSet. */
export function workloadItem(kind: SnapshotWorkload['kind'], workload: unknown): SnapshotWorkload {
  const status = at(workload, 'status');
  const isDaemon = kind === 'DaemonSet';
  const images = records(at(workload, 'spec', 'template', 'spec', 'containers'))
    .slice(0, LIMITS.imagesPerWorkload)
    .map(({ image }) => clean(image, LIMITS.snapshotImageBytes));
  return {
    kind,
    ...identity(workload),
    uid: short(at(workload, 'metadata', 'uid')),
    desired: isDaemon ? (count(at(status, 'desiredNumberScheduled')) ?? 0) : replicasOf(workload),
    ready: count(at(status, isDaemon ? 'numberReady' : 'readyReplicas')) ?? 0,
    updated: count(at(status, isDaemon ? 'updatedNumberScheduled' : 'updatedReplicas')) ?? 0,
    images,
    paused: at(workload, 'spec', 'paused') === true,
    ...(kind === 'Deployment' ? labelled('application', workload, OPERATION_LABELS.application) : {}),
    ...(kind === 'Deployment' ? labelled('instance', workload, OPERATION_LABELS.instance) : {}),
  };
}

/** The replicas a workload asks for; the API's default for an absent field is 1. */
export function replicasOf(workload: unknown): number {
  return count(at(workload, 'spec', 'replicas')) ?? 1;
}

/** A Pod; of its containers the first 32. */
export function podItem(pod: unknown): SnapshotPod {
  const owner = ownerOf(pod);
  const startedAt = short(at(pod, 'status', 'startTime'));
  return {
    ...identity(pod),
    uid: short(at(pod, 'metadata', 'uid')),
    phase: short(at(pod, 'status', 'phase')),
    node: name(at(pod, 'spec', 'nodeName')),
    ...(owner === undefined ? {} : { ownerKind: short(owner.kind), ownerName: name(owner.name) }),
    ...(startedAt === '' ? {} : { startedAt }),
    containers: podContainersOf(pod),
  };
}

/** The controller; the Deployment in front of a ReplicaSet is known by its name, as ReplicaSets can not be read. */
function ownerOf(pod: unknown): Fields | undefined {
  const owner = records(at(pod, 'metadata', 'ownerReferences')).find(({ controller }) => controller === true);
  const hash = at(pod, 'metadata', 'labels', 'pod-template-hash');
  if (owner?.kind !== 'ReplicaSet' || typeof owner.name !== 'string' || typeof hash !== 'string' || hash === '')
    return owner;
  const front = owner.name.endsWith(`-${hash}`) ? owner.name.slice(0, -hash.length - 1) : '';
  return front === '' ? owner : { kind: 'Deployment', name: front };
}

/** A Service. */
export function serviceItem(service: unknown): SnapshotService {
  const ports = records(at(service, 'spec', 'ports')).slice(0, LIMITS.portsPerService);
  return {
    ...identity(service),
    type: short(at(service, 'spec', 'type')),
    clusterIP: short(at(service, 'spec', 'clusterIP')),
    ports: ports.map(portText),
    ...labelled('instance', service, OPERATION_LABELS.instance),
    ...labelled('service', service, OPERATION_LABELS.service),
  };
}

function portText({ port, nodePort, protocol }: Fields): string {
  const node = count(nodePort) ?? 0;
  return short(`${count(port) ?? 0}${node === 0 ? '' : `:${node}`}/${typeof protocol === 'string' ? protocol : 'TCP'}`);
}

/** A PersistentVolumeClaim. */
export function claimItem(claim: unknown): SnapshotClaim {
  return {
    ...identity(claim),
    phase: short(at(claim, 'status', 'phase')),
    class: name(at(claim, 'spec', 'storageClassName')),
    capacity: short(at(claim, 'status', 'capacity', 'storage')),
  };
}

/** A StorageClass. */
export function storageClassItem(storageClass: unknown): Snapshot['storageClasses'][number] {
  return { name: name(at(storageClass, 'metadata', 'name')), isDefault: isDefaultClass(storageClass) };
}

/** Whether claims that name no class get this one. */
export function isDefaultClass(storageClass: unknown): boolean {
  const annotations = at(storageClass, 'metadata', 'annotations');
  return DEFAULT_CLASS.some((annotation) => at(annotations, annotation) === 'true');
}
