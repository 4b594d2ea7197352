import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { Name, PageQuery, pageOf, Revision, Timestamp } from './common.ts';
import { PlannedEnvironment } from './previews.ts';

export const PlanId = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/);
export const PlanParams = z.strictObject({ id: PlanId });

/** What was planned for one pull or merge request. Nothing of it was built or applied. */
export const PullRequestPlan = z.strictObject({
  id: PlanId,
  project: Name,
  environment: Name,
  application: Name,
  repository: z.string(),
  repository_path: z.string().optional(),
  source: z.string(),
  number: z.int().meta({ description: 'of the pull or merge request' }),
  head: z.string().optional(),
  branch: z.string().optional(),
  fork: z.boolean(),
  draft: z.boolean(),
  base_ref: z.string().optional(),
  base_commit: z.string().optional(),
  revision: Revision.optional().meta({ description: 'the accepted revision it was compared with' }),
  grant_revision: Revision.optional(),
  outcome: z.enum(['waiting', 'planned', 'unchanged', 'untouched', 'refused', 'limited']),
  summary: z.string().optional(),
  code: z.string().optional(),
  text: z.string().optional().meta({ description: 'the whole plan as `hakopod plan` prints it; not in lists' }),
  preview: PlannedEnvironment.optional().meta({
    description: 'the environment of the request, where its source wants them',
  }),
  closed: z.boolean(),
  planned_at: Timestamp.optional(),
});
export type PullRequestPlan = z.infer<typeof PullRequestPlan>;

export const PlanPage = pageOf(PullRequestPlan);
export const PlanQuery = z.strictObject({
  project: Name.optional(),
  environment: Name.optional(),
  ...PageQuery,
});

type Scoped = { readonly project?: string | undefined; readonly environment?: string | undefined };

export interface PlanOperations {
  list: Operation<Scoped & PageInput, Page<PullRequestPlan>>;
  show: Operation<{ readonly id: string }, PullRequestPlan>;
}
