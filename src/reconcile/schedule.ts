import type { Manifest } from '../kernel/index.ts';
import { ANNOTATIONS } from '../render/index.ts';
import { drift } from './drift.ts';
import { object } from './json.ts';

/** A CronJob with the mark of the attempt that created it: later releases change it, but did not create it (facts 3.1). */
export function keepCreation(desired: Manifest, live: Manifest | undefined): Manifest {
  const mark = live?.metadata.annotations?.[ANNOTATIONS.jobCreation];
  if (desired.kind !== 'CronJob' || mark === undefined) return desired;
  const annotations = { ...desired.metadata.annotations, [ANNOTATIONS.jobCreation]: mark };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

/**
 * The form a CronJob has while its release is still under way: suspended, so that nothing of the new revision runs before all of it is
 * there (facts 3.6). One that already is in its final form stays so.
 */
export function heldBack(desired: Manifest, live: Manifest | undefined): Manifest {
  if (live !== undefined && drift(desired, live).length === 0) return desired;
  return { ...desired, spec: { ...object(desired.spec), suspend: true } };
}
