import { describe, fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type {
  Application,
  GitSource,
  PlanEnvironment,
  PullRequest,
  PullRequestPlan,
  Release,
} from '../../ports/index.ts';
import { type Application as Spec, withPosition } from '../../spec/index.ts';
import type { Deps, Run } from '../context.ts';
import { installationRefusals } from '../installation-refusals.ts';
import { jobsAfterAcceptance } from '../plan-builds.ts';
import { preflightOf } from '../preflight.ts';
import { isEnded } from '../release/conclude.ts';
import type { ValidSpec } from '../spec-at-commit.ts';
import { acceptHead, awaitRelease, type Head, releaseOf } from './accept.ts';
import { checkPreviewGrant } from './check-grant.ts';
import { isOver, wantsEnvironment } from './due.ts';
import { environmentName, isPreview, type Preview, previewSlug } from './names.ts';
import { observeEnvironment } from './observe.ts';
import { takePlace } from './place.ts';
import { askForRemoval } from './remove.ts';

/** A request's head as it was planned. */
export type EnvironmentQuestion = {
  readonly source: GitSource;
  /** As it was before this head is put on record. */
  readonly plan: PullRequestPlan;
  readonly request: PullRequest;
  readonly head: string;
  /** The file of a head that may be released; absent when it may not. */
  readonly desired: { readonly text: string; readonly parsed: ValidSpec } | undefined;
  /** Which comments ask for the head once more; empty when none does. */
  readonly asked: string;
  readonly run: Run;
};

/** What the plan is to say of the environment, and what follows once it does. */
export type EnvironmentTurn = {
  readonly environment: PlanEnvironment | undefined;
  readonly finish: () => Promise<Result<void>>;
};

const NOTHING = (): Promise<Result<void>> => Promise.resolve(ok(undefined));

/**
 * Brings the environment of a request to its head: makes the application, accepts a release of the head, or asks for its end. What it comes
 * to is for the plan to say before anything of it is taken away. Cut off anywhere, the next look does the same again.
 */
export async function bringEnvironment(deps: Deps, asked: EnvironmentQuestion): Promise<Result<EnvironmentTurn>> {
  const { source, plan, request, head } = asked;
  const before = plan.status.environment;
  const name = environmentName(source, plan.spec.number);
  const read = await deps.store.applications.get(name);
  if (!read.ok) return read;
  const there = read.value;
  const remove = (): Promise<Result<void>> => askForRemoval(deps, there);
  if (!wantsEnvironment(source, { fork: request.fork })) return ok({ environment: undefined, finish: remove });
  if (asked.asked === '' && isOver(before, head)) return ok({ environment: before, finish: remove });
  if (there !== undefined && !isPreview(there)) return ok(turnedAway(name, head, problem('already_exists')));
  if (asked.desired === undefined) return unplanned(deps, { before, there, name });
  if (there?.deleting === true) return ok({ environment: leaving(name, head), finish: NOTHING });
  if (there === undefined && asked.asked === '' && wasUp(before, { name, head }))
    return ok({ environment: { application: name, state: 'removed', commit: head }, finish: NOTHING });

  const desired = { ...asked.desired.parsed.application, name: previewSlug(source.uid, plan.spec.number) };
  const refused = await refusalOf(deps, { ...asked, desired, there, text: asked.desired.text });
  if (!refused.ok) return refused;
  if (refused.value !== undefined) return ok(turnedAway(name, head, refused.value));
  const place =
    there === undefined
      ? await takePlace(deps, source, { number: plan.spec.number, branch: request.branch })
      : ok(there);
  if (!place.ok)
    return place.problem.code === 'preview_limit' ? ok({ ...turnedAway(name, head, place.problem, 'limited') }) : place;
  const { imported } = asked.desired.parsed;
  return deploy(deps, place.value, { source, plan, request, commit: head, desired, imported, asked: asked.asked });
}

/** The head can not be released: what runs of an older one stays until its end. */
async function unplanned(
  deps: Deps,
  input: {
    readonly before: PlanEnvironment | undefined;
    readonly there: Preview | undefined;
    readonly name: string;
  },
): Promise<Result<EnvironmentTurn>> {
  const { before, there } = input;
  if (before === undefined || there === undefined || there.deleting)
    return ok({ environment: isOver(before, before?.commit) ? before : undefined, finish: NOTHING });
  const releases = await ownReleases(deps, there);
  if (!releases.ok) return releases;
  const isUp = before.state !== 'refused' && before.state !== 'limited';
  return ok({ environment: isUp ? observeEnvironment(there, releases.value, before.commit) : before, finish: NOTHING });
}

async function deploy(deps: Deps, application: Preview, head: Head): Promise<Result<EnvironmentTurn>> {
  const listed = await deps.store.releases.ofApplication(application.name);
  if (!listed.ok) return listed;
  const own = ownOf(application, listed.value);
  const after = listed.value[0]?.spec.revision ?? 0;
  const known = releaseOf(own, head);
  const accepted =
    known === undefined ? await acceptHead(deps, { application, releases: own, after, head }) : ok(known);
  if (!accepted.ok) return accepted;
  const release = accepted.value;
  const awaited = await awaitRelease(deps, release);
  if (!awaited.ok) return awaited.problem.code === 'not_found' ? fail(problem('conflict')) : awaited;
  const now = await deps.store.applications.get(application.name);
  if (!now.ok) return now;
  if (now.value === undefined || !isPreview(now.value)) return fail(problem('conflict'));
  const all = known === undefined ? [release, ...own] : own;
  return ok({
    environment: observeEnvironment(now.value, all, head.commit),
    finish: async () => {
      if (isEnded(release) && now.value?.status.phase !== 'queued') return ok(undefined);
      const jobs = await jobsAfterAcceptance(deps, application.name, release.spec.revision);
      return jobs.ok ? deps.jobs.addAll(jobs.value) : jobs;
    },
  });
}

async function ownReleases(deps: Deps, application: Preview): Promise<Result<readonly Release[]>> {
  const listed = await deps.store.releases.ofApplication(application.name);
  return listed.ok ? ok(ownOf(application, listed.value)) : listed;
}

/** Releases of an earlier application of the name are somebody else's (the reconcile ends them). Newest first. */
function ownOf({ spec }: Preview, releases: readonly Release[]): readonly Release[] {
  return releases.filter((release) => release.spec.applicationId === spec.id);
}

/** Why the environment may not have this head: the grant, the limits of a preview, the installation, the room in the cluster. */
async function refusalOf(
  deps: Deps,
  input: Omit<EnvironmentQuestion, 'desired'> & {
    readonly desired: Spec;
    readonly there: Application | undefined;
    readonly text: string;
  },
): Promise<Result<Problem | undefined>> {
  const { source, request, desired, there, text, run } = input;
  const granted = checkPreviewGrant(deps, source, { base: request.base, application: desired });
  if (!granted.ok) return verdictOf(granted.problem, text);
  const { project, environment } = source.spec.application;
  const key = { project, environment, name: desired.name };
  const id = there?.spec.id;
  const installation = await installationRefusals(deps, { key, id, application: desired });
  if (!installation.ok) return verdictOf(installation.problem, text);
  const [first] = installation.value;
  if (first !== undefined) return verdictOf(first, text);
  const room = await preflightOf(deps, { application: desired, id, signal: run.signal });
  if (!room.ok) return verdictOf(room.problem, text);
  const [blocked] = room.value.problems;
  return blocked === undefined ? ok(undefined) : verdictOf(blocked, text);
}

/** A rejection is a verdict; anything else is worth another try. */
function verdictOf(p: Problem, text: string): Result<Problem> {
  return p.kind === 'rejected' ? ok(withPosition(p, text)) : fail(p);
}

function turnedAway(
  application: string,
  commit: string,
  p: Problem,
  state: 'refused' | 'limited' = 'refused',
): EnvironmentTurn {
  const environment = { application, state, commit, code: p.code, message: describe(p) };
  return { environment, finish: NOTHING };
}

function leaving(application: string, commit: string): PlanEnvironment {
  const { code, message } = problem('preview_leaving');
  return { application, state: 'deploying', commit, code, message };
}

/** True when there was an environment of this head: somebody has deleted it, and it is not made again behind their back. */
function wasUp(before: PlanEnvironment | undefined, now: { readonly name: string; readonly head: string }): boolean {
  const isUp = before?.state === 'ready' || before?.state === 'failed';
  return isUp && before.application === now.name && before.commit === now.head;
}
