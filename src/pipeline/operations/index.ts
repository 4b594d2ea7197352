/**
 * Everything people and programs can do, by noun: each takes a principal and a request of the API, decides, does it and audits. In: the stores
 * and the queue. Out: answers in the words of the wire. It knows nothing of HTTP, and nothing reaches it but through the API.
 */
export { createRunKeeper, type RunKeeper } from './cluster/index.ts';
export { createOperations, type OperationsDeps } from './create-operations.ts';
export { followReleases } from './deployments/index.ts';
