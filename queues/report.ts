import { z } from 'zod';
import { PATIENT } from './backoff.ts';
import type { QueueDefinition } from './definition.ts';

const Commit = z.string().regex(/^[0-9a-f]{40,64}$/);

/** Tell the forge about a commit; apart from the work, so that a forge's outage never repeats a deploy. */
export const report: QueueDefinition<'report'> = {
  name: 'report',
  schema: z.union([
    z.strictObject({ source: z.string().min(1).max(253), commit: Commit }),
    z.strictObject({ plan: z.string().min(1).max(253), commit: Commit }),
  ]),
  // A plan may have the name of another kind's object, so the two are told apart.
  key: (job) => ('plan' in job ? `plan ${job.plan} ${job.commit}` : `${job.source} ${job.commit}`),
  ...PATIENT,
  concurrency: 10,
  keepDead: 500,
  handler: 'report',
};
