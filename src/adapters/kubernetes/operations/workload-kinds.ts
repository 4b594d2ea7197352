import type { ObjectRef } from '../../../kernel/index.ts';
import { OPERATION_LABELS, type WorkloadRef } from '../../../ports/cluster-operations/index.ts';
import type { Right } from './api.ts';
import { at } from './fields.ts';

const KINDS = {
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment', group: 'apps', resource: 'deployments' },
  statefulset: { apiVersion: 'apps/v1', kind: 'StatefulSet', group: 'apps', resource: 'statefulsets' },
  daemonset: { apiVersion: 'apps/v1', kind: 'DaemonSet', group: 'apps', resource: 'daemonsets' },
  pod: { apiVersion: 'v1', kind: 'Pod', group: '', resource: 'pods' },
} as const;

/** The object a reference names. */
export function objectOf({ namespace, kind, name }: WorkloadRef): ObjectRef {
  const { apiVersion, kind: objectKind } = KINDS[kind];
  return { apiVersion, kind: objectKind, namespace, name };
}

/** The right to use a verb on exactly the object a reference names. */
export function rightOn({ namespace, kind, name }: WorkloadRef, verb: string): Right {
  const { group, resource } = KINDS[kind];
  return { verb, group, resource, namespace, name };
}

/** Whether an object belongs to an application of ours, which alone may change it. */
export function isManaged(object: unknown): boolean {
  return at(object, 'metadata', 'labels', OPERATION_LABELS.managedBy) === OPERATION_LABELS.manager;
}

/** Whether the claims of a StatefulSet's replicas go with the replicas, or with the whole. */
export function deletesClaims(object: unknown, when: 'whenScaled' | 'whenDeleted'): boolean {
  return at(object, 'spec', 'persistentVolumeClaimRetentionPolicy', when) === 'Delete';
}
