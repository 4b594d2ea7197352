import { ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { BuildRun, Release } from '../../ports/index.ts';
import type { Application } from '../../spec/index.ts';
import { ensureBuilds } from '../builds.ts';
import type { Ending } from './conclude.ts';
import type { Session } from './session.ts';

/** Where a release stands with its images. */
export type BuildStanding =
  | { readonly kind: 'ready' }
  /** Their jobs are queued; the release waits, and its own deadline has not begun. */
  | { readonly kind: 'building' }
  | { readonly kind: 'ended'; readonly ending: Ending };

/** Looks at the builds of a release that has no end yet. A failed or cancelled build is the end of its release. */
export async function settleBuilds(
  session: Session,
  release: Release,
  desired: Application,
): Promise<Result<BuildStanding>> {
  if (release.spec.builds === undefined) return ok({ kind: 'ready' });
  const builds = await ensureBuilds(session.deps, release, desired);
  if (!builds.ok) return builds;
  const runs = [...builds.value.runs.values()];
  const bad = runs.find((run) => run.status.state === 'failed') ?? runs.find((run) => run.status.state === 'cancelled');
  if (bad !== undefined) return ok({ kind: 'ended', ending: endingOf(bad) });
  if (builds.value.unfinished.length === 0) return ok({ kind: 'ready' });
  const queued = await session.deps.jobs.addAll(
    builds.value.unfinished.map((name) => ({ queue: 'build', build: name }) as const),
  );
  return queued.ok ? ok({ kind: 'building' }) : queued;
}

function endingOf({ spec, status }: BuildRun): Ending {
  const code = (status.code ?? 'build_failed') as Problem['code'];
  if (status.state === 'cancelled' && code === 'superseded') return { state: 'superseded', problem: problem(code) };
  const reason = problem(code, status.message, code === 'superseded' ? {} : { at: `services.${spec.service}.build` });
  return { state: status.state === 'cancelled' ? 'cancelled' : 'failed', problem: reason };
}
