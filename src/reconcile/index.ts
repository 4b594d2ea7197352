/**
 * Decides how a rendering becomes the cluster's state: the steps of a release, what to do about each object and job, whether a rollout is
 * ready or failed, and what to delete. In: rendered and observed objects, the inventory, recorded results. Out: decisions as data. It
 * never calls the cluster, reads no clock, and never says yes to touching an object that is not ours (invariant 8).
 */
export { schedulableArchitectures } from './architectures.ts';
export { claimChange } from './claims.ts';
export { confirmFailure, type DeploymentVerdict, deploymentVerdict } from './deployment-verdict.ts';
export {
  type DomainState,
  domainChallenge,
  domainToken,
  isDomainActive,
  isDomainDue,
  nextDomainState,
} from './domains.ts';
export { type Difference, drift, isInPodTemplate, sealed } from './drift.ts';
export { decideJob, type JobDecision, type JobRecord, jobToStop } from './job.ts';
export { type JobVerdict, jobVerdict, podsAtEnd } from './job-verdict.ts';
export {
  adoptable,
  hasOwnershipLabels,
  type InventoryEntry,
  inventoryEntry,
  type Owner,
  ownership,
  recorded,
} from './ownership.ts';
export { cleanupExcess, closedIngresses, isSnapshot, pruneSet, snapshotsInUse, stalePolicies } from './prune.ts';
export { keepForeignReplicas, keepReplicas } from './replicas.ts';
export { heldBack } from './schedule.ts';
export { type ObservedService, serviceStates } from './states.ts';
export {
  kindChange,
  type ReleaseBounds,
  type ReleaseStep,
  releaseDeadline,
  releaseSteps,
  waitSeconds,
} from './steps.ts';
export { decideDelete, decideWrite, type WriteDecision } from './write.ts';
