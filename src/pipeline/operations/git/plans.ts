import { allows, refusal } from '../../../access/index.ts';
import { fail, ok, problem } from '../../../kernel/index.ts';
import type { PlanOperations, PullRequestPlan as PlanView } from '../../../ports/api/index.ts';
import type { PullRequestPlan } from '../../../ports/index.ts';
import { planTextOf } from '../../preview/plan-page.ts';
import type { GitDeps } from './context.ts';
import { targetOf } from './find-source.ts';
import { plannedEnvironment } from './previews.ts';

/** Plans of pull and merge requests, as long as they are kept. */
export function planOperations(deps: Pick<GitDeps, 'store' | 'pager'>): PlanOperations {
  return {
    list: async (principal, { cursor, limit, ...filters }) => {
      const { project, environment } = filters;
      const items = deps.store.plans
        .all()
        .filter(
          ({ spec }) =>
            (project === undefined || spec.application.project === project) &&
            (environment === undefined || spec.application.environment === environment) &&
            allows(principal, 'deployments:read', targetOf(spec.application)),
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const page = deps.pager.of({ name: 'plans', filters, items, keyOf: ({ name }) => name }, { cursor, limit });
      return page.ok ? ok({ ...page.value, items: page.value.items.map((plan) => planView(deps, plan)) }) : page;
    },
    show: async (principal, { id }) => {
      const read = await deps.store.plans.get(id);
      if (!read.ok) return read;
      if (read.value === undefined)
        return fail(problem('not_found', 'there is no such plan, or its request is closed'));
      const denied = refusal(principal, 'deployments:read', targetOf(read.value.spec.application));
      return denied === undefined ? ok(wholePlan(deps, read.value)) : fail(denied);
    },
  };
}

function wholePlan(deps: Pick<GitDeps, 'store'>, plan: PullRequestPlan): PlanView {
  const text = planTextOf(plan);
  return { ...planView(deps, plan), ...(text === undefined ? {} : { text }) };
}

function planView(deps: Pick<GitDeps, 'store'>, { name, spec, status }: PullRequestPlan): PlanView {
  const repository = deps.store.repositories.cached(spec.repository);
  const { head, branch, base, revision, grantRevision, summary, code, environment, at } = status;
  return {
    id: name,
    project: spec.application.project,
    environment: spec.application.environment,
    application: spec.application.name,
    repository: spec.repository,
    ...(repository === undefined ? {} : { repository_path: repository.spec.project }),
    source: spec.source,
    number: spec.number,
    ...(head === undefined ? {} : { head }),
    ...(branch === undefined ? {} : { branch }),
    fork: status.fork === true,
    draft: status.draft === true,
    ...(base === undefined ? {} : { base_ref: base.ref }),
    ...(base?.commit === undefined ? {} : { base_commit: base.commit }),
    ...(revision === undefined ? {} : { revision }),
    ...(grantRevision === undefined ? {} : { grant_revision: grantRevision }),
    outcome: status.outcome ?? 'waiting',
    ...(summary === undefined ? {} : { summary }),
    ...(code === undefined ? {} : { code }),
    ...(environment === undefined ? {} : { preview: plannedEnvironment(environment) }),
    closed: status.closed === true,
    ...(at === undefined ? {} : { planned_at: at }),
  };
}
