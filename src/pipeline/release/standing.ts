import { ok, type Result, releaseName } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import type { View } from './session.ts';

/** The revision that was put back after this release failed. */
export function recoveredRevision({ status }: Release): number | undefined {
  return status.state === 'failed' && status.recovery?.state === 'succeeded' ? status.recovery.revision : undefined;
}

/**
 * What an earlier release ran, in the name of a later one: written under the later one's name, so that what it left behind is recognised
 * as ours, with the earlier one's revision, so that what it did not touch stays untouched.
 */
export function inNameOf(attempted: Release, good: Release): Release {
  const { resolved, credentials } = good.status;
  const status = { ...attempted.status, resolved, credentials };
  return { ...attempted, spec: { ...good.spec, origin: attempted.spec.origin }, status };
}

/** The newest release before this one that succeeded; `releases` are newest first. */
export function lastGoodBefore(releases: readonly Release[], { spec: { revision } }: Release): Release | undefined {
  return releases.find(({ spec, status }) => spec.revision < revision && status.state === 'succeeded');
}

/** What an application runs at rest once this release has ended: what it says itself, or what was put back after it failed. */
export async function standingRelease(
  session: Pick<View, 'deps' | 'application'>,
  release: Release,
): Promise<Result<Release>> {
  const revision = recoveredRevision(release);
  if (revision === undefined) return ok(release);
  const good = await session.deps.store.releases.get(releaseName(session.application, revision));
  return good.ok && good.value !== undefined ? ok(inNameOf(release, good.value)) : good.ok ? ok(release) : good;
}
