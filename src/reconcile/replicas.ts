import { at, type Manifest } from '../kernel/index.ts';
import { object } from './json.ts';

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
