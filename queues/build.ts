import { z } from 'zod';
import type { QueueDefinition } from './definition.ts';

/**
 * Build one image. Few at a time, because a build is the one job that works a processor hard. The attempts are only the queue's patience:
 * how often a build may begin is counted on its BuildRun, which also survives the loss of Redis.
 */
export const build: QueueDefinition<'build'> = {
  name: 'build',
  schema: z.strictObject({ build: z.string().min(1).max(253) }),
  key: (job) => job.build,
  attempts: 6,
  backoff: { firstMs: 2_000, factor: 4, maxMs: 60_000 },
  concurrency: 2,
  keepDead: 500,
  handler: 'build',
};
