import { type Handlers, type JobContext, QUEUE_NAMES } from '../../queues/index.ts';
import { ok, type Result } from '../../src/kernel/index.ts';
import type { Job } from '../../src/ports/index.ts';

/** Handlers of which only `sync` does anything. */
export function handling(sync: (job: Job, context: JobContext) => Promise<Result<void>>): Handlers {
  const nothing = async (): Promise<Result<void>> => ok(undefined);
  return { ...(Object.fromEntries(QUEUE_NAMES.map((name) => [name, nothing])) as unknown as Handlers), sync };
}
