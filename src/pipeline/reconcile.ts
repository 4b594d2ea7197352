import { ok, problem, type Result } from '../kernel/index.ts';
import type { Application as ApplicationResource, HeldLease, Release } from '../ports/index.ts';
import { hasFailed, isAtRest } from './at-rest.ts';
import type { Deps, Run } from './context.ts';
import { reportOf } from './ledger.ts';
import { cancelOpen } from './orphans.ts';
import { type Attempt, attempt, begin } from './release/attempt.ts';
import { settleBuilds } from './release/builds.ts';
import { announce, type Ending, endRelease, isEnded, phaseAtRest, pruneHistory } from './release/conclude.ts';
import { isAsReleased, maintain } from './release/maintain.ts';
import { isPassedOver, nextRelease, successorsOf } from './release/order.ts';
import { interruptedFailure, recover } from './release/recover.ts';
import { openSession, type Session, viewOf, writeApplication } from './release/session.ts';
import { recoveredRevision, standingRelease } from './release/standing.ts';
import { stopJobs } from './release/stop-jobs.ts';
import { takeDown } from './release/take-down.ts';
import { lostDomains, withdrawDomains } from './release/withdraw-domains.ts';
import { unpackSpec } from './release-body.ts';

/** A lease name fits Kubernetes' rules: `application-` and 32 hex digits. */
export function leaseName(application: ApplicationResource): string {
  return `application-${application.spec.id}`;
}

/**
 * Brings one application to its newest accepted release, under its lease: what a newer commit passed over is superseded, the others are
 * carried out in the order of their revisions, their ends are announced. With nothing to release, what runs is compared with the cluster
 * and drift is removed.
 */
export async function reconcile(deps: Deps, job: { readonly application: string }, run: Run): Promise<Result<void>> {
  const read = await deps.store.applications.get(job.application);
  if (!read.ok) return read;
  if (read.value === undefined) return cancelOpen(deps, job.application);
  if (await isQuiet(deps, read.value)) return ok(undefined);
  const lease = await deps.leases.acquire(leaseName(read.value));
  if (!lease.ok) return lease;
  try {
    return await takeTurn(deps, { name: job.application, lease: lease.value, run });
  } finally {
    await lease.value.release();
  }
}

/**
 * True for an application at rest that is as released, so that looking at it takes no lease and writes nothing. Whatever else it is, or can
 * not be read, is for a turn under the lease to find out.
 */
async function isQuiet(deps: Deps, application: ApplicationResource): Promise<boolean> {
  const { acceptedRevision = 0 } = application.status;
  if (application.deleting || !isAtRest(application)) return false;
  const releases = await deps.store.releases.ofApplication(application.name);
  if (!releases.ok) return false;
  const [latest] = releases.value;
  if (latest === undefined || latest.spec.revision < acceptedRevision) return false;
  const isSettled = ({ spec }: Release): boolean => spec.applicationId === application.spec.id;
  if (!releases.value.every((one) => isSettled(one) && isEnded(one) && !isUntold({ deps }, one))) return false;
  if (hasFailed(application.status.phase)) {
    const lost = await lostDomains(viewOf(deps, application));
    return latest.status.state !== 'succeeded' && lost.ok && lost.value.length === 0;
  }
  const standing = await standingRelease({ deps, application: application.name }, latest);
  return standing.ok && isAsReleased(deps, application, { latest, standing: standing.value });
}

type Turn = { readonly name: string; readonly lease: HeldLease; readonly run: Run };

async function takeTurn(deps: Deps, turn: Turn): Promise<Result<void>> {
  const application = await deps.store.applications.get(turn.name);
  if (!application.ok) return application;
  if (application.value === undefined) return ok(undefined);
  const opened = await openSession(deps, turn.lease, application.value);
  if (!opened.ok) return opened;
  const session = opened.value;
  if (application.value.deleting) return takeDown(session, application.value);
  // Each round ends one release; a newer one accepted meanwhile is the next round.
  for (let ended = 0; ; ended += 1) {
    const releases = await ownReleases(session);
    if (!releases.ok) return releases;
    const settled = await settle(session, releases.value);
    if (!settled.ok) return settled;
    const next = nextRelease(releases.value);
    if (next === undefined)
      return ended > 0
        ? ok(undefined)
        : rest(session, turn, { application: application.value, releases: releases.value });
    const done = await carryOut(session, { release: next, releases: releases.value, run: turn.run });
    if (!done.ok) return done;
    if (done.value === 'building') return ok(undefined);
  }
}

