import { type Json, type Problem, problem } from '../kernel/index.ts';
import { withoutNulls } from './merge.ts';
import { type ProtectedChange, refusals, rulesFor } from './rules/index.ts';
import type { PatchKind } from './types.ts';

/** The Kubernetes kind that a patch of this kind is for. */
const KINDS: Readonly<Record<PatchKind, string>> = { deployment: 'Deployment', service: 'Service', ingress: 'Ingress' };

/** How many refusals one answer lists: enough to correct a patch, and no wall of text for a hostile one. */
const MOST = 20;

/**
 * The protected fields that differ between an object as it is built without a patch and the same object after it, with the rule of each
 * (spec kubernetes-patches). Allowed is listed in `rules`, everything else protected. A field that has the value it had, and an empty list or
 * map where none was, is no change. At most 20, in the order of the fields.
 */
export function protectedChanges(kind: PatchKind, before: Json, after: Json): readonly ProtectedChange[] {
  const [was, is] = [withoutNulls(before), withoutNulls(after)];
  const owner = { before: {}, after: {} };
  return refusals(rulesFor(kind, was, is), { path: '', before: was, after: is, owner }).slice(0, MOST);
}

/**
 * `protectedChanges` as problems: one `protected_field` for each, whose message names the object, the field and the rule, and no value. The
 * caller knows the service and fills in `at`. Empty when the patch changes only what it may.
 */
export function protect(kind: PatchKind, before: Json, after: Json): readonly Problem[] {
  return protectedChanges(kind, before, after).map(({ field, rule }) => {
    const place = field === '' ? KINDS[kind] : `${KINDS[kind]} ${field}`;
    return problem('protected_field', `the patch may not change ${place}: ${rule}`);
  });
}
