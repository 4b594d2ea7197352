import { fail, ok, type Problem, type Result } from '../kernel/index.ts';
import { checkFields, checkObject } from './check.ts';
import type { Fields } from './json.ts';
import { strategicMerge, withoutNulls } from './merge.ts';
import { parsePatch } from './parse.ts';
import { protect } from './protect.ts';
import type { PatchKind } from './types.ts';

/** Faults told of one patch. */
const MOST = 5;

const NAMES: Readonly<Record<PatchKind, string>> = { deployment: 'Deployment', service: 'Service', ingress: 'Ingress' };

export type PatchInput = {
  readonly kind: PatchKind;
  /** The object as rendered. */
  readonly object: Fields;
  /** The YAML text of the patch. */
  readonly text: string;
  /** The field of the specification, such as `services.api.kubernetes.deployment`. */
  readonly at: string;
};

/**
 * Applies a patch to a rendered object: read it, check its fields, merge, and refuse what is protected. Errors, all at `at` and naming
 * the object, its field and the rule: `invalid_patch`, `protected_field`.
 */
export function applyPatch({ kind, object, text, at }: PatchInput): Result<Fields> {
  const patch = parsePatch(text);
  if (!patch.ok) return fail({ ...patch.problem, at });
  const unknown = checkFields(kind, patch.value);
  if (unknown.length > 0) return refusal(unknown, at, `${NAMES[kind]} `);
  const merged = strategicMerge(kind, object, patch.value);
  if (!merged.ok) return refusal([merged.problem], at, `${NAMES[kind]} `);
  // To the API server a field that is null is an absent one.
  const after = withoutNulls(merged.value) as Fields;
  // A directive that merging did not carry out, such as one inside a new element, would be an unknown field.
  const left = checkObject(kind, after);
  if (left.length > 0) return refusal(left, at, `${NAMES[kind]} `);
  const changed = protect(kind, object, after);
  return changed.length > 0 ? refusal(changed, at) : ok(after);
}

/** One problem of several: each names the object and the field inside it. */
function refusal(problems: readonly Problem[], at: string, object = ''): Result<never> {
  const [first] = problems;
  if (first === undefined) throw new Error('a refusal without a problem');
  const more = problems.length > MOST ? `; and ${problems.length - MOST} more` : '';
  const texts = problems.slice(0, MOST).map((problem) => `${object}${problem.message}`);
  return fail({ ...first, at, message: `${texts.join('; ')}${more}` });
}
