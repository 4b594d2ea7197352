import { evaluateGrant } from '../../grant/index.ts';
import { type CommitSha, ok, type Problem, type Result, releaseName } from '../../kernel/index.ts';
import {
  headingOf,
  type PlanBody,
  planBody,
  planRelease,
  planText,
  refusalPlan,
  summarisePlan,
} from '../../plan/index.ts';
import type { GitSource, Remote } from '../../ports/index.ts';
import { type Application, withPosition } from '../../spec/index.ts';
import { type BaseStanding, describeBase, describeOutcome, planTitle, type Shown } from '../../status/index.ts';
import { checkGrantOwner } from '../authority.ts';
import type { Deps } from '../context.ts';
import { installationRefusals } from '../installation-refusals.ts';
import { keptPatches } from '../kept-patches.ts';
import { inFileOrder } from '../plan.ts';
import { preflightOf } from '../preflight.ts';
import { unpackSpec } from '../release-body.ts';
import { readSpecAt, type SpecAtCommit, secretsToHave, type ValidSpec } from '../spec-at-commit.ts';
import { type Accepted, baseStandings } from './base-standing.ts';

/** What a head comes to for one source. */
export type Verdict = {
  readonly outcome: 'planned' | 'unchanged' | 'untouched' | 'refused' | 'limited';
  readonly shown: Shown;
  readonly summary: string;
  readonly code?: string;
  readonly digest?: string;
  /** The accepted revision it was compared with. */
  readonly revision?: number;
  /** What the comment says; it is compared when there is a digest. */
  readonly body: PlanBody;
  /** The whole plan for its page. */
  readonly text?: string;
  /** The file of a head that may be released, never of a fork's; with the values of its env files, so it is for this worker alone. */
  readonly desired?: { readonly text: string; readonly parsed: ValidSpec };
  /** What a reader has to know of the base branch before the details. */
  readonly notes: readonly string[];
};

export type Question = {
  readonly source: GitSource;
  readonly remote: Remote;
  readonly head: CommitSha;
  readonly base: string;
  readonly baseCommit: CommitSha | undefined;
  readonly mergeBase: CommitSha | undefined;
  readonly fork: boolean;
  readonly signal: AbortSignal;
};

/**
 * Plans the head's file, with the env files it names, under the base's grant against the accepted revision. Reads Git blobs and the custom resources, and, for a head
 * of the repository itself, which secrets exist; a fork's plan asks for nothing of the kind (DESIGN invariant 9). Writes nothing. A failure
 * is only what another try may mend.
 */
export async function judge(deps: Deps, question: Question): Promise<Result<Verdict>> {
  const { source, head, fork } = question;
  const read = await readSpecAt(deps, { source, remote: question.remote, commit: head, fork, signal: question.signal });
  if (!read.ok)
    return read.problem.code === 'file_not_found'
      ? ok(removed(deps, source, read.problem))
      : refusalOf(source, read.problem);
  const accepted = await acceptedRevision(deps, source);
  if (!accepted.ok) return refusalOf(source, accepted.problem);
  const { envFiles } = read.value;
  const standings = await baseStandings(deps, { ...question, accepted: accepted.value, envFiles });
  if (!standings.ok) return standings;
  const verdict = await judgeFile(deps, question, { ...read.value, accepted: accepted.value });
  return verdict.ok ? ok({ ...verdict.value, notes: standings.value.map(describeBase) }) : verdict;
}

