import { z } from 'zod';
import { PATIENT } from './backoff.ts';
import type { QueueDefinition } from './definition.ts';

/** A pull request may have changed: ask the forge what it is now, plan its head, keep its comment. Carries no commit, like a sync. */
export const preview: QueueDefinition<'preview'> = {
  name: 'preview',
  schema: z.strictObject({ repository: z.string().min(1).max(253), number: z.int().min(1) }),
  key: (job) => `${job.repository} ${job.number}`,
  ...PATIENT,
  concurrency: 10,
  keepDead: 500,
  handler: 'preview',
};
