import type { Json } from '../kernel/index.ts';
import { isFields, isList, own } from './json.ts';

/** What the elements of a list are, as far as merging tells them apart. */
export type ElementKind = 'map' | 'string' | 'bool' | 'int' | 'float';

/** The kind of all elements of the lists; undefined when they differ, when there are none, and for lists and nulls in lists. */
export function elementKind(...lists: readonly (readonly Json[])[]): ElementKind | undefined {
  const kinds = new Set(lists.flat(1).map(kindOf));
  const [kind] = kinds;
  return kinds.size === 1 ? kind : undefined;
}

function kindOf(value: Json): ElementKind | undefined {
  if (isFields(value)) return 'map';
  if (value === null || isList(value)) return undefined;
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** What identifies an element: the value of its merge key, or itself in a list of scalars. */
export function identity(item: Json, mergeKey: string | undefined): Json | undefined {
  if (mergeKey === undefined) return item;
  return isFields(item) ? own(item, mergeKey) : undefined;
}

type Orders = {
  /** The order the patch asks for; what it names comes in this order. */
  readonly patch: readonly Json[];
  /** The order of the object; what the patch does not name comes in this order. */
  readonly server: readonly Json[];
};

/**
 * Puts a merged list in order: elements the patch names in its order, the others in the object's, and the two interleaved by the
 * object's order as far as that is possible without breaking either.
 */
export function inOrder(merged: readonly Json[], orders: Orders, mergeKey: string | undefined): readonly Json[] {
  const asked = positions(orders.patch, mergeKey);
  const live = positions(orders.server, mergeKey);
  const of = (item: Json): Json | undefined => identity(item, mergeKey);
  const named = sorted(
    merged.filter((item) => asked.has(of(item))),
    (item) => asked.get(of(item)),
  );
  const others = sorted(
    merged.filter((item) => !asked.has(of(item))),
    (item) => live.get(of(item)),
  );
  return interleaved(others, named, (item) => live.get(of(item)));
}

type Position = (item: Json) => number | undefined;

/** The first place of each identity. */
function positions(list: readonly Json[], mergeKey: string | undefined): ReadonlyMap<Json | undefined, number> {
  return new Map(list.map((item, index) => [identity(item, mergeKey), index] as const).reverse());
}

/**
 * Insertion sort with Kubernetes' comparison, in which an element without a position comes before any other: that is no order, so
 * the algorithm decides, and it has to be theirs.
 */
function sorted(list: readonly Json[], position: Position): readonly Json[] {
  const items = list.map((item) => ({ item, at: position(item) }));
  for (let end = 1; end < items.length; end += 1) {
    for (let place = end; place > 0; place -= 1) {
      const [before, after] = [items[place - 1], items[place]];
      if (before === undefined || after === undefined) break;
      if (before.at !== undefined && after.at !== undefined && after.at >= before.at) break;
      items[place - 1] = after;
      items[place] = before;
    }
  }
  return items.map(({ item }) => item);
}

function interleaved(others: readonly Json[], named: readonly Json[], position: Position): readonly Json[] {
  const list: Json[] = [];
  let next = 0;
  for (const item of named) {
    const place = position(item);
    for (; next < others.length; next += 1) {
      const other = others[next];
      const at = other === undefined ? undefined : position(other);
      if (other === undefined || place === undefined || at === undefined || at >= place) break;
      list.push(other);
    }
    list.push(item);
  }
  return [...list, ...others.slice(next)];
}
