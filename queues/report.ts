import { z } from 'zod';
import { PATIENT } from './backoff.ts';
import type { QueueDefinition } from './definition.ts';

/** Tell the forge about a commit; apart from the work, so that a forge's outage never repeats a deploy. */
export const report: QueueDefinition<'report'> = {
  name: 'report',
  schema: z.strictObject({ source: z.string().min(1).max(253), commit: z.string().regex(/^[0-9a-f]{40,64}$/) }),
  key: (job) => `${job.source} ${job.commit}`,
  ...PATIENT,
  concurrency: 10,
  keepDead: 500,
  handler: 'report',
};