async function judgeFile(
  deps: Deps,
  question: Question,
  file: SpecAtCommit & { readonly accepted: AcceptedRevision | undefined },
): Promise<Result<Verdict>> {
  const { source, fork } = question;
  const { text, parsed, accepted } = file;
  if (!parsed.ok) return ok(refused(source, parsed.problems));
  const { application } = parsed;
  const previous = accepted?.application;
  const releases = await deps.store.releases.ofApplication(source.name);
  const kept = releases.ok ? keptPatches(releases.value) : releases;
  if (!kept.ok) return refusalOf(source, kept.problem);
  const { project, environment, name } = source.spec.application;
  const key = { project, environment, name };
  const owned = checkGrantOwner(deps, source.spec.grant, key);
  if (!owned.ok) return ok(refused(source, [owned.problem]));
  const granted = evaluateGrant({
    grant: source.spec.grant,
    request: {
      ref: question.base,
      path: source.spec.path,
      application: key,
      now: deps.clock.now(),
      trigger: 'pull_request',
      fork,
    },
    application,
    previous: kept.value,
  });
  const revision = accepted === undefined ? {} : { revision: accepted.revision };
  if (!granted.ok) return ok({ ...refused(source, [withPosition(granted.problem, text)]), ...revision });

  const missing = fork ? ok(undefined) : await deps.secrets.missing(key, secretsToHave(parsed));
  if (!missing.ok) return missing;
  const id = deps.store.applications.cached(source.name)?.spec.id;
  const installation = await installationRefusals(deps, { key, id, application, fork });
  if (!installation.ok) return installation;
  const planned = planRelease({
    granted: granted.value,
    previous,
    missingSecrets: missing.value,
    notes: parsed.warnings,
  });
  const known = [...planned.refusals, ...installation.value];
  // How much room the cluster has is not a stranger's to know.
  const isAsked = !fork && known.length === 0;
  const room = isAsked ? await preflightOf(deps, { application, id, signal: question.signal }) : undefined;
  if (room?.ok === false) return refusalOf(source, room.problem);
  const refusals = inFileOrder([...known, ...(room?.value.problems ?? [])], text);
  const plan = { ...planned, warnings: [...planned.warnings, ...(room?.value.warnings ?? [])], refusals };
  const base = {
    ...{ digest: planned.specDigest, ...revision, notes: [] },
    ...{ body: planBody(plan, planTitle(key)), text: planText(plan) },
  };
  const [first] = refusals;
  if (first !== undefined) return ok({ ...refused(source, refusals), ...base, code: first.code });
  const summary = summarisePlan(plan);
  const standing = planned.unchanged
    ? ({ kind: 'unchanged', ...revision } as const)
    : ({ kind: 'planned', summary } as const);
  return ok({
    outcome: planned.unchanged ? 'unchanged' : 'planned',
    shown: describeOutcome(standing),
    summary,
    ...base,
    ...(fork ? {} : { desired: { text, parsed } }),
  });
}

/** The verdict on a head that can not be planned, with a comment that says why. */
export function refused(source: GitSource, problems: readonly Problem[]): Verdict {
  const [first] = problems;
  const plan = refusalPlan(problems);
  return {
    outcome: 'refused',
    shown: describeOutcome({ kind: 'refused', problems }),
    summary: first?.message ?? 'refused',
    ...(first === undefined ? {} : { code: first.code }),
    body: planBody(plan, planTitle(source.spec.application)),
    text: planText(plan),
    notes: [],
  };
}

/** A head without the file is refused like such a push is, and nothing that runs is removed for it (DESIGN invariant 8). */
function removed(deps: Deps, source: GitSource, p: Problem): Verdict {
  const revision = deps.store.applications.cached(source.name)?.status.acceptedRevision;
  const standing: BaseStanding = { kind: 'removed', ...(revision === undefined ? {} : { revision }) };
  return { ...refused(source, [p]), notes: [describeBase(standing)] };
}

/** The verdict on a head that leaves the file as it is. */
export function untouched(source: GitSource): Verdict {
  const summary = 'the file is not touched';
  return {
    outcome: 'untouched',
    shown: describeOutcome({ kind: 'untouched', path: source.spec.path }),
    summary,
    body: { heading: headingOf(planTitle(source.spec.application), summary), blocks: [] },
    notes: [],
  };
}

function refusalOf(source: GitSource, p: Problem): Result<Verdict> {
  return p.kind === 'rejected' ? ok(refused(source, [p])) : { ok: false, problem: p };
}

type AcceptedRevision = Accepted & { readonly application: Application };

/** What the application is now: the accepted revision, whether or not it is carried out already. */
async function acceptedRevision(deps: Deps, source: GitSource): Promise<Result<AcceptedRevision | undefined>> {
  const application = await deps.store.applications.get(source.name);
  if (!application.ok) return application;
  const revision = application.value?.status.acceptedRevision;
  if (revision === undefined) return ok(undefined);
  const release = await deps.store.releases.get(releaseName(source.name, revision));
  if (!release.ok) return release;
  if (release.value === undefined) return ok(undefined);
  const unpacked = unpackSpec(release.value.spec.spec);
  const digest = release.value.spec.specDigest;
  return unpacked.ok ? ok({ revision, digest, application: unpacked.value }) : unpacked;
}
