/** The inventory of a cluster (cluster operations 14). Lists are sorted, bounded, and named in `truncated` when cut or unreadable. */
export type Snapshot = {
  readonly engine: {
    readonly runtime: 'kubernetes';
    readonly version?: string;
    readonly apiVersion?: string;
    readonly os?: string;
    readonly arch?: string;
  };
  readonly nodes: readonly SnapshotNode[];
  readonly namespaces: readonly { readonly name: string }[];
  readonly workloads: readonly SnapshotWorkload[];
  readonly pods: readonly SnapshotPod[];
  readonly services: readonly SnapshotService[];
  readonly claims: readonly SnapshotClaim[];
  readonly storageClasses: readonly { readonly name: string; readonly isDefault: boolean }[];
  readonly truncated: readonly TruncatedList[];
};

export const SNAPSHOT_LISTS = [
  'nodes',
  'namespaces',
  'workloads',
  'pods',
  'services',
  'claims',
  'storage_classes',
] as const;
export type TruncatedList = (typeof SNAPSHOT_LISTS)[number];

export type SnapshotNode = {
  readonly name: string;
  readonly version: string;
  readonly os: string;
  readonly arch: string;
  readonly ready: boolean;
  readonly roles: readonly string[];
  readonly unschedulable: boolean;
};

export type SnapshotWorkload = {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly desired: number;
  readonly ready: number;
  readonly updated: number;
  readonly images: readonly string[];
  readonly paused: boolean;
  /** Labels of a deployment request, on Deployments. */
  readonly application?: string;
  readonly instance?: string;
};

export type PodContainer = {
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  readonly state: 'running' | 'waiting' | 'terminated';
  readonly reason?: string;
  readonly ready: boolean;
  readonly restarts: number;
};

export type SnapshotPod = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly phase: string;
  readonly node: string;
  readonly ownerKind?: string;
  readonly ownerName?: string;
  readonly startedAt?: string;
  readonly containers: readonly PodContainer[];
};

export type SnapshotService = {
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly clusterIP: string;
  /** `port[:nodePort]/PROTOCOL`. */
  readonly ports: readonly string[];
  readonly instance?: string;
  readonly service?: string;
};

export type SnapshotClaim = {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly class: string;
  readonly capacity: string;
};

export const CLUSTER_HEALTH = ['healthy', 'degraded', 'unknown'] as const;
export type ClusterHealth = (typeof CLUSTER_HEALTH)[number];

/**
 * What an inventory says of its cluster (cluster operations 14): `degraded` when a node is not ready, `unknown` without an inventory, without
 * nodes, and when nodes may be missing from it while all there are are ready. Pure.
 */
export function clusterHealth(snapshot: Pick<Snapshot, 'nodes' | 'truncated'> | undefined): ClusterHealth {
  if (snapshot === undefined || snapshot.nodes.length === 0) return 'unknown';
  if (snapshot.nodes.some(({ ready }) => !ready)) return 'degraded';
  return snapshot.truncated.includes('nodes') ? 'unknown' : 'healthy';
}

/** What an approver compares with the cluster they meant: all four always, `unknown` for what can not be read. */
export type Facts = {
  readonly runtime: 'kubernetes';
  readonly server_version: string;
  readonly platform: string;
  readonly node_count: string;
};
