/**
 * Kubernetes patches: a rendered Deployment, Service or Ingress and the YAML text of a strategic merge patch in, the patched object or a
 * refusal out. The merge is kubectl's, checked against a table of all fields that is generated from Kubernetes' own types; what a patch
 * may not change is decided by comparing the object with and without it. Pure: it never reads the cluster, knows no setting and no
 * permission, and never changes what it is given.
 */

export { applyPatch, type PatchInput } from './apply.ts';
export { applyPatches, patchProblems } from './apply-all.ts';
export { checkFields, checkObject } from './check.ts';
export type { Fields } from './json.ts';
export { strategicMerge } from './merge.ts';
export { parsePatch } from './parse.ts';
export { protect } from './protect.ts';
export { FIELD_TABLE } from './schema/table.ts';
export { manifestYaml, shownObjects } from './shown.ts';
export type { Field, FieldTable, FieldType, ObjectType, PatchKind, PatchStrategy, Scalar } from './types.ts';
