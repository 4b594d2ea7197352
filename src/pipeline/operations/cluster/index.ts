/**
 * The cluster over the API: logs and exec of services for whoever may, and everything else for administrators. In: the cluster operations and
 * what is on record of applications. Out: answers, streams and terminals, each put on record. It chooses pods, and never touches one itself.
 */
export type { ClusterDeps } from './context.ts';
export { clusterOperations } from './operations.ts';
export { createRunKeeper, type RunKeeper } from './runs.ts';
