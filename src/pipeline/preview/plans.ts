import { ok, type Result } from '../../kernel/index.ts';
import type { GitSource, Job, PullRequestPlan } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { isOwed, reportsOf } from '../ledger.ts';
import { isEnvironmentDue } from '../preview-environment/due.ts';
import { standingKey } from './base-standing.ts';

/** One pull request of one repository. */
export type RequestKey = { readonly repository: string; readonly number: number };

/** The name of a plan: its source's name has no fourth part, so it is unique. */
export function planName(source: string, number: number): string {
  return `${source}.${number}`;
}

/** The cached plans of a repository. */
export function plansOfRepository(deps: Deps, repository: string): readonly PullRequestPlan[] {
  return deps.store.plans.all().filter((plan) => plan.spec.repository === repository);
}

/** The cached sources of a repository that plan pull requests, whatever their ref. */
export function planningSources(deps: Deps, repository: string): readonly GitSource[] {
  return deps.store
    .repositoryRefs(repository)
    .flatMap((ref) => deps.store.sourcesOf(repository, ref))
    .filter(plansPullRequests);
}

/** Whether a source wants plans of pull requests at all. */
export function plansPullRequests(source: GitSource): boolean {
  return !source.deleting && source.spec.grant.pullRequests === 'plan';
}

/** The jobs that close what plans a source still has. Reads each once more, because the cache may show one that has gone. */
export async function requestsOfSource(deps: Deps, source: GitSource): Promise<Result<readonly Job[]>> {
  const jobs: Job[] = [];
  for (const { name, spec } of deps.store.plans.all().filter((plan) => plan.spec.source === source.name)) {
    const read = await deps.store.plans.get(name);
    if (!read.ok) return read;
    if (read.value !== undefined) jobs.push({ queue: 'preview', repository: spec.repository, number: spec.number });
  }
  return ok(jobs);
}

/** The jobs that post what a plan owes the forge. */
export function reportJobs(plan: PullRequestPlan): readonly Job[] {
  return reportsOf(plan)
    .filter(isOwed)
    .map((report): Job => ({ queue: 'report', plan: plan.name, commit: report.commit }));
}

/** True when the comment does not say yet what it should, and could. */
export function owesComment(plan: PullRequestPlan): boolean {
  const { comment } = plan.status;
  return comment?.desired !== undefined && comment.desired !== comment.posted && comment.undeliverable === undefined;
}

/** True when what the plan says follows from what is accepted and released, too. */
export function isCompared({ status: { outcome } }: PullRequestPlan): boolean {
  return outcome === 'planned' || outcome === 'unchanged' || outcome === 'refused';
}

/** True when the plan was made against another revision than is accepted now. While a release goes on, its end is waited for. */
function isOutdated(deps: Deps, plan: PullRequestPlan, source: GitSource): boolean {
  const isReleasing = deps.store.applications.cached(source.name)?.status.phase === 'queued';
  return (
    isCompared(plan) &&
    !isReleasing &&
    source.spec.suspended !== true &&
    plan.status.standing !== standingKey(deps, source, plan.status.fork === true)
  );
}

/** What one plan waits for, derived from the custom resources alone. */
export function jobsOfPlan(deps: Deps, plan: PullRequestPlan): readonly Job[] {
  const source = deps.store.sources.cached(plan.spec.source);
  const isStale =
    plan.status.closed === true ||
    source === undefined ||
    !plansPullRequests(source) ||
    plan.status.outcome === undefined ||
    (source.spec.suspended !== true && plan.status.sourceGeneration !== source.generation) ||
    owesComment(plan) ||
    isOutdated(deps, plan, source) ||
    isEnvironmentDue(deps, plan, source);
  const { repository, number } = plan.spec;
  return [...(isStale ? [{ queue: 'preview', repository, number } as const] : []), ...reportJobs(plan)];
}
