import { z } from 'zod';
import { PATIENT } from './backoff.ts';
import type { QueueDefinition } from './definition.ts';

/** Read a source's file at its commit, judge it, and accept a release. */
export const plan: QueueDefinition<'plan'> = {
  name: 'plan',
  schema: z.strictObject({ source: z.string().min(1).max(253) }),
  key: (job) => job.source,
  ...PATIENT,
  concurrency: 10,
  keepDead: 500,
  handler: 'plan',
};
