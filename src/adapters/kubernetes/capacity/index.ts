/**
 * What the cluster has to offer, for the preflight: nodes, the requests of the pods on them, storage classes, claims with where their volumes
 * can be used, and free disk space. In: the API server. Out: `ClusterCapacity` in our words. It reads only, keeps what it read for a moment,
 * and never decides whether something fits.
 */
export { type CapacityOptions, createClusterCapacity } from './capacity.ts';
