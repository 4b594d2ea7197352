import type { Json } from '../../kernel/index.ts';
import type { Fields } from '../json.ts';

/** A place a patch may not change, and what to know or use instead. Holds names of fields and keys, never a value. */
export type ProtectedChange = { readonly field: string; readonly rule: string };

/** What the rules of a field may look at beside it. */
export type Change = {
  /** Path of the field from the object's root, such as `spec.template.spec.containers[app].image`. */
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** The object that holds the field, as it was and as it is. */
  readonly owner: { readonly before: Fields; readonly after: Fields };
};

type Check = (change: Change) => readonly ProtectedChange[];

/**
 * What a patch may do to one field. Everything a rule does not name is protected.
 * - `protected`: stays as it was.
 * - `allowed`: anything; with a `condition`, what the `check` of the object around it says.
 * - `object`: each field by its own rule, every other one by `others` (protected when absent), and `check` for the object as a whole.
 * - `list`: a list of objects with an identity; see `ListRule`.
 * - `value`: what `check` says of the whole value.
 */
export type Rule =
  | { readonly kind: 'protected'; readonly why: string }
  | { readonly kind: 'allowed'; readonly condition?: string }
  | ObjectRule
  | ListRule
  | { readonly kind: 'value'; readonly condition: string; readonly check: Check };

export type ObjectRule = {
  readonly kind: 'object';
  /** For the table of verdicts: what is allowed in it. */
  readonly condition: string;
  readonly fields: Readonly<Record<string, Rule>>;
  readonly others?: Rule;
  readonly check?: Check;
};

export type ListRule = {
  readonly kind: 'list';
  readonly condition: string;
  /** What makes two elements the same one, or `undefined` for something that is no element. */
  readonly identify: (item: Fields) => string | undefined;
  /** For what an element is called in a path; its index when absent. */
  readonly nameOf?: (item: Fields) => Json | undefined;
  /** Elements of the generated list that have to stay as they are. */
  readonly keeps: (item: Fields) => boolean;
  /** Why they stay. */
  readonly why: string;
  /** Whether a kept element still means the same; by default, whether both have the same meaning. */
  readonly unchanged?: (before: Fields, after: Fields) => boolean;
  /** For added elements (from nothing) and for those that do not have to stay. */
  readonly item: Rule;
  /** Same elements in the same order: nothing added, removed, repeated or moved. */
  readonly fixed?: boolean;
  /** Whether two elements may have the same identity. */
  readonly repeats?: boolean;
  readonly check?: Check;
};

const STAYS = 'it stays as Hakopod generates it';

/** A field that stays as it was. `why` says what to know or use instead. */
export function protectedField(why: string = STAYS): Rule {
  return { kind: 'protected', why };
}

/** A field with which a patch may do anything. */
export const ALLOWED: Rule = { kind: 'allowed' };

/** A field that is judged together with the object that holds it. */
export function allowedIf(condition: string): Rule {
  return { kind: 'allowed', condition };
}

/** An object of which only these fields may change. */
export function object(fields: Readonly<Record<string, Rule>>, options: Partial<ObjectRule> = {}): ObjectRule {
  return { kind: 'object', condition: 'only the fields below', fields, ...options };
}

/** An object of which these fields may change in any way, and no other. */
export function onlyFields(names: readonly string[], options: Partial<ObjectRule> = {}): ObjectRule {
  return object(Object.fromEntries(names.map((name) => [name, ALLOWED])), options);
}

/** The rule of a field of an object. */
export function ruleOf(rule: ObjectRule, field: string): Rule {
  if (Object.hasOwn(rule.fields, field)) return rule.fields[field] ?? protectedField();
  return rule.others ?? protectedField();
}
