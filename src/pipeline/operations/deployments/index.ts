/**
 * Releases over the API: plan, accept, cancel, run an earlier revision again, change one service, follow. Takes a principal and a request,
 * decides, and takes a revision by one compare-and-set; carrying a release out is the reconcile job's. Applies nothing to a cluster.
 */
export type { ReleaseDeps } from './context.ts';
export { followReleases } from './follow.ts';
export { deploymentOperations } from './operations.ts';
