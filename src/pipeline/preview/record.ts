import { digestOf, fail, LIMITS, ok, problem, type Result } from '../../kernel/index.ts';
import type { CommitReport, GitSource, PlanEnvironment, PullRequest, PullRequestPlan } from '../../ports/index.ts';
import { describeOutcome, planComment, readyCondition } from '../../status/index.ts';
import type { Deps } from '../context.ts';
import { reportsOf, sameReport, withReport } from '../ledger.ts';
import { toldOf } from '../preview-environment/due.ts';
import type { Verdict } from './judge.ts';
import { packPlanText, planPageUrl } from './plan-page.ts';
import { planName } from './plans.ts';

/** Plans a repository may keep in all, those over the limit and untouched ones included; past it nothing is said. */
const PLANS_KEPT = LIMITS.openPlans * 10;
/** A comment is written within 15 s; whoever holds it longer is gone. */
const WRITING_MS = 20_000;

/** What a head was found to be, and what it is bound to. */
export type Finding = {
  readonly source: GitSource;
  readonly request: PullRequest;
  readonly head: string;
  readonly baseCommit: string | undefined;
  /** Heads that deliveries mentioned. */
  readonly mentions: readonly string[];
  readonly verdict: Verdict;
  /** What the plan is to say of the request's preview environment. */
  readonly environment: PlanEnvironment | undefined;
  /** What the verdict depends on besides; see `standingKey`. */
  readonly standing: string;
  /** False for sources past the number of comments one request may get. */
  readonly mayComment: boolean;
};

/** The plan of this request and source, made when there is none; `undefined` when the repository has too many. */
export async function openPlan(
  deps: Deps,
  source: GitSource,
  number: number,
): Promise<Result<PullRequestPlan | undefined>> {
  const name = planName(source.name, number);
  const read = await deps.store.plans.get(name);
  if (!read.ok || read.value !== undefined) return read;
  const { repository } = source.spec;
  if (deps.store.plans.all().filter((plan) => plan.spec.repository === repository).length >= PLANS_KEPT) {
    deps.log.warn('a repository has too many pull requests; this one is not planned', { repository, number });
    return ok(undefined);
  }
  const { project, environment, name: application } = source.spec.application;
  const created = await deps.store.plans.create({
    name,
    spec: { repository, source: source.name, number, application: { project, environment, name: application } },
  });
  return !created.ok && created.problem.code === 'already_exists' ? fail(problem('conflict')) : created;
}

/** The comment a finding asks for; `undefined` when none is due. A comment that is there is kept true, whatever the head came to. */
export function commentOf(deps: Deps, plan: PullRequestPlan, finding: Finding): string | undefined {
  const { verdict, source, request, head } = finding;
  const hasOne = plan.status.comment?.id !== undefined;
  if (!hasOne && (!finding.mayComment || verdict.outcome === 'untouched' || verdict.outcome === 'limited'))
    return undefined;
  const { publicUrl } = deps.options;
  return planComment(verdict.body, {
    application: source.spec.application,
    head,
    against: verdict.digest === undefined ? undefined : (verdict.revision ?? 'nothing'),
    grantRevision: source.spec.grant.revision,
    fork: request.fork,
    draft: request.draft,
    notes: verdict.notes,
    ...(finding.environment === undefined ? {} : { environment: finding.environment }),
    ...(publicUrl === undefined ? {} : { page: planPageUrl(publicUrl, plan.name) }),
  });
}

/**
 * Writes the finding, the words for every head, and that the comment is about to be written, in one compare-and-set. `conflict` when the
 * plan moved since it was read, `lease_held` (waiting) while another worker writes the comment.
 */
