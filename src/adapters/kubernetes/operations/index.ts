/**
 * What people and programs do in a cluster: deploy, change, operate, remove, look, read logs, run commands. In: requests in our words
 * (`ports/cluster-operations`), checked by each function itself. Out: results with fixed codes. One file per operation; `fromClients` puts
 * them together over the few calls of `../api.ts`. Reconciling an application is the other caller of the same words: requests go through
 * `../requests.ts`, failures are classified by `failureClass`, a refused write is told apart by `../refusal.ts`, objects are owned by
 * `isOwnedBy`, deleted by `../delete-read.ts`, rewritten over `withAssigned`, and rollouts judged by `rolloutVerdict` and `secondStrike`. What
 * differs is how a rollout is looked at: a release watches, a run reads every 2 s, as its account may not watch. Never lets a type of the
 * client or a word of the API server out, never lists Secrets, never deletes a claim, never writes to what is not the request's own.
 */
export { applyWorkload } from './apply-workload.ts';
export { type Clients, type ConnectionOptions, connect, fromClients, inCluster } from './connect.ts';
export { deploy } from './deploy.ts';
export type { OperationDeps } from './deps.ts';
export { openExec } from './exec.ts';
export { facts } from './facts.ts';
export { createIdentityStore, type IdentityStoreOptions } from './identity-store.ts';
export { inspect } from './inspect.ts';
export { logs } from './logs.ts';
export { operate } from './operate.ts';
export { ownNamespace } from './own-namespace.ts';
export { readWorkload } from './read-workload.ts';
export { remove } from './remove.ts';
export { type RenderedService, renderDeployment } from './render.ts';
export { snapshot } from './snapshot.ts';
