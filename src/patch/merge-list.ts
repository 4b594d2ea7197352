import { fail, type Json, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import { PATCH } from './directives.ts';
import { type Fields, isFields, own } from './json.ts';
import { elementKind, identity, inOrder } from './order.ts';

/** How one list is merged. */
export type ListRule = {
  readonly at: string;
  readonly mergeKey: string | undefined;
  /** Merges an element of the patch into one of the object. */
  readonly merge: (original: Fields, patch: Fields, at: string) => Result<Fields>;
};

function refused(at: string, rule: string): Result<never> {
  return fail(problem('invalid_patch', `${at}: ${rule}`, { at }));
}

/** Merges a list whose strategy is `merge`: objects by their merge key, scalars as a set. */
export function mergeList(original: readonly Json[], patch: readonly Json[], rule: ListRule): Result<readonly Json[]> {
  const merged = mergeElements(original, patch, rule);
  return merged.ok ? ok(merged.value.list) : merged;
}

type Merged = {
  readonly list: readonly Json[];
  /** The object's list as Kubernetes sees it afterwards: its library removes and appends in place. */
  readonly seen: readonly Json[];
};

function mergeElements(original: readonly Json[], patch: readonly Json[], rule: ListRule): Result<Merged> {
  if (original.length === 0 && patch.length === 0) return ok({ list: original, seen: original });
  const kind = elementKind(original, patch);
  if (kind === undefined) return refused(rule.at, 'its elements differ in type');
  if (kind === 'map') return mergeObjects(original as readonly Fields[], patch as readonly Fields[], rule);
  const both = withoutDuplicates([...original, ...patch]);
  return ok({ list: inOrder(both, { patch, server: original }, undefined), seen: original });
}

function mergeObjects(original: readonly Fields[], patch: readonly Fields[], rule: ListRule): Result<Merged> {
  const { mergeKey, at } = rule;
  if (mergeKey === undefined) return refused(at, 'can not be merged');
  const list = [...original];
  const seen = [...original];
  for (const item of patch) {
    const directive = own(item, PATCH);
    if (directive === 'delete') remove(list, seen, (other) => own(other, mergeKey) === own(item, mergeKey));
    if (directive === 'replace') continue;
    if (!Object.hasOwn(item, mergeKey)) return refused(at, `an element has no ${mergeKey}`);
    if (directive !== undefined && directive !== 'delete') return refused(at, 'must be replace or delete');
  }
  const plain = patch.filter((item) => !Object.hasOwn(item, PATCH));
  if (patch.some((item) => own(item, PATCH) === 'replace')) return ok({ list: plain, seen });
  const server = [...list];
  const merged = mergeInto(list, seen, plain, { ...rule, mergeKey });
  if (merged !== undefined) return fail(merged);
  if (list.some((item) => !Object.hasOwn(item, mergeKey))) return refused(at, `an element has no ${mergeKey}`);
  return ok({ list: inOrder(list, { patch: plain, server }, mergeKey), seen });
}

/** Merges each element of the patch into the first of its key, or appends it. */
function mergeInto(
  list: Fields[],
  seen: Fields[],
  plain: readonly Fields[],
  { mergeKey, merge, at }: ListRule & { readonly mergeKey: string },
): Problem | undefined {
  for (const item of plain) {
    const index = list.findIndex((other) => own(other, mergeKey) === own(item, mergeKey));
    const found = list[index];
    if (found === undefined) {
      if (list.length < seen.length) seen[list.length] = item;
      list.push(item);
      continue;
    }
    const next = merge(found, item, `${at}[${index}]`);
    if (!next.ok) return next.problem;
    list[index] = next.value;
  }
  return undefined;
}

/** Removes from a list, and moves up what follows in the array that Kubernetes keeps it in: the last places keep what they had. */
function remove(list: Fields[], seen: Fields[], isGone: (item: Fields) => boolean): void {
  for (let index = list.findIndex(isGone); index >= 0; index = list.findIndex(isGone)) {
    list.splice(index, 1);
    seen.splice(0, list.length, ...list);
  }
}

/** Kubernetes puts the last element in the place of a repeated one; with an order that names all of them nobody sees it. */
function withoutDuplicates(list: readonly Json[]): readonly Json[] {
  const left = [...list];
  for (let i = 0; i < left.length; i += 1) {
    for (let j = i + 1; j < left.length; j += 1) {
      if (left[i] !== left[j]) continue;
      const last = left.pop();
      if (j < left.length && last !== undefined) left[j] = last;
      j -= 1;
    }
  }
  return left;
}

type OrderedLists = {
  readonly original: readonly Json[] | undefined;
  readonly patch: readonly Json[] | undefined;
  /** Of `$setElementOrder`: objects with their merge key, or scalars. */
  readonly order: readonly Json[];
};
type OrderedRule = ListRule & {
  readonly isMerged: boolean;
  /** Takes directives out of a new value; undefined when nothing is left of it. */
  readonly clean: (value: Json) => Json | undefined;
};

/** Merges a list and puts it in the order of `$setElementOrder`. One of the two lists is there. */
export function mergeInOrder(lists: OrderedLists, rule: OrderedRule): Result<readonly Json[]> {
  const { patch, order } = lists;
  const { at, mergeKey } = rule;
  if (patch !== undefined && !followsOrder(patch, order, mergeKey)) {
    return refused(at, 'must name what the patch sets, in its order');
  }
  const merged = mergedLists(lists, rule);
  if (!merged.ok) return merged;
  const { list, seen } = merged.value;
  const kind = elementKind(seen, patch ?? []);
  if (kind === undefined) return refused(at, 'has no elements of one type to order');
  if ((kind === 'map') !== (mergeKey !== undefined)) return refused(at, 'its elements can not be told apart');
  const unnamed = [...list, ...order, ...seen].some((item) => identity(item, mergeKey) === undefined);
  return unnamed
    ? refused(at, 'an element can not be told apart')
    : ok(inOrder(list, { patch: order, server: seen }, mergeKey));
}

function mergedLists({ original, patch }: OrderedLists, rule: OrderedRule): Result<Merged> {
  if (patch === undefined) return ok({ list: original ?? [], seen: original ?? [] });
  if (original === undefined) {
    return ok({ list: patch.map(rule.clean).filter((item) => item !== undefined), seen: [] });
  }
  return rule.isMerged ? mergeElements(original, patch, rule) : ok({ list: patch, seen: original });
}

/** Whether the order names each element of the patch, in the same order. Elements that say `$patch` need not be in it. */
function followsOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string | undefined): boolean {
  if (order.length === 0 || patch.length === 0) return true;
  const has = (item: Json | undefined): boolean => isFields(item) && Object.hasOwn(item, PATCH);
  const items = patch.filter((item) => !(isFields(item) && own(item, PATCH) === 'delete'));
  let next = 0;
  for (let place = 0; place < order.length && next < items.length; ) {
    const [item, wanted] = [items[next], order[place]];
    if (item === undefined || wanted === undefined) break;
    if (has(item)) next += 1;
    else {
      if (identity(item, mergeKey) === identity(wanted, mergeKey)) next += 1;
      place += 1;
    }
  }
  return next >= items.length;
}

/** A list of scalars without some of them. */
export function withoutScalars(list: readonly Json[], gone: readonly Json[]): readonly Json[] {
  return list.filter((item) => !gone.includes(item));
}
