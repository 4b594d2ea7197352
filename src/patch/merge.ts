import { fail, type Json, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import { DELETE_FROM, PATCH, RETAIN_KEYS, SET_ORDER } from './directives.ts';
import { below, type Fields, isFields, isList, own } from './json.ts';
import { type ListRule, mergeInOrder, mergeList, withoutScalars } from './merge-list.ts';
import { FIELD_TABLE } from './schema/table.ts';
import type { Field, FieldType, PatchKind } from './types.ts';

/**
 * Merges a patch into an object as `kubectl patch --type=strategic` does (the semantics of Kubernetes' strategicpatch library of the
 * table's version, its order of merged lists included). Neither argument is changed. The patch should have passed `checkFields`. Errors:
 * `invalid_patch` where kubectl refuses as well, and where its answer would be left to chance.
 */
export function strategicMerge(kind: PatchKind, object: Fields, patch: Fields): Result<Fields> {
  return mergeFields(object, patch, { type: { ref: FIELD_TABLE.kinds[kind] }, at: '' });
}

type Place = { readonly type: FieldType | undefined; readonly at: string };

function fault(at: string, rule: string): Problem {
  return problem('invalid_patch', `${at}: ${rule}`, { at });
}

function refused(at: string, rule: string): Result<never> {
  return fail(fault(at, rule));
}

function fieldOf(type: FieldType | undefined, key: string): Field | undefined {
  if (type === undefined || !('ref' in type)) return undefined;
  return own(own(FIELD_TABLE.types, type.ref) ?? {}, key);
}

/** Merges a patch into an object of the type; also the elements of lists come here. */
function mergeFields(original: Fields, patch: Fields, place: Place): Result<Fields> {
  if (Object.hasOwn(patch, PATCH)) return instead(patch, place.at);
  const kept = retained(original, patch, place.at);
  if (!kept.ok) return kept;
  const merged = new Map(Object.entries(kept.value));
  const rest = new Map(Object.entries(patch).filter(([key]) => key !== RETAIN_KEYS));
  const problem = mergeOrdered(merged, rest, place) ?? mergeRest(merged, rest, place);
  return problem === undefined ? ok(Object.fromEntries(merged)) : fail(problem);
}

/** Lists whose patch says `$setElementOrder`, which come first; they are taken out of the rest of the patch. */
function mergeOrdered(merged: Map<string, Json>, rest: Map<string, Json>, place: Place): Problem | undefined {
  for (const [key, order] of [...rest]) {
    if (!key.startsWith(SET_ORDER)) continue;
    const name = key.slice(SET_ORDER.length);
    const list = orderedList({ original: merged.get(name), patch: rest.get(name), order }, place, name);
    if (!list.ok) return list.problem;
    rest.delete(key);
    if (list.value === undefined) continue;
    merged.set(name, list.value);
    rest.delete(name);
  }
  return undefined;
}

function mergeRest(merged: Map<string, Json>, rest: ReadonlyMap<string, Json>, place: Place): Problem | undefined {
  for (const [key, value] of rest) {
    const isDelete = key.startsWith(DELETE_FROM);
    const name = isDelete ? key.slice(DELETE_FROM.length) : key;
    if (isDelete && isAmbiguous(rest.get(name), value)) {
      return fault(below(place.at, key), 'removes what the patch also adds');
    }
    const before = merged.get(name);
    const next = isDelete ? ok(deleted(before, value)) : mergeValue(before, value, place, name);
    if (!next.ok) return next.problem;
    if (next.value === undefined) merged.delete(name);
    else merged.set(name, next.value);
  }
  return undefined;
}

/** An object whose patch says `$patch`: the rest of the patch, or nothing. */
function instead(patch: Fields, at: string): Result<Fields> {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === 'replace') return ok(rest);
  if (directive === 'delete') return ok({});
  return refused(below(at, PATCH), 'must be replace or delete');
}

