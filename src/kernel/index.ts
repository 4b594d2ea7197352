/**
 * The words every part shares: results, problems and their catalogue, ids, canonical JSON, Kubernetes objects as plain JSON,
 * limits. Imports nothing of ours. A new file here needs two users; otherwise it belongs to one of them.
 */
export { minusAmounts, mostAmounts, NO_AMOUNTS, plusAmounts, timesAmounts, totalAmounts } from './amounts.ts';
export {
  type ApplicationKey,
  applicationName,
  displayApplication,
  keyOfName,
  releaseName,
  secretScope,
} from './application-key.ts';
export { withAssigned, withoutAssigned } from './assigned.ts';
export {
  type Answer,
  type CallFailure,
  type FailureClass,
  type FailureHint,
  failureClass,
  isAlreadyDeleted,
  isMissing,
  isRaced,
  isRefusedWrite,
} from './call-failure.ts';
export { canonicalJson, digestOf, type Json, sha256 } from './canonical.ts';
export {
  type Amounts,
  type ClusterObservation,
  GPU,
  isEligible,
  isForGpus,
  type NodeRequirement,
  type NodeTerm,
  type ObservedClaim,
  type ObservedNode,
  type ObservedStorageClass,
  type PlacedRequests,
} from './capacity.ts';
export { CODES, type Code } from './codes.ts';
export { type CommentCommand, commentCommand } from './comment-command.ts';
export { DeployGrant } from './deploy-grant.ts';
export { DeployPolicy, FreezeWindow } from './deploy-policy.ts';
export { at, count, type Fields, isFields, records, strings, text } from './fields.ts';
export {
  type CommitSha,
  commitSha,
  DIGEST,
  ENV_NAME,
  NAME,
  type RefName,
  type RepoPath,
  refName,
  repoPath,
} from './ids.ts';
export { LIMITS } from './limits.ts';
export { Mailbox } from './mailbox.ts';
export { displayRef, type Manifest, type ObjectMeta, type ObjectRef, refKey, refOf } from './manifest.ts';
export { isOwnedBy, MANAGED_BY } from './ownership.ts';
export { containerStatuses, newestPod, reasonWord } from './pods.ts';
export { describe, type Position, type Problem, problem } from './problem.ts';
export { normalQuantity, quantityNumber } from './quantity.ts';
export { fail, ok, type Result } from './result.ts';
export {
  isActivePod,
  type RolloutVerdict,
  rolloutVerdict,
  runsTemplate,
  type Strike,
  secondStrike,
} from './rollout.ts';
export { isOlderTag, isTagPattern, newestTag, tagMatch, tagPattern } from './tag-pattern.ts';
