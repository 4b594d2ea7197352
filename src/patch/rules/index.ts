/**
 * What a patch may do to each field of a Deployment, Service and Ingress, as data, and the walk that compares an object with what it was by
 * it. In: the generated object and the patched one. Out: the fields that may not differ, with the rule. Whatever no rule names is protected,
 * also fields of later versions of Kubernetes. It never applies a patch and never judges whether the API server would accept the object.
 */
export { type Change, type ListRule, type ObjectRule, type ProtectedChange, type Rule, ruleOf } from './rule.ts';
export { rulesFor } from './rules.ts';
export { refusals } from './walk.ts';