/** What `$retainKeys` leaves of the object; it has to name all that the patch sets. */
function retained(original: Fields, patch: Fields, at: string): Result<Fields> {
  const keys = own(patch, RETAIN_KEYS);
  if (keys === undefined) return ok(original);
  if (!isList(keys)) return refused(below(at, RETAIN_KEYS), 'must be a list of field names');
  const missing = Object.entries(patch).find(
    ([key, value]) =>
      value !== null &&
      key !== RETAIN_KEYS &&
      !key.startsWith(DELETE_FROM) &&
      !key.startsWith(SET_ORDER) &&
      !keys.includes(key),
  );
  if (missing !== undefined) return refused(below(at, RETAIN_KEYS), 'must name every field that the patch sets here');
  return ok(Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key))));
}

/** What a field becomes; undefined when it goes. */
function mergeValue(original: Json | undefined, value: Json, place: Place, key: string): Result<Json | undefined> {
  const at = below(place.at, key);
  if (value === null) return ok(undefined);
  if (original === undefined) return ok(withoutDirectives(withoutNulls(value)));
  const field = fieldOf(place.type, key);
  if (isFields(original) && isFields(value)) {
    if (field === undefined) return refused(at, 'unknown field');
    if (field.strategy?.includes('replace')) return ok(value);
    return mergeFields(original, value, { type: field.type, at });
  }
  if (isList(original) && isList(value)) {
    const rule = listRule(field, at);
    if (!rule.ok) return rule;
    return isMerged(field) ? mergeList(original, value, rule.value) : ok(value);
  }
  return ok(withoutDirectives(withoutNulls(value)));
}

function isMerged(field: Field | undefined): boolean {
  return field?.strategy?.includes('merge') === true;
}

function listRule(field: Field | undefined, at: string): Result<ListRule> {
  const type = field?.type;
  if (type === undefined || !('list' in type)) return refused(at, 'is not a list');
  return ok({
    at,
    mergeKey: field?.mergeKey,
    merge: (original, patch, place) => mergeFields(original, patch, { type: type.list, at: place }),
  });
}

type Ordered = { readonly original: Json | undefined; readonly patch: Json | undefined; readonly order: Json };

/** A list whose patch says `$setElementOrder`; undefined when there is nothing to order. */
function orderedList(lists: Ordered, place: Place, name: string): Result<Json | undefined> {
  const at = below(place.at, `${SET_ORDER}${name}`);
  const { original, patch, order } = lists;
  const isBroken = [original, patch].some((list) => list !== undefined && !isList(list));
  if (!isList(order) || isBroken) return refused(at, 'must be a list for a list');
  const field = fieldOf(place.type, name);
  const rule = listRule(field, below(place.at, name));
  if (!rule.ok) return rule;
  if (original === undefined && patch === undefined) return ok(undefined);
  return mergeInOrder(
    { original: original as readonly Json[] | undefined, patch: patch as readonly Json[] | undefined, order },
    { ...rule.value, at, isMerged: isMerged(field), clean: withoutDirectives },
  );
}

/** A list without scalars; nothing is to do where the object has no such list. */
function deleted(original: Json | undefined, gone: Json): Json | undefined {
  if (gone === null) return undefined;
  return isList(original) && isList(gone) ? withoutScalars(original, gone) : original;
}

/** kubectl carries out the two in any order, so the answer would be left to chance. */
function isAmbiguous(added: Json | undefined, gone: Json): boolean {
  return isList(added) && isList(gone) && gone.some((item) => added.includes(item));
}

/** Without the fields that are null, at any depth; elements of lists stay. */
export function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutNulls(child)]));
}

/** Without what says `$patch`, at any depth: in a new value there is nothing to replace or delete. */
function withoutDirectives(value: Json): Json | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isFields(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const entries = Object.entries(value).map(([key, child]) => [key, withoutDirectives(child)] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined));
}
