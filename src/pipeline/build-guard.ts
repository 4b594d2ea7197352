import { fail, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import type { BuildRun, HeldLease, Release } from '../ports/index.ts';
import type { Application } from '../spec/index.ts';
import type { Deps, Run } from './context.ts';
import { keptPatches } from './kept-patches.ts';
import { planName } from './preview/plans.ts';
import { isEnded } from './release/conclude.ts';
import { checkGrant } from './release/guard.ts';
import { isPassedOver } from './release/order.ts';
import { unpackSpec } from './release-body.ts';

/** What must stay true while an image is built. */
export type BuildGuard = {
  /** Whether the build is still wanted and allowed. */
  check(): Promise<Result<void>>;
  /** Aborts when it is not any more, when the lease is lost and when the worker stops. */
  readonly signal: AbortSignal;
  /** Why the build is not wanted any more. */
  readonly refusal: () => Problem | undefined;
  stop(): void;
};

/** The release a build is for, and what it says. */
export type Wanting = {
  readonly release: Release;
  readonly desired: Application;
  readonly previous: Application | undefined;
};

/**
 * The newest release without an end that needs this build. `superseded` when there is none: a newer one took its place.
 */
export async function releaseWanting(deps: Deps, run: BuildRun): Promise<Result<Wanting>> {
  const releases = await deps.store.releases.ofApplication(run.spec.application);
  if (!releases.ok) return releases;
  const wanting = releases.value.find(
    (release) =>
      !isEnded(release) &&
      Object.values(release.spec.builds ?? {}).includes(run.name) &&
      !isPassedOver(releases.value, release),
  );
  if (wanting === undefined) return fail(problem('superseded'));
  const desired = unpackSpec(wanting.spec.spec);
  if (!desired.ok) return desired;
  const previous = keptPatches(releases.value, wanting.spec.revision);
  return ok({ release: wanting, desired: desired.value, previous: previous.ok ? previous.value : undefined });
}

/**
 * Watches over one build: its release is the newest one, its source has seen no newer commit, and the grant still allows what the release
 * does, at its current revision (invariant 4). Changes are looked at as they come.
 */
export function openBuildGuard(
  deps: Deps,
  input: { readonly run: BuildRun; readonly lease: HeldLease; readonly job: Run },
): BuildGuard {
  const { run, lease, job } = input;
  const unwanted = new AbortController();
  let refusal: Problem | undefined;
  const judge = async (): Promise<Result<void>> => {
    const source = deps.store.sources.cached(run.spec.source);
    // A preview's commit is the head of a request, whatever the ref of its source shows.
    const isOfRef = source?.name === run.spec.application;
    const seen = isOfRef ? source?.status.seen?.commit : undefined;
    if (seen !== undefined && seen !== run.spec.commit) return fail(problem('superseded'));
    const wanting = await releaseWanting(deps, run);
    if (!wanting.ok) return wanting;
    const cancelled = deps.store.applications.cached(run.spec.application)?.status.cancelled;
    if (cancelled?.includes(wanting.value.release.spec.revision) === true) return fail(problem('cancelled'));
    return checkGrant(deps, wanting.value);
  };
  const check = async (): Promise<Result<void>> => {
    if (lease.signal.aborted) return fail(problem('lease_lost'));
    if (job.signal.aborted) return fail(problem('worker_stopping', undefined, { afterMs: 0 }));
    const judged = await judge();
    if (!judged.ok && judged.problem.kind === 'rejected') {
      refusal ??= judged.problem;
      unwanted.abort();
    }
    return judged;
  };
  const look = (name: string): void => {
    if (name === run.spec.source || name === run.spec.application) void check();
  };
  const plan = planOf(deps, run);
  const lookAtPlan = (name: string): void => {
    if (name === plan) void check();
  };
  const { applications, sources, plans } = deps.store;
  const stops = [applications.onChange(look), sources.onChange(look), plans.onChange(lookAtPlan)];
  return {
    check,
    signal: AbortSignal.any([lease.signal, job.signal, unwanted.signal]),
    refusal: () => refusal,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

/** The plan of the request whose preview is built. */
function planOf(deps: Deps, { spec }: BuildRun): string | undefined {
  const preview = deps.store.applications.cached(spec.application)?.spec.preview;
  return preview === undefined ? undefined : planName(preview.source, preview.number);
}
