import { type GitSource, RESUMED_REVISION, type Release } from '../ports/index.ts';

/**
 * The release that keeps a source from deploying the commit it has seen: somebody deployed something else over the API, a rollback for
 * example, after that commit. A new commit ends the hold, and so does `hakopod sources resume`. Follows from the newest release alone, so it
 * is on record from the moment that release is accepted.
 */
export function holdOf(source: GitSource, latest: Release | undefined): Release | undefined {
  const held = latest?.spec.origin.holds;
  if (latest === undefined || held === undefined || held !== source.status.seen?.commit) return undefined;
  const resumed = Number(source.annotations[RESUMED_REVISION] ?? 0);
  return resumed >= latest.spec.revision ? undefined : latest;
}
