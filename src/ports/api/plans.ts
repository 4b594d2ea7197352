import { z } from 'zod';
import type { Operation } from './common.ts';
import { Name, Revision, Timestamp } from './common.ts';

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
  base_ref: z.string().optional(),
  base_commit: z.string().optional(),
  revision: Revision.optional().meta({ description: 'the accepted revision it was compared with' }),
  grant_revision: Revision.optional(),
  outcome: z.enum(['waiting', 'planned', 'unchanged', 'untouched', 'refused', 'limited']),
  summary: z.string().optional(),
  code: z.string().optional(),
  closed: z.boolean(),
  planned_at: Timestamp.optional(),
});
export type PullRequestPlan = z.infer<typeof PullRequestPlan>;

export interface PlanOperations {
  show: Operation<{ readonly id: string }, PullRequestPlan>;
}
