import { at, isOwnedBy, MANAGED_BY, type ObjectRef } from '../../../kernel/index.ts';
import type { WorkloadRef } from '../../../ports/cluster-operations/index.ts';

const KINDS = {
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  statefulset: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  daemonset: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  pod: { apiVersion: 'v1', kind: 'Pod' },
} as const;

/** The object a reference names. */
export function objectOf({ namespace, kind, name }: WorkloadRef): ObjectRef {
  return { ...KINDS[kind], namespace, name };
}

/** Whether an object belongs to an application of ours, which alone may change it. */
export function isManaged(object: unknown): boolean {
  return isOwnedBy(object, MANAGED_BY);
}

/** Whether the claims of a StatefulSet's replicas go with the replicas, or with the whole. */
export function deletesClaims(object: unknown, when: 'whenScaled' | 'whenDeleted'): boolean {
  return at(object, 'spec', 'persistentVolumeClaimRetentionPolicy', when) === 'Delete';
}
