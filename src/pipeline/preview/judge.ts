import { evaluateGrant } from '../../grant/index.ts';
import { type CommitSha, ok, type Problem, type Result, releaseName } from '../../kernel/index.ts';
import { planMarkdown, planRelease, refusalMarkdown, summarisePlan } from '../../plan/index.ts';
import type { GitSource, Remote } from '../../ports/index.ts';
import { type Application, withPosition } from '../../spec/index.ts';
import { describeOutcome, planTitle, type Shown } from '../../status/index.ts';
import { checkGrantOwner } from '../authority.ts';
import type { Deps } from '../context.ts';
import { installationRefusals } from '../installation-refusals.ts';
import { keptPatches } from '../kept-patches.ts';
import { inFileOrder } from '../plan.ts';
import { preflightOf } from '../preflight.ts';
import { unpackSpec } from '../release-body.ts';
import { readSpecAt, secretsToHave } from '../spec-at-commit.ts';

/** What a head comes to for one source. */
export type Verdict = {
  readonly outcome: 'planned' | 'unchanged' | 'untouched' | 'refused' | 'limited';
  readonly shown: Shown;
  readonly summary: string;
  readonly code?: string;
  readonly digest?: string;
  /** The accepted revision it was compared with. */
  readonly revision?: number;
  /** The body of a comment. */
  readonly markdown: string;
};

export type Question = {
  readonly source: GitSource;
  readonly remote: Remote;
  readonly head: CommitSha;
  readonly base: string;
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
  if (!read.ok) return refusalOf(source, read.problem);
  const { text, parsed } = read.value;
  if (!parsed.ok) return ok(refused(source, parsed.problems));
  const { application } = parsed;

  const accepted = await acceptedRevision(deps, source);
  if (!accepted.ok) return refusalOf(source, accepted.problem);
  const previous = accepted.value?.application;
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
  const revision = accepted.value === undefined ? {} : { revision: accepted.value.revision };
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
  const base = { digest: planned.specDigest, ...revision, markdown: planMarkdown(plan, planTitle(key)) };
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
  });
}

/** The verdict on a head that can not be planned, with a comment that says why. */
export function refused(source: GitSource, problems: readonly Problem[]): Verdict {
  const [first] = problems;
  return {
    outcome: 'refused',
    shown: describeOutcome({ kind: 'refused', problems }),
    summary: first?.message ?? 'refused',
    ...(first === undefined ? {} : { code: first.code }),
    markdown: refusalMarkdown(problems, planTitle(source.spec.application)),
  };
}

/** The verdict on a head that leaves the file as it is. */
export function untouched(source: GitSource): Verdict {
  const summary = 'the file is not touched';
  return {
    outcome: 'untouched',
    shown: describeOutcome({ kind: 'untouched', path: source.spec.path }),
    summary,
    markdown: `### ${planTitle(source.spec.application)}: ${summary}`,
  };
}

function refusalOf(source: GitSource, p: Problem): Result<Verdict> {
  return p.kind === 'rejected' ? ok(refused(source, [p])) : { ok: false, problem: p };
}

/** What the application is now: the accepted revision, whether or not it is carried out already. */
async function acceptedRevision(
  deps: Deps,
  source: GitSource,
): Promise<Result<{ readonly revision: number; readonly application: Application } | undefined>> {
  const application = await deps.store.applications.get(source.name);
  if (!application.ok) return application;
  const revision = application.value?.status.acceptedRevision;
  if (revision === undefined) return ok(undefined);
  const release = await deps.store.releases.get(releaseName(source.name, revision));
  if (!release.ok) return release;
  if (release.value === undefined) return ok(undefined);
  const unpacked = unpackSpec(release.value.spec.spec);
  return unpacked.ok ? ok({ revision, application: unpacked.value }) : unpacked;
}
