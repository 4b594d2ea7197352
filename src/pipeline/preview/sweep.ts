import { ok, type RefName, type Result, sha256 } from '../../kernel/index.ts';
import type { GitRepository, Job, OpenPullRequest, PullRequestPlan } from '../../ports/index.ts';
import { type Deps, storedRef } from '../context.ts';
import { forgeOf } from '../remote.ts';
import { planningSources, plansOfRepository } from './plans.ts';

/** Plans looked at again in one sweep because the forge's list was too long to tell that they are closed. */
const RECHECKED = 20;
/** Part of the interval by which repositories differ, so that a thousand are not asked in the same second. */
const JITTER = 0.2;

/** The heads of open plans, to be read with the same ls-refs as the bound refs. */
export function headRefs(deps: Deps, repository: string): readonly RefName[] {
  const refs = openPlans(deps, repository).flatMap(({ status }) =>
    status.headRef === undefined ? [] : [status.headRef],
  );
  return [...new Set(refs)].map(storedRef);
}

/** The requests whose head is not the planned one any more. */
export function movedRequests(deps: Deps, repository: string, listed: ReadonlyMap<RefName, string>): readonly Job[] {
  return distinct(
    openPlans(deps, repository).filter(
      ({ status }) => status.headRef !== undefined && listed.get(storedRef(status.headRef)) !== status.head,
    ),
  );
}

/**
 * Asks the forge, now and then, which pull requests are open, so that a lost webhook loses nothing: one call per repository and interval.
 * Answers the requests to look at: open ones that have no plan, or that have another head or base than it or became a draft or none since,
 * and planned ones that are not open any more. Best effort: a forge that does not answer is asked again at the next interval.
 */
export async function sweepRequests(deps: Deps, repository: GitRepository): Promise<Result<readonly Job[]>> {
  const sources = planningSources(deps, repository.name);
  if (sources.length === 0 || !isDue(deps, repository)) return ok([]);
  const marked = await deps.store.repositories.updateStatus(repository.name, (current) =>
    isDue(deps, current) ? { ...current.status, pullRequestsAt: deps.clock.now().toISOString() } : undefined,
  );
  if (!marked.ok) return marked;
  const forge = await forgeOf(repository, deps.credentials);
  if (!forge.ok) return forge;
  if (forge.value.token === undefined) return ok([]);
  const open = await deps.pullRequests.open(forge.value);
  if (!open.ok) {
    deps.log.warn('the forge did not list its pull requests', { repository: repository.name, code: open.problem.code });
    return ok([]);
  }
  const { requests, complete } = open.value;
  const bases = new Set(sources.map((source) => source.spec.ref));
  const plans = openPlans(deps, repository.name);
  const news = requests
    .filter((request) => {
      const own = plans.filter((plan) => plan.spec.number === request.number);
      return own.length === 0 ? bases.has(request.base) : own.some((plan) => !isOfThis(plan, request));
    })
    .map(({ number }): Job => ({ queue: 'preview', repository: repository.name, number }));
  const listed = new Set(requests.map((request) => request.number));
  const oldestFirst = (a: PullRequestPlan, b: PullRequestPlan): number =>
    (a.status.at ?? '') < (b.status.at ?? '') ? -1 : 1;
  const missing = plans.filter((plan) => !listed.has(plan.spec.number)).sort(oldestFirst);
  return ok([...news, ...distinct(complete ? missing : missing.slice(0, RECHECKED))]);
}

function isOfThis({ status }: PullRequestPlan, { head, base, draft }: OpenPullRequest): boolean {
  const isSame = status.head === head && (status.draft ?? false) === draft;
  return isSame && (status.base === undefined || status.base.ref === base);
}

function openPlans(deps: Deps, repository: string): readonly PullRequestPlan[] {
  return plansOfRepository(deps, repository).filter((plan) => plan.status.closed !== true);
}

function isDue(deps: Deps, repository: GitRepository): boolean {
  const last = repository.status.pullRequestsAt;
  if (last === undefined) return true;
  const share = Number.parseInt(sha256(repository.name).slice(0, 4), 16) / 65_536;
  const interval = deps.options.pullRequestsCheckMs * (1 - JITTER * share);
  return deps.clock.now().getTime() - Date.parse(last) >= interval;
}

function distinct(plans: readonly PullRequestPlan[]): readonly Job[] {
  const jobs = new Map<string, Job>();
  for (const { spec } of plans)
    jobs.set(`${spec.repository} ${spec.number}`, {
      queue: 'preview',
      repository: spec.repository,
      number: spec.number,
    });
  return [...jobs.values()];
}
