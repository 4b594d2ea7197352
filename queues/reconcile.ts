import { z } from 'zod';
import { PATIENT } from './backoff.ts';
import type { QueueDefinition } from './definition.ts';

/** Bring the cluster to an application's wanted release. It mostly waits for rollouts, so many run at a time. */
export const reconcile: QueueDefinition<'reconcile'> = {
  name: 'reconcile',
  schema: z.strictObject({ application: z.string().min(1).max(253) }),
  key: (job) => job.application,
  ...PATIENT,
  concurrency: 20,
  keepDead: 500,
  handler: 'reconcile',
};
