import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { releaseDeadline } from '../../reconcile/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Run } from '../context.ts';
import { keptPatches } from '../kept-patches.ts';
import { carryRelease } from './carry.ts';
import { type Ending, isEnded } from './conclude.ts';
import { openGuard } from './guard.ts';
import { readLive, type Session } from './session.ts';

/** A release that is being carried out, newest first among those of its application. */
export type Attempt = {
  readonly release: Release;
  readonly releases: readonly Release[];
  readonly run: Run;
  readonly desired: Application;
};

/** Marks the release as running, with its deadline from the first start on. One that ended meanwhile stays as it is. */
export async function begin(session: Session, release: Release, desired: Application): Promise<Result<Release>> {
  const { clock, options, store } = session.deps;
  const now = clock.now();
  return store.releases.updateStatus(release.name, (current) =>
    isEnded(current)
      ? undefined
      : {
          ...current.status,
          state: 'running',
          attempts: (current.status.attempts ?? 0) + 1,
          startedAt: current.status.startedAt ?? now.toISOString(),
          deadline: current.status.deadline ?? releaseDeadline(desired, options, now).toISOString(),
        },
  );
}

/** One try at the release. A failure is worth another try; an ending is final. */
export async function attempt(session: Session, { release, releases, run, desired }: Attempt): Promise<Result<Ending>> {
  const { clock } = session.deps;
  const deadline = new Date(release.status.deadline ?? clock.now());
  const isLate = clock.now().getTime() >= deadline.getTime();
  if (isLate) return ok({ state: 'failed', problem: problem('release_deadline'), lost: true });
  const before = keptPatches(releases, release.spec.revision);
  const { resumed } = release.status;
  const carried = await carryWatched(session, {
    release,
    acting: release,
    run,
    desired,
    previous: before.ok ? before.value : undefined,
    deadline,
    ...(resumed === undefined ? {} : { only: new Set(resumed.services) }),
  });
  return carried.ok ? ok({ state: 'succeeded' }) : endingOf(carried.problem);
}

/** Something to carry out on a release's behalf. */
export type Watched = {
  /** Whose authority, cancellation and place in the queue count. */
  readonly release: Release;
  /** Whose content is carried out, under the name of `release`. */
  readonly acting: Release;
  readonly run: Run;
  readonly desired: Application;
  readonly previous: Application | undefined;
  readonly deadline: Date;
  /** Leads the names of the steps on record. */
  readonly prefix?: string;
  /** The services to carry out; all of them without. */
  readonly only?: ReadonlySet<string>;
};

/** Carries out a release as long as its guard lets it. */
export async function carryWatched(session: Session, watched: Watched): Promise<Result<void>> {
  const { release, run, desired, previous, acting, deadline, prefix, only } = watched;
  const guard = openGuard(session.deps, { lease: session.lease, run, release, desired, previous });
  try {
    const allowed = guard.check();
    const live = allowed.ok ? await readLive(session) : allowed;
    if (!live.ok) return live;
    const scope = { ...(prefix === undefined ? {} : { prefix }), ...(only === undefined ? {} : { only }) };
    return await carryRelease({ session, release: acting, desired, guard, deadline, ...scope });
  } finally {
    guard.stop();
  }
}

/** Somebody took back the order or the right to it. */
const CANCELLING: ReadonlySet<string> = new Set([
  'grant_refused',
  'grant_expired',
  'cancelled',
  'authority_revoked',
  'kubernetes_patches_disabled',
  'kubernetes_patch_refused',
]);

function endingOf(p: Problem): Result<Ending> {
  if (p.kind !== 'rejected') return fail(p);
  if (p.code === 'superseded') return ok({ state: 'superseded', problem: p });
  return ok({ state: CANCELLING.has(p.code) ? 'cancelled' : 'failed', problem: p });
}