/**
 * The releases of this application, newest first. One of an earlier application of this name is a request that outlived it: it is ended and
 * forgotten, and never carried out here.
 */
async function ownReleases(session: Session): Promise<Result<readonly Release[]>> {
  const { store } = session.deps;
  const releases = await store.releases.ofApplication(session.application);
  if (!releases.ok) return releases;
  for (const stray of releases.value.filter(({ spec }) => spec.applicationId !== session.id)) {
    const cancelled = problem('cancelled', 'the application was removed');
    const ended = await endRelease(session, stray, { state: 'cancelled', problem: cancelled });
    if (!ended.ok) return ended;
    const deleted = await store.releases.delete(stray.name, stray.uid);
    if (!deleted.ok) return deleted;
  }
  return ok(releases.value.filter(({ spec }) => spec.applicationId === session.id));
}

/** Ends what a newer release passed over, and repeats announcements that a crash may have cut off. */
async function settle(session: Session, releases: readonly Release[]): Promise<Result<void>> {
  const [latest] = releases;
  if (latest === undefined) return ok(undefined);
  for (const release of releases.slice(1)) {
    const settled = await settleOlder(session, releases, release);
    if (!settled.ok) return settled;
  }
  const phase = session.deps.store.applications.cached(session.application)?.status.phase;
  if (isEnded(latest) && (phase === 'queued' || phase === undefined || isUntold(session, latest)))
    return announce(session, latest, { isLatest: isLast(releases), by: seenCommit(session, latest) });
  return ok(undefined);
}

/** Until the older ones have ended too, the application waits for them, and its cancellations may be of them. */
function isLast(releases: readonly Release[]): boolean {
  return nextRelease(releases) === undefined;
}

/**
 * A release that a newer commit passed over is superseded at the latest now. Its commit's status is its to tell, unless a newer release
 * carries the same commit.
 */
async function settleOlder(session: Session, releases: readonly Release[], release: Release): Promise<Result<void>> {
  const wasEnded = isEnded(release);
  if (!wasEnded && !isPassedOver(releases, release)) return ok(undefined);
  const superseded: Ending = { state: 'superseded', problem: problem('superseded') };
  const ended = wasEnded ? ok(release) : await endRelease(session, release, superseded);
  if (!ended.ok) return ended;
  if (hasNewer(releases, release) || (wasEnded && !isUntold(session, release))) return ok(undefined);
  return announce(session, ended.value, { isLatest: false, by: successor(releases, release) });
}

function hasNewer(releases: readonly Release[], { spec }: Release): boolean {
  const isSame = ({ origin }: Release['spec']): boolean =>
    origin.source === spec.origin.source && origin.commit === spec.origin.commit;
  return releases.some((other) => other.spec.revision > spec.revision && isSame(other.spec));
}

/** The commit a release without a successor was given up for: its source saw a newer one, whose own plan may have been refused. */
function seenCommit(session: Session, release: Release): string | undefined {
  const { source } = release.spec.origin;
  return source === undefined ? undefined : session.deps.store.sources.cached(source)?.status.seen?.commit;
}

/** The commit of the release that came right after. */
function successor(releases: readonly Release[], release: Release): string | undefined {
  return successorsOf(releases, release).at(-1)?.spec.origin.commit;
}

/** True when the source still waits to hear how this release ended. */
function isUntold(session: Pick<Session, 'deps'>, release: Release): boolean {
  const { source, commit } = release.spec.origin;
  const known = source === undefined ? undefined : session.deps.store.sources.cached(source);
  return known !== undefined && commit !== undefined && reportOf(known, commit)?.desired.outcome === 'pending';
}

