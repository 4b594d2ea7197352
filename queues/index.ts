/**
 * How work waits. One file per queue says, as data, what a job looks like, which jobs coalesce, how often and how patiently it
 * is tried, and which pipeline function runs it; `runtime/` is the only place that knows BullMQ. In: jobs that name a thing. Out:
 * runs of the handlers. Payloads never carry the truth, and losing every queue loses nothing that a poll does not find again.
 */
export { pauseAfter } from './backoff.ts';
export type { Handler, JobContext, JobOf, QueueDefinition } from './definition.ts';
export type { Handlers } from './handlers.ts';
export { QUEUE_NAMES, QUEUES } from './queues.ts';
