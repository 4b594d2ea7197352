import { at, type Manifest } from '../kernel/index.ts';
import { array, object } from './json.ts';

/**
 * A Deployment that an autoscaler scales, with the replicas it has now instead of those it begins with, so that no release scales it back
 * (facts 3.3). Within the autoscaler's bounds: outside of them, and at zero, it does nothing, so the nearest bound is where it goes on.
 */
export function keepReplicas(
  desired: Manifest,
  live: Manifest | undefined,
  autoscaler: Manifest | undefined,
): Manifest {
  const now = at(live, 'spec', 'replicas');
  if (autoscaler === undefined || typeof now !== 'number') return desired;
  const bound = (field: string, otherwise: number): number => {
    const value = at(autoscaler, 'spec', field);
    return typeof value === 'number' ? value : otherwise;
  };
  const replicas = Math.min(Math.max(now, bound('minReplicas', 1)), bound('maxReplicas', now));
  return { ...desired, spec: { ...object(desired.spec), replicas } };
}

/** The field manager of Kubernetes' own autoscaler, under which any HorizontalPodAutoscaler scales, whoever made it. */
const AUTOSCALER = 'kube-controller-manager';

/**
 * A Deployment that somebody else's autoscaler scales, with the replicas it has: they are the autoscaler's, as the live object says (its
 * `managedFields`, which lists leave out). Replicas that a person set are nobody's in that sense.
 */
export function keepForeignReplicas(desired: Manifest, live: Manifest | undefined): Manifest {
  const replicas = at(live, 'spec', 'replicas');
  const isScaled = array(at(live, 'metadata', 'managedFields')).some(
    (entry) =>
      entry.manager === AUTOSCALER &&
      entry.subresource === 'scale' &&
      at(entry, 'fieldsV1', 'f:spec', 'f:replicas') !== undefined,
  );
  return isScaled && typeof replicas === 'number'
    ? { ...desired, spec: { ...object(desired.spec), replicas } }
    : desired;
}
