import { z } from 'zod';
import { DeployPolicy } from '../../kernel/index.ts';
import { Timestamp } from './common.ts';

/** When a commit that the grant allows may be released. What people deploy themselves is not bound by it. */
export const SourcePolicy = DeployPolicy;
export type SourcePolicy = z.infer<typeof SourcePolicy>;
export const SetPolicy = DeployPolicy.partial();
export type SetPolicy = z.infer<typeof SetPolicy>;

export const ApprovePlan = z.strictObject({
  commit_sha: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
    .meta({ description: 'the commit whose plan is approved' }),
  digest: z.string().min(1).max(100).optional().meta({ description: 'of the plan that was looked at' }),
});
export type ApprovePlan = z.infer<typeof ApprovePlan>;

/** The plan that the deploy policy keeps from being released. */
export const SourceWait = z.strictObject({
  for: z.enum(['approval', 'check', 'freeze']),
  commit_sha: z.string(),
  digest: z.string().meta({ description: 'what an approval is bound to, beside the commit' }),
  check: z.string().optional(),
  until: Timestamp.optional(),
  since: Timestamp,
});
