import type { Json } from '../../kernel/index.ts';
import { type Fields, isFields, isList } from '../json.ts';

/** The value as an object, or `undefined` for anything else. */
export function asMap(value: Json | undefined): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** The value as a list, or `undefined` for anything else. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
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
