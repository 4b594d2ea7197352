import { at, type Manifest } from '../kernel/index.ts';
import { object } from './json.ts';

/** Written by the API server or by nobody: never compared. */
const SERVER_METADATA = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** Fields the API server assigns when the object leaves them out, by kind. */
const ASSIGNED: Readonly<Record<string, readonly string[]>> = {
  Namespace: ['spec.finalizers', 'spec', 'metadata.labels.kubernetes.io/metadata.name'],
  Service: ['spec.clusterIP', 'spec.clusterIPs', 'spec.ipFamilies', 'spec.ipFamilyPolicy'],
  // Absent in the desired object only while an autoscaler owns it.
  Deployment: ['spec.replicas'],
  // The class only when the file names none; another one is a change that is refused.
  PersistentVolumeClaim: ['spec.volumeName', 'spec.storageClassName'],
  Job: [
    'spec.selector',
    'spec.template.metadata.labels.batch.kubernetes.io/controller-uid',
    'spec.template.metadata.labels.batch.kubernetes.io/job-name',
    'spec.template.metadata.labels.controller-uid',
    'spec.template.metadata.labels.job-name',
  ],
};

/** Ours, or read by the ingress controller and its issuer: on any object such an annotation configures what is public. */
const GUARDED_ANNOTATION = /hakopod|haproxy|ingress|cert-manager/;
/** Ours alone; another value or key would move the object to another owner or network. */
const GUARDED_LABEL = /hakopod|^app\.kubernetes\.io\/managed-by$|^pod-security\.kubernetes\.io\//;
/** On a pod template these change how the pod is confined or connected; the rest stays, as it restarts nothing (facts 3.3). */
const GUARDED_TEMPLATE_ANNOTATION = /hakopod|apparmor|seccomp|cni\.cncf\.io|^cni\./;

/** Whether the API server, not a person, puts a value at this path. */
export function isAssigned(kind: string, path: readonly string[]): boolean {
  if (path[0] === 'status') return true;
  if (path[0] === 'metadata' && path.length === 2 && SERVER_METADATA.has(path[1] ?? '')) return true;
  return ASSIGNED[kind]?.includes(path.join('.')) ?? false;
}

/**
 * Whether what somebody else put at this path may stay: labels and annotations that mean nothing to us, and finalizers, whose owners wait for
 * their turn. Everything that is not named here is ours, also fields Kubernetes adds in future.
 */
export function isHarmless(_kind: string, path: readonly string[]): boolean {
  const place = path.slice(0, -1).join('.');
  const key = path.at(-1) ?? '';
  if (place === 'metadata' && key === 'finalizers') return true;
  if (place === 'metadata.annotations') return !GUARDED_ANNOTATION.test(key);
  if (place === 'metadata.labels') return !GUARDED_LABEL.test(key);
  return place === 'spec.template.metadata.annotations' && !GUARDED_TEMPLATE_ANNOTATION.test(key);
}

/** Where labels and annotations of others may be carried over. */
const KEY_MAPS = [
  ['metadata', 'annotations'],
  ['metadata', 'labels'],
  ['spec', 'template', 'metadata', 'annotations'],
] as const;

/**
 * Paths of the labels and annotations an object sets in places where a stranger's may stay, our own marks apart; sorted. Without a record of
 * them, one that a later release no longer sets would pass for a stranger's.
 */
export function ownKeys(manifest: Manifest): readonly string[] {
  return KEY_MAPS.flatMap((path) => {
    return Object.keys(object(at(manifest, ...path)) ?? {})
      .filter((key) => isHarmless(manifest.kind, [...path, key]))
      .map((key) => [...path, key].join('.'));
  }).sort();
}

/** What a full replacement keeps of the live object's labels or annotations at a path. */
export function carriedKeys(live: Manifest, path: readonly string[]): Record<string, unknown> {
  const map = object(at(live, ...path)) ?? {};
  return Object.fromEntries(Object.entries(map).filter(([key]) => isHarmless(live.kind, [...path, key])));
}
