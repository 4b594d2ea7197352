import { type CommitSha, ok, type Problem, type Result } from '../../kernel/index.ts';
import type { ForgeRepository, GitSource, PullRequest, PullRequestPlan } from '../../ports/index.ts';
import { describeOutcome, planContext, planMarker, retargetedComment } from '../../status/index.ts';
import type { Deps } from '../context.ts';
import { isOwed, reportsOf, withReport } from '../ledger.ts';
import { removeEnvironmentOf } from '../preview-environment/index.ts';
import { planName, reportJobs } from './plans.ts';
import { binding, openPlan } from './record.ts';

/** Sources of a closed request that answer for heads nobody planned, and how many such heads; more would be noise. */
const ANSWERING = 20;

/**
 * Closes a plan: every head that has no word yet is told that the request is closed, or goes into another branch, and when the forge knows
 * all and its environment is gone, the plan goes. The comment stays as it is: what it says of its commit stays true. Called again until done.
 */
export async function closePlan(
  deps: Deps,
  plan: PullRequestPlan,
  mentions: readonly string[] = [],
  why: 'request_closed' | 'retargeted' = 'request_closed',
): Promise<Result<void>> {
  const now = deps.clock.now();
  const written = await deps.store.plans.updateStatus(plan.name, (current) => {
    const reports = reportsOf(current);
    const { head } = current.status;
    const silent = [...new Set([...(head === undefined ? [] : [head]), ...mentions])].filter(
      (commit) => !reports.some((report) => report.commit === commit),
    );
    if (current.status.closed === true && silent.length === 0) return undefined;
    const closed = describeOutcome({ kind: why });
    return {
      ...current.status,
      closed: true,
      at: now.toISOString(),
      reports: silent.reduce((all, commit) => withReport(all, commit, closed, now), [...reports]),
    };
  });
  if (!written.ok) return written.problem.code === 'not_found' ? ok(undefined) : written;
  const environment = await removeEnvironmentOf(deps, written.value);
  if (!environment.ok) return environment;
  // Without its repository nobody can be told anything any more.
  const isReachable = deps.store.repositories.cached(plan.spec.repository) !== undefined;
  if (isReachable && reportsOf(written.value).some(isOwed)) return deps.jobs.addAll(reportJobs(written.value));
  // The end of the removal looks at the request again.
  if (!environment.value) return ok(undefined);
  const gone = await deps.store.plans.delete(plan.name, plan.uid);
  // A source that is being removed waits for its plans.
  const isAwaited = deps.store.sources.cached(plan.spec.source)?.deleting === true;
  return gone.ok && isAwaited ? deps.jobs.add({ queue: 'plan', source: plan.spec.source }) : gone;
}

/**
 * Closes the plan of a request that is open and goes into another branch by now. Its comment, when there is one, says so: on an open request a
 * plan that applies no more would mislead.
 */
export async function closeRetargeted(
  deps: Deps,
  forge: ForgeRepository,
  { plan, mentions }: { readonly plan: PullRequestPlan; readonly mentions: readonly string[] },
): Promise<Result<void>> {
  const { comment, closed } = plan.status;
  if (comment?.id !== undefined && closed !== true) {
    const { number, application } = plan.spec;
    const marker = planMarker(application);
    const body = retargetedComment(application);
    const written = await deps.comments.upsert(forge, { number, marker, body, known: comment.id });
    if (!written.ok && written.problem.kind !== 'rejected') return written;
  }
  return closePlan(deps, plan, mentions, 'retargeted');
}

/**
 * A request that was closed before it was planned: the heads that deliveries mentioned are told so once, unless the forge shows a final
 * word already, because a late delivery may speak of a head whose plan has gone.
 */
export async function closeUnplanned(
  deps: Deps,
  input: {
    readonly forge: ForgeRepository;
    readonly request: PullRequest;
    readonly sources: readonly GitSource[];
    readonly mentions: readonly string[];
  },
): Promise<Result<void>> {
  const { forge, request } = input;
  for (const source of input.sources.slice(0, ANSWERING)) {
    const existing = await deps.store.plans.get(planName(source.name, request.number));
    if (!existing.ok) return existing;
    const silent =
      existing.value === undefined
        ? await silentHeads(deps, forge, { source, mentions: input.mentions })
        : ok(input.mentions);
    if (!silent.ok) return silent;
    if (silent.value.length === 0 && existing.value === undefined) continue;
    const plan = existing.value === undefined ? await openPlan(deps, source, request.number) : ok(existing.value);
    if (!plan.ok) return plan;
    if (plan.value === undefined) continue;
    const bound = await deps.store.plans.updateStatus(plan.value.name, (current) =>
      current.status.headRef === undefined
        ? { ...current.status, ...binding({ request, baseCommit: undefined }) }
        : undefined,
    );
    if (!bound.ok) return bound;
    const closed = await closePlan(deps, bound.value, silent.value);
    if (!closed.ok) return closed;
  }
  return ok(undefined);
}

async function silentHeads(
  deps: Deps,
  forge: ForgeRepository,
  { source, mentions }: { readonly source: GitSource; readonly mentions: readonly string[] },
): Promise<Result<readonly string[]>> {
  const silent: string[] = [];
  for (const commit of mentions.slice(-ANSWERING)) {
    const shown = await deps.statuses.latest(forge, commit as CommitSha, planContext(source.spec.application));
    if (!shown.ok && !isFinalRefusal(shown.problem)) return shown;
    const isSettled = shown.ok && shown.value !== undefined && !shown.value.outcomes.includes('pending');
    if (shown.ok && !isSettled) silent.push(commit);
  }
  return ok(silent);
}

/** A commit the forge does not have can not be told anything. */
function isFinalRefusal(p: Problem): boolean {
  return p.kind === 'rejected';
}