export async function record(deps: Deps, plan: PullRequestPlan, finding: Finding): Promise<Result<PullRequestPlan>> {
  const now = deps.clock.now();
  let isStale = false;
  let busyMs = 0;
  const body = commentOf(deps, plan, finding);
  const written = await deps.store.plans.updateStatus(plan.name, (current) => {
    const since = current.status.comment?.writingSince;
    busyMs = since === undefined ? 0 : WRITING_MS - (now.getTime() - Date.parse(since));
    // What became of the environment is written by others, too.
    const isOther = toldOf(current.status.environment) !== toldOf(plan.status.environment);
    isStale = current.status.at !== plan.status.at || isOther;
    if (isStale || busyMs > 0) return undefined;
    const { source, request, verdict, head } = finding;
    return {
      ...current.status,
      observedGeneration: current.generation,
      conditions: [condition(current, finding, now)],
      ...binding(finding),
      outcome: verdict.outcome,
      summary: verdict.summary,
      code: verdict.code,
      digest: verdict.digest,
      revision: verdict.revision,
      standing: finding.standing,
      text: verdict.text === undefined ? undefined : packPlanText(verdict.text),
      fork: request.fork,
      draft: request.draft,
      head,
      sourceGeneration: source.generation,
      grantRevision: source.spec.grant.revision,
      environment: finding.environment,
      comment: commentStatus(current, { body, now, environment: toldOf(finding.environment) }),
      closed: undefined,
      at: now.toISOString(),
      reports: ledgerAfter(current, finding, now),
    };
  });
  if (!written.ok) return written.problem.code === 'not_found' ? fail(problem('conflict')) : written;
  if (busyMs > 0) return fail(problem('lease_held', 'another worker writes this comment', { afterMs: busyMs }));
  return isStale ? fail(problem('conflict')) : written;
}

/** Where the head is, as the report job and the poll need it. */
export function binding({
  request,
  baseCommit,
}: Pick<Finding, 'request' | 'baseCommit'>): Partial<PullRequestPlan['status']> {
  return {
    headRef: request.ref,
    branch: request.branch,
    base: { ref: request.base, ...(baseCommit === undefined ? {} : { commit: baseCommit }) },
  };
}

/** Every head gets its one final word: the planned one its verdict, all others that were mentioned or seen, that they are passed. */
function ledgerAfter(current: PullRequestPlan, finding: Finding, now: Date): CommitReport[] {
  const { head, verdict, mentions } = finding;
  const passed = describeOutcome({ kind: 'superseded', by: head });
  let reports = [...reportsOf(current)];
  const seen = current.status.head;
  for (const commit of [...(seen === undefined ? [] : [seen]), ...mentions])
    if (commit !== head && !reports.some((report) => report.commit === commit))
      reports = withReport(reports, commit, passed, now);
  const known = reports.find((report) => report.commit === head);
  if (known !== undefined && sameReport(known.desired, verdict.shown)) return reports;
  // A plan that was just made may be of a request that was closed and opened again: the forge may show this already, and is asked first.
  const isNew = current.status.at === undefined;
  reports = withReport(reports, head, verdict.shown, now);
  return isNew
    ? reports.map((report) => (report.commit === head ? { ...report, posting: report.desired } : report))
    : reports;
}

function commentStatus(
  current: PullRequestPlan,
  wanted: { readonly body: string | undefined; readonly environment: string | undefined; readonly now: Date },
): PullRequestPlan['status']['comment'] {
  const { comment } = current.status;
  const { body, environment, now } = wanted;
  if (body === undefined)
    return comment === undefined ? undefined : { ...comment, desired: comment.posted, writingSince: undefined };
  const desired = digestOf(body);
  if (comment?.posted === desired) return { ...comment, desired, environment, writingSince: undefined };
  return { ...comment, desired, environment, undeliverable: undefined, writingSince: now.toISOString() };
}

function condition(current: PullRequestPlan, { verdict }: Finding, now: Date): ReturnType<typeof readyCondition> {
  const isRefused = verdict.outcome === 'refused' || verdict.outcome === 'limited';
  return readyCondition(current.status.conditions, {
    status: isRefused ? 'False' : 'True',
    reason: verdict.code ?? verdict.outcome,
    message: verdict.summary,
    now,
    generation: current.generation,
  });
}
