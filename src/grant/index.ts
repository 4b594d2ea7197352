/**
 * The deploy grant: may this source (ref, file, application, kind of event) make this application so? And its twin for people and programs,
 * the permission. Takes the grant or the principal, the request with its time, the desired application and the current one; gives a
 * `Granted` application, which is all a plan can be made from, or the first refusal. Never looks anything up and never widens what is given.
 */
export type { GrantQuestion, GrantRequest } from './checks.ts';
export { defaultGrant } from './default-grant.ts';
export { evaluateGrant } from './evaluate.ts';
export { frozenUntil } from './freeze.ts';
export { matchesAny, matchesGlob } from './glob.ts';
export type { Granted } from './granted.ts';
export { servicesWithNewPatches } from './patches.ts';
export { type PermitQuestion, permitRelease } from './permit.ts';
export {
  asksToSkip,
  type CheckState,
  isSamePlan,
  judgePolicy,
  type PlanIdentity,
  type PolicyQuestion,
  type PolicyVerdict,
  policyProblem,
} from './policy.ts';