async function carryOut(
  session: Session,
  input: { readonly release: Release; readonly releases: readonly Release[]; readonly run: Run },
): Promise<Result<'ended' | 'building'>> {
  const desired = unpackSpec(input.release.spec.spec);
  const built = desired.ok ? await settleBuilds(session, input.release, desired.value) : ok({ kind: 'ready' } as const);
  if (!built.ok) return built;
  if (built.value.kind === 'building') return ok('building');
  if (built.value.kind === 'ended') return end(session, input, built.value.ending);
  const begun = desired.ok ? await begin(session, input.release, desired.value) : ok(input.release);
  if (!begun.ok) return begun;
  const release = begun.value;
  // Cancelled in the moment before it began: the next round announces it.
  if (isEnded(release)) return ok('ended');
  if (!desired.ok) return end(session, { ...input, release }, { state: 'failed', problem: desired.problem });
  return tryOut(session, { ...input, release, desired: desired.value });
}

/** Tries a release, and puts the last good one back where it failed. One whose recovery was cut off has failed already. */
async function tryOut(session: Session, attempted: Attempt): Promise<Result<'ended'>> {
  const interrupted = interruptedFailure(attempted.release);
  const ending = interrupted === undefined ? await attempt(session, attempted) : ok(interrupted);
  if (!ending.ok) return ending;
  if (ending.value.state === 'cancelled') {
    const stopped = await stopJobs(session, attempted.release, attempted.desired);
    // What the cluster does not permit is no reason to keep a cancelled release going.
    if (!stopped.ok && stopped.problem.kind !== 'rejected') return stopped;
  }
  if (ending.value.state !== 'failed') return end(session, attempted, ending.value);
  const recovered = await recover(session, attempted, ending.value);
  return recovered.ok ? end(session, { ...attempted, release: recovered.value }, ending.value) : recovered;
}

async function end(
  session: Session,
  input: { readonly release: Release; readonly releases: readonly Release[] },
  ending: Ending,
): Promise<Result<'ended'>> {
  const { release } = input;
  const ended = await endRelease(session, release, ending);
  if (!ended.ok) return ended;
  // A newer acceptance makes this one's successor known only from a fresh list; the next round of the turn announces it then.
  if (ending.state === 'superseded') return ok('ended');
  const told = await announce(session, ended.value, { isLatest: true, by: undefined });
  if (!told.ok) return told;
  const { application } = session;
  session.deps.log.debug('application reconciled', { application, revision: release.spec.revision });
  const pruned = await pruneHistory(session, [
    ended.value,
    ...input.releases.filter((other) => other.name !== release.name),
  ]);
  return pruned.ok ? ok('ended') : pruned;
}

/** A request to the API ends long before. */
const ACCEPTING_MS = 60_000;

type AtRest = { readonly application: ApplicationResource; readonly releases: readonly Release[] };

/**
 * Nothing waits: see that the cluster still is what the last good release made it. An accepted release that is not there any more was
 * deleted by somebody, and its commit hears that it was cancelled.
 */
async function rest(session: Session, turn: Turn, { application, releases }: AtRest): Promise<Result<void>> {
  const [latest] = releases;
  const { phase, acceptedRevision = 0, acceptedAt } = application.status;
  if (phase === 'queued' && acceptedRevision > (latest?.spec.revision ?? 0)) {
    const age = session.deps.clock.now().getTime() - Date.parse(acceptedAt ?? '');
    // The API takes the revision a moment before it creates the release; the resync looks again.
    if (age < ACCEPTING_MS) return ok(undefined);
    const written = await writeApplication(session, (status) => ({ ...status, phase: phaseAtRest(latest) }));
    return written.ok ? cancelOpen(session.deps, session.application) : written;
  }
  if (latest === undefined) return ok(undefined);
  if (latest.status.state !== 'succeeded' && recoveredRevision(latest) === undefined) return withdrawDomains(session);
  const standing = await standingRelease(session, latest);
  return standing.ok ? maintain(session, { latest, standing: standing.value }, turn.run) : standing;
}
