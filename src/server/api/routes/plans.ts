import { PlanPage, PlanParams, PlanQuery, PullRequestPlan } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

/** Plans of pull and merge requests. */
export const PLAN_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/plans',
    id: 'listPlans',
    tag: 'plans',
    summary: 'Plans of open pull and merge requests I can see',
    needs: { all: ['deployments:read'] },
    query: PlanQuery,
    answer: PlanPage,
    example: { query: { project: 'acme' } },
    operation: (operations) => operations.plans.list,
  }),
  route({
    method: 'get',
    path: '/plans/{id}',
    id: 'getPlan',
    tag: 'plans',
    summary: 'What was planned for a pull or merge request',
    needs: { all: ['deployments:read'] },
    params: PlanParams,
    answer: PullRequestPlan,
    example: { params: { id: 'acme.production.shop.7' } },
    operation: (operations) => operations.plans.show,
  }),
];
