import { digestOf, fail, ok, type Result } from '../../kernel/index.ts';
import type { Before, Placement } from '../../plan/index.ts';
import type { Release } from '../../ports/index.ts';
import { type Application, sharedGroups, storageGroupName } from '../../spec/index.ts';
import { preflightOf } from '../preflight.ts';
import { unpackSpec } from '../release-body.ts';
import type { Carrying } from './carrying.ts';
import { lastGoodBefore } from './standing.ts';

/**
 * Asks again, before anything is written, whether the cluster has room for a release (facts 11.1), and answers where its groups of services
 * that share storage go. The answer is put on record with the release, so that whoever renders it later renders the same.
 */
export async function placeRelease(carrying: Carrying): Promise<Result<Placement>> {
  const { session, release, desired, guard, prefix } = carrying;
  const before = await placedBefore(carrying);
  if (!before.ok) return before;
  const judged = await preflightOf(session.deps, {
    application: desired,
    id: session.id,
    before: before.value,
    signal: guard.signal,
  });
  if (!judged.ok) {
    // A reading that was cut off says nothing; why it was does.
    const stopped = guard.check();
    return stopped.ok ? judged : stopped;
  }
  const { problems, placement } = judged.value;
  const [first] = problems;
  if (first !== undefined) return fail(first);
  // An earlier revision that is put back is not this release.
  if (prefix !== undefined || groupsOf(desired).length === 0) return ok(placement);
  const recorded = Object.fromEntries(Object.entries(placement).map(([group, nodes]) => [group, [...nodes]]));
  if (digestOf(recorded) === digestOf(release.status.placement ?? null)) return ok(placement);
  const written = await session.deps.store.releases.updateStatus(release.name, (current) => ({
    ...current.status,
    placement: recorded,
  }));
  return written.ok ? ok(placement) : written;
}

/** The groups that run already and where they were placed: by an earlier try of this release, or by the last that succeeded. */
async function placedBefore({ session, release, desired }: Carrying): Promise<Result<Before>> {
  const groups = groupsOf(desired);
  if (groups.length === 0) return ok({ groups, placement: {} });
  const own = release.status.placement;
  if (own !== undefined) return ok({ groups, placement: own });
  const releases = await session.deps.store.releases.ofApplication(release.spec.application);
  if (!releases.ok) return releases;
  const last = lastGoodBefore(releases.value, release);
  return last === undefined ? ok({ groups: [], placement: {} }) : ok(beforeOf(last));
}

function beforeOf({ spec, status }: Release): Before {
  const known = unpackSpec(spec.spec);
  return { groups: known.ok ? groupsOf(known.value) : [], placement: status.placement ?? {} };
}

function groupsOf(application: Application): readonly string[] {
  return sharedGroups(application).flatMap((members) => storageGroupName(application, members) ?? []);
}
