import type { Release } from '../../ports/index.ts';
import { isEnded } from './conclude.ts';

/**
 * Which releases of an application wait for which. Releases asked for over the API are carried out one after another in the order of their
 * revisions; a release of a source is passed over by a newer one of the same source, because only the newest commit counts.
 */

/** True when a newer commit's release took the place of this one. */
export function isPassedOver(releases: readonly Release[], release: Release): boolean {
  return successorsOf(releases, release).length > 0;
}

/** The newer releases of the same source, or of the same request, newest first; none for a release nobody's push made. */
export function successorsOf(releases: readonly Release[], { spec }: Release): readonly Release[] {
  if (spec.origin.kind === 'api') return [];
  return releases.filter(
    (other) =>
      other.spec.revision > spec.revision &&
      other.spec.origin.kind === spec.origin.kind &&
      other.spec.origin.source === spec.origin.source,
  );
}

/** The oldest release that has no end yet. `releases` are newest first. */
export function nextRelease(releases: readonly Release[]): Release | undefined {
  return releases.filter((release) => !isEnded(release)).at(-1);
}
