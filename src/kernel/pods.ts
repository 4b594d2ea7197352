import { at, type Fields, records } from './fields.ts';
import type { Manifest } from './manifest.ts';

/** Kubernetes' fixed reasons are one word of letters, 1 to 64; anything else is somebody's prose and is not repeated. */
export function reasonWord(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z]{1,64}$/.test(value) ? value : undefined;
}

/** The newest pod, by creation, then by name, so that the answer does not depend on the order of the list. */
export function newestPod(pods: readonly Manifest[]): Manifest | undefined {
  const age = (pod: Manifest): string => `${pod.metadata.creationTimestamp ?? ''} ${pod.metadata.name}`;
  return [...pods].sort((a, b) => (age(a) < age(b) ? 1 : -1))[0];
}

/** How a pod's containers stand, the initial ones first. */
export function containerStatuses(pod: unknown): readonly Fields[] {
  return [...records(at(pod, 'status', 'initContainerStatuses')), ...records(at(pod, 'status', 'containerStatuses'))];
}
