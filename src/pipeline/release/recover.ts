import { ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { type Application, recoveryBlockers } from '../../spec/index.ts';
import { unpackSpec } from '../release-body.ts';
import { type Attempt, carryWatched } from './attempt.ts';
import type { Ending } from './conclude.ts';
import type { Session } from './session.ts';
import { inNameOf, lastGoodBefore } from './standing.ts';

type Recovery = NonNullable<Release['status']['recovery']>;
type Failed = Extract<Ending, { readonly problem: unknown }>;

/** Leads the names of the steps of a recovery. */
export const RECOVERY = 'recovery/';

/** How a release failed that a run was cut off from ending, while its recovery went on or after it; `undefined` when it has not failed. */
export function interruptedFailure({ status }: Release): Failed | undefined {
  if (status.recovery === undefined || status.state !== 'running') return undefined;
  const { code = 'rollout_failed', message, at, lost } = status;
  const reason = problem(code as Problem['code'], message, at === undefined ? {} : { at });
  return { state: 'failed', problem: reason, ...(lost === undefined ? {} : { lost }) };
}

/**
 * Puts the whole last good release back after one has failed, where that is safe (facts 2.11 and 6.3): its specification and its digests,
 * with the secret values of now. The attempted release stays failed. What must not be put back is skipped, with the reason; a recovery has
 * half of its release's time. A run that was cut off goes on where it stood. Fails only with what another try may mend.
 */
export async function recover(session: Session, attempted: Attempt, failed: Failed): Promise<Result<Release>> {
  const { release, releases, desired } = attempted;
  const { recovery } = release.status;
  if (recovery !== undefined && recovery.state !== 'running') return ok(release);
  const good = lastGoodBefore(releases, release);
  const previous = good === undefined ? undefined : unpackSpec(good.spec.spec);
  const [blocker] = recoveryBlockers(previous?.ok === true ? previous.value : undefined, desired);
  if (blocker !== undefined || good === undefined || previous?.ok !== true) {
    const { at, message } = blocker ?? { message: 'no release has succeeded before' };
    return mark(session, release, {
      state: 'skipped',
      ...(good === undefined ? {} : { revision: good.spec.revision }),
      message: at === undefined ? message : `${at}: ${message}`,
      failed,
    });
  }
  const begun = await beginRecovery(session, release, { failed, revision: good.spec.revision });
  if (!begun.ok) return begun;
  return putBack(session, { ...attempted, release: begun.value }, { good, desired: previous.value });
}

async function putBack(
  session: Session,
  attempted: Attempt,
  { good, desired }: { readonly good: Release; readonly desired: Application },
): Promise<Result<Release>> {
  const { release, run } = attempted;
  const deadline = new Date(release.status.recovery?.deadline ?? session.deps.clock.now());
  const { revision } = good.spec;
  if (session.deps.clock.now().getTime() >= deadline.getTime())
    return mark(session, release, { state: 'failed', revision, ...worded(problem('release_deadline')) });
  const carried = await carryWatched(session, {
    release,
    acting: inNameOf(release, good),
    run,
    desired,
    // Everything in it ran before: it adds no patch.
    previous: desired,
    deadline,
    prefix: RECOVERY,
  });
  if (carried.ok) return mark(session, release, { state: 'succeeded', revision });
  if (carried.problem.kind !== 'rejected') return carried;
  return mark(session, release, { state: 'failed', revision, ...worded(carried.problem) });
}

function worded({ code, message, at }: Problem): Pick<Recovery, 'code' | 'message'> {
  return { code, message: at === undefined ? message : `${at}: ${message}` };
}

/** The failure goes on record with the beginning of its recovery: whoever takes over must not try the release again. */
function beginRecovery(
  session: Session,
  release: Release,
  { failed, revision }: { readonly failed: Failed; readonly revision: number },
): Promise<Result<Release>> {
  const { clock, store } = session.deps;
  const now = clock.now();
  const { startedAt, deadline } = release.status;
  const half = (Date.parse(deadline ?? '') - Date.parse(startedAt ?? '')) / 2;
  return store.releases.updateStatus(release.name, ({ status }) =>
    status.state !== 'running' || status.recovery?.state === 'running'
      ? undefined
      : {
          ...status,
          ...recorded(failed),
          recovery: {
            state: 'running',
            revision,
            startedAt: now.toISOString(),
            deadline: new Date(now.getTime() + (Number.isFinite(half) ? half : 0)).toISOString(),
          },
        },
  );
}

/** How a release failed, as it stands on record. */
function recorded({ problem: { code, message, at }, lost }: Failed): Partial<Release['status']> {
  return { code, message, ...(at === undefined ? {} : { at }), ...(lost === true ? { lost: true } : {}) };
}

/** `failed`: how the release did, where that is not on record yet. */
type Came = Pick<Recovery, 'state' | 'revision' | 'code' | 'message'> & { readonly failed?: Failed };

function mark(session: Session, release: Release, { failed, ...came }: Came): Promise<Result<Release>> {
  const { clock, log, store } = session.deps;
  const now = clock.now().toISOString();
  log.info('recovery', { release: release.name, state: came.state, revision: came.revision, code: came.code });
  return store.releases.updateStatus(release.name, ({ status }) =>
    status.state !== 'running'
      ? undefined
      : {
          ...status,
          ...(failed === undefined ? {} : recorded(failed)),
          recovery: { startedAt: now, ...status.recovery, ...came, finishedAt: now },
        },
  );
}
