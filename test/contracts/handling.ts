import type { Handlers, JobContext } from '../../queues/index.ts';
import { ok, type Result } from '../../src/kernel/index.ts';
import type { Job } from '../../src/ports/index.ts';

/** Handlers of which only `sync` does anything. */
export function handling(sync: (job: Job, context: JobContext) => Promise<Result<void>>): Handlers {
  const nothing = async (): Promise<Result<void>> => ok(undefined);
  return { poll: nothing, sync, plan: nothing, reconcile: nothing, report: nothing };
}
