import { digestOf, LIMITS } from '../../kernel/index.ts';
import type { Application, GitSource, PlanEnvironment, PullRequestPlan } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { environmentName, isPreview } from './names.ts';

/** Whether a request may have an environment at all: its source wants them, and it is no fork (invariant 4). */
export function wantsEnvironment(
  source: GitSource,
  request: { readonly fork?: boolean | undefined; readonly closed?: boolean | undefined },
): boolean {
  const isWanted = source.spec.previewEnvironments !== undefined && !source.deleting;
  return isWanted && request.fork !== true && request.closed !== true;
}

/** True once its time has come; one whose end can not be read has none left. */
export function isOverdue({ spec }: Application, now: Date): boolean {
  return spec.preview !== undefined && !(now.getTime() < Date.parse(spec.preview.expiresAt));
}

/** An environment that is over for this head: only another head, or a person who asks, makes a new one. */
export function isOver(environment: PlanEnvironment | undefined, head: string | undefined): boolean {
  const isEnd = environment?.state === 'expired' || environment?.state === 'removed';
  return isEnd && environment.commit === head;
}

/** What the comment has to say of an environment, in short. */
export function toldOf(environment: PlanEnvironment | undefined): string | undefined {
  return environment === undefined ? undefined : digestOf(environment);
}

/** Whether a plan and its environment do not agree, or its comment has not told yet how it stands. Looks at caches alone. */
export function isEnvironmentDue(
  deps: Pick<Deps, 'store' | 'clock'>,
  plan: PullRequestPlan,
  source: GitSource,
): boolean {
  const { environment, comment, head, outcome } = plan.status;
  const cached = deps.store.applications.cached(environmentName(source, plan.spec.number));
  const there = cached !== undefined && isPreview(cached) ? cached : undefined;
  const isStanding = there !== undefined && !there.deleting;
  if (isStanding && isOverdue(there, deps.clock.now())) return true;
  if (source.spec.suspended === true) return false;
  const isUntold = comment?.id !== undefined && comment.undeliverable === undefined;
  if (isUntold && comment?.environment !== toldOf(environment)) return true;
  if (!wantsEnvironment(source, plan.status)) return isStanding || environment !== undefined;
  if (isOver(environment, head)) return isStanding;
  const isPlanned = outcome === 'planned' || outcome === 'unchanged';
  if (isPlanned && environment?.commit !== head) return true;
  return environment !== undefined && hasMoved(deps, { environment, there, project: source.spec.application.project });
}

/** Whether an environment is not any more as the plan says. */
function hasMoved(
  { store }: Pick<Deps, 'store'>,
  input: {
    readonly environment: PlanEnvironment;
    readonly there: Application | undefined;
    readonly project: string;
  },
): boolean {
  const { environment, there, project } = input;
  // The end of its removal looks at the request again.
  if (there?.deleting === true || there?.status.phase === 'queued') return false;
  const { phase } = there?.status ?? {};
  switch (environment.state) {
    case 'limited':
      return (
        there !== undefined ||
        store.applications.all().filter((one) => isPreview(one) && one.spec.project === project).length <
          LIMITS.previewsPerProject
      );
    case 'deploying':
      return true;
    case 'ready':
      return phase !== 'healthy' && phase !== 'empty';
    case 'failed':
      return phase === undefined || phase === 'healthy' || phase === 'empty';
    default:
      return false;
  }
}
