/**
 * The queues carried out with BullMQ, the only place that knows it. In: jobs through `createJobQueue` (fails within a second when
 * Redis is away, never hangs) and the handlers of `startWorkers`. Out: runs of the handlers, their problems translated in `settle.ts`. It never
 * takes part in a decision about a deploy, and never stores more of a failure than its code.
 */
export { createJobQueue, type Queues } from './job-queue.ts';
export { startWorkers, type Workers, type WorkerTiming } from './workers.ts';
