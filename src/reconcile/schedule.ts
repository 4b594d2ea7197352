import type { Manifest } from '../kernel/index.ts';
import { drift } from './drift.ts';
import { object } from './json.ts';

/**
 * The form a CronJob has while its release is still under way: suspended, so that nothing of the new revision runs before all of it is
 * there (facts 3.6). One that already is in its final form stays so.
 */
export function heldBack(desired: Manifest, live: Manifest | undefined): Manifest {
  if (live !== undefined && drift(desired, live).length === 0) return desired;
  return { ...desired, spec: { ...object(desired.spec), suspend: true } };
}
