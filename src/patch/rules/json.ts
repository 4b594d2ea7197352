import type { Json } from '../../kernel/index.ts';
import type { JsonMap } from './rule.ts';

/** The value as an object, or `undefined` for anything else. */
export function asMap(value: Json | undefined): JsonMap | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : undefined;
}

/** The value as a list, or `undefined` for anything else. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value of a key of an object itself, never of its prototype. */
export function own(map: JsonMap, key: string): Json | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The value without keys that are `null`, which is how the API server reads them; the same value when it has none. */
export function withoutNulls(value: Json): Json {
  const list = asList(value);
  if (list !== undefined) {
    const items = list.map(withoutNulls);
    return items.some((item, index) => item !== list[index]) ? items : value;
  }
  const map = asMap(value);
  if (map === undefined) return value;
  const entries = Object.entries(map);
  const kept = entries.filter(([, item]) => item !== null).map(([key, item]) => [key, withoutNulls(item)] as const);
  const same = kept.length === entries.length && kept.every(([, item], index) => item === entries[index]?.[1]);
  // From entries, so that a key named like the prototype stays a key.
  return same ? value : Object.fromEntries(kept);
}

/** Without empty lists and maps, and without what holds nothing else; `undefined` when nothing is left. Elements of lists stay. */
function withoutEmpties(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((item: Json) => withoutEmpties(item) ?? {});
  }
  const map = asMap(value);
  if (map === undefined) return value;
  const kept = Object.entries(map)
    .map(([key, item]) => [key, withoutEmpties(item)] as const)
    .filter((entry): entry is readonly [string, Json] => entry[1] !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Whether two values are the same, whatever the order of keys. */
export function identical(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  const [listA, listB] = [asList(a), asList(b)];
  if (listA !== undefined || listB !== undefined) {
    return listA?.length === listB?.length && listA?.every((item, index) => identical(item, listB?.[index])) === true;
  }
  const [mapA, mapB] = [asMap(a), asMap(b)];
  if (mapA === undefined || mapB === undefined) return false;
  const keys = Object.keys(mapA);
  return (
    keys.length === Object.keys(mapB).length &&
    keys.every((key) => Object.hasOwn(mapB, key) && identical(mapA[key], mapB[key]))
  );
}

/** Whether two values mean the same: an empty list or map is no value (spec kubernetes-patches). */
export function sameMeaning(a: Json | undefined, b: Json | undefined): boolean {
  return identical(a, b) || identical(withoutEmpties(a), withoutEmpties(b));
}

/** Whether a value is nothing, or an empty list or map. */
export function isNothing(value: Json | undefined): boolean {
  return withoutEmpties(value) === undefined;
}

const SPEAKABLE = /^[\w./-]{1,253}$/;

/** A key or name as it stands in a path; what is no name of Kubernetes could be anything and is left out. */
export function inBrackets(name: Json | undefined): string {
  return typeof name === 'string' && SPEAKABLE.test(name) ? `[${name}]` : '[…]';
}

/** Whether a value is text that is not empty. */
export function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
