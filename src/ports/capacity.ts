import type { ClusterObservation, ObservedClaim, Result } from '../kernel/index.ts';

/**
 * What the cluster has to offer, for the preflight (facts 11). Read-only. Each answer comes within 10 s, or is `cluster_unavailable`; a list
 * that can not be read is a failure, except for disks, whose free space is then not known.
 */
export interface ClusterCapacity {
  /**
   * Nodes, what pods on them ask for, and storage classes; a few seconds old at most. Disks are asked until one node is known to have enough.
   * `delivery_unavailable` when there is more of something than facts 11.3 and 11.4 look at.
   */
  observe(): Promise<Result<ClusterObservation>>;
  /** The claims of one namespace as they are now, and where their volumes can be used. */
  claims(namespace: string, signal?: AbortSignal): Promise<Result<readonly ObservedClaim[]>>;
}
