import { z } from 'zod';
import { PATIENT } from './backoff.ts';
import type { QueueDefinition } from './definition.ts';

/** A repository's ref may have moved: resolve it now and see which sources it touches. Carries no commit, because a hint is no truth. */
export const sync: QueueDefinition<'sync'> = {
  name: 'sync',
  schema: z.strictObject({ repository: z.string().min(1).max(253), ref: z.string().min(1).max(255) }),
  key: (job) => `${job.repository} ${job.ref}`,
  ...PATIENT,
  concurrency: 10,
  keepDead: 500,
  handler: 'sync',
};
