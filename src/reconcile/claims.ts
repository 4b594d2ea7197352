import { type Manifest, type Problem, problem } from '../kernel/index.ts';
import { LABELS } from '../render/index.ts';
import { drift } from './drift.ts';

/** Where the file asks for a claim: a service's own volume, or a named one. */
function placeOf(claim: Manifest): string {
  const service = claim.metadata.labels?.[LABELS.service];
  return service === undefined
    ? `volumes.${claim.metadata.name.replace(/^hakopod-volume-/, '')}`
    : `services.${service}.volume`;
}

/**
 * Refuses another size, class or access mode than an existing claim has: Kubernetes keeps them, and no release moves data (facts 11.4).
 * `undefined` for everything else, also for objects that are no claims.
 */
export function claimChange(desired: Manifest, live: Manifest | undefined): Problem | undefined {
  if (desired.kind !== 'PersistentVolumeClaim' || live === undefined) return undefined;
  const isChanged = drift(desired, live).some(({ path }) => path.startsWith('spec.'));
  return isChanged ? problem('volume_change', undefined, { at: placeOf(desired) }) : undefined;
}
