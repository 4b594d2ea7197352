/**
 * The Kubernetes API: connection and credentials from a kubeconfig or a pod's service account, objects as raw JSON, caches that
 * survive whatever ends a watch, waiting, and leases. Input: manifests and queries; output: results with the catalogue's codes.
 * It never uses the typed client's serialisers, which drop fields (a NetworkPolicy's `from` among them), never runs a program a
 * kubeconfig names, and never lets the API server's words into a message. The only folder that imports @kubernetes/client-node.
 */
export type { ConnectOptions } from './access.ts';
export { type CapacityOptions, createClusterCapacity } from './capacity/index.ts';
export { type ClusterOptions, createCluster } from './cluster.ts';
export { connect, type KubeConnection } from './connection.ts';
export { createLeases, type LeaseOptions } from './leases.ts';
export {
  type EnrolmentInput,
  IDENTITY_SECRET,
  manifestFileName,
  type PermissionsInput,
  renderEnrolment,
  renderPermissions,
} from './manifest/index.ts';
export {
  applyWorkload,
  type Clients,
  connect as connectOperations,
  createIdentityStore,
  deploy,
  facts,
  fromClients,
  type IdentityStoreOptions,
  inCluster,
  inspect,
  logs,
  openExec,
  operate,
  ownNamespace,
  readWorkload,
  remove,
  renderDeployment,
  snapshot,
} from './operations/index.ts';
export type { WatchTuning } from './watch.ts';
