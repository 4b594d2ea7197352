const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KIB = 1024;
const MIB = 1024 * KIB;

/** Every number of the cluster operations (cluster operations 0.1). Times are milliseconds, sizes bytes. */
export const OPERATION_LIMITS = {
  /** One call, or one small group of calls, without a deadline of its own. */
  callMs: 20 * SECOND,
  /** Items of one list page. */
  pageSize: 500,
  /** Period of reading a Deployment while its rollout is waited for. */
  rolloutPollMs: 2 * SECOND,
  /** Time to read claims and pods that explain a rollout whose own time is over. */
  explainMs: 5 * SECOND,

  logFetchMs: 60 * SECOND,
  logFollowMs: HOUR,
  logLines: 10_000,
  logBytes: 4 * MIB,
  logChunkBytes: 32 * KIB,
  logTail: 10_000,
  /** Streams of logs open at once; admission, outside the adapter. */
  logStreams: 4,

  execChunkBytes: 32 * KIB,
  execArguments: 64,
  execArgumentBytes: 8 * KIB,
  /** Largest rows and columns; the smallest is 1. */
  execDimension: 512,
  execIdleMs: 15 * MINUTE,
  execLifetimeMs: 8 * HOUR,
  /** Sessions open at once, and the life of the right to open one; admission, outside the adapter. */
  execSessions: 4,
  execGrantMs: MINUTE,

  replicas: 1000,
  /** Containers, and separately init containers, of a read or an apply. */
  containers: 16,
  envEntries: 128,
  envValueBytes: 16 * KIB,
  /** Sum of names and values of one container or service. */
  envBytes: 64 * KIB,
  envFrom: 32,
  unsupported: 16,
  /** Entries of command and args each, and bytes of one entry. */
  argumentEntries: 64,
  argumentBytes: 4096,
  quantityBytes: 32,
  resourceVersionBytes: 64,
  workloadApplyBytes: 128 * KIB,
  configurationBytes: 320 * KIB,
  imageBytes: 512,

  inspectionConditions: 8,
  podContainers: 32,
  inspectionPods: 128,
  restartCount: 1_000_000,

  /** Longest deadline after the issue, and after now. */
  lifetimeMs: 15 * MINUTE,
  /** Largest difference of the issue time and the reader's clock. */
  clockSkewMs: 5 * MINUTE,
  services: 100,
  ports: 64,
  /** Retained claims reported by one removal. */
  retainedClaims: 64,
  /** Steps of one result. */
  steps: 8 * 100 + 64,
  claims: 16,
  mounts: 8,
  mountPathBytes: 4096,
  objectName: 63,
  revision: 100,
  detailBytes: 256,
  /** Below the ten minutes an apply may last. */
  progressDeadlineSeconds: 540,
  minReadySeconds: 10,

  nodes: 500,
  namespaces: 500,
  workloads: 2000,
  pods: 2000,
  snapshotServices: 2000,
  snapshotClaims: 1000,
  storageClasses: 100,
  imagesPerWorkload: 32,
  rolesPerNode: 16,
  portsPerService: 32,
  nameBytes: 253,
  snapshotImageBytes: KIB,
  shortBytes: 64,
  snapshotBytes: MIB,

  /** Namespaces the enrolment manifest grants writes in. */
  manifestNamespaces: 32,
  runManifestBytes: 64 * KIB,
  runManifestVolumes: 32,
} as const;
