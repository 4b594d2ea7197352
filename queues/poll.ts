import { z } from 'zod';
import type { QueueDefinition } from './definition.ts';

/**
 * One ls-refs per repository, made by the schedule. A poll that fails is soon followed by the next, so it retries little and its
 * dead are few.
 */
export const poll: QueueDefinition<'poll'> = {
  name: 'poll',
  schema: z.strictObject({ repository: z.string().min(1).max(253) }),
  key: (job) => job.repository,
  attempts: 2,
  backoff: { firstMs: 2_000, factor: 4, maxMs: 10_000 },
  concurrency: 10,
  keepDead: 50,
  handler: 'poll',
};
