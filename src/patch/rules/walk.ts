import type { Json } from '../../kernel/index.ts';
import { type Fields, own } from '../json.ts';
import { asList, asMap, identical, inBrackets, sameMeaning } from './json.ts';
import { type Change, type ListRule, type ObjectRule, type ProtectedChange, type Rule, ruleOf } from './rule.ts';

const WRONG_TYPE = 'it has to keep its type';

/**
 * What of a change its rule does not allow, in the order of the fields; empty when all of it is. `before` and `after` hold no nulls
 * (`withoutNulls`). The only place that decides whether something changed.
 */
export function refusals(rule: Rule, change: Change): readonly ProtectedChange[] {
  const { path, before, after } = change;
  if (rule.kind === 'allowed' || identical(before, after)) return [];
  switch (rule.kind) {
    case 'protected':
      return sameMeaning(before, after) ? [] : [{ field: path, rule: rule.why }];
    case 'object':
      return objectRefusals(rule, change);
    case 'list':
      return listRefusals(rule, change);
    case 'value':
      return rule.check(change);
  }
}

function objectRefusals(rule: ObjectRule, change: Change): readonly ProtectedChange[] {
  const [before, after] = [asMap(change.before ?? {}), asMap(change.after ?? {})];
  if (before === undefined || after === undefined) return [{ field: change.path, rule: WRONG_TYPE }];
  const found: ProtectedChange[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const name = Object.hasOwn(rule.fields, key) || /^\w{1,64}$/.test(key) ? `.${key}` : inBrackets(key);
    const path = change.path === '' ? name.replace(/^\./, '') : `${change.path}${name}`;
    const field = { path, before: own(before, key), after: own(after, key), owner: { before, after } };
    found.push(...refusals(ruleOf(rule, key), field));
  }
  if (rule.check !== undefined) found.push(...rule.check(change));
  return found;
}

type Element = { readonly id: string; readonly item: Fields; readonly path: string };

/** The elements by identity, and those that have none or one that was there before. */
function elements(rule: ListRule, path: string, list: readonly Json[]): [Element[], ProtectedChange[]] {
  const found: Element[] = [];
  const refused: ProtectedChange[] = [];
  list.forEach((value, index) => {
    const item = asMap(value);
    const id = item === undefined ? undefined : rule.identify(item);
    const name = item === undefined ? undefined : rule.nameOf?.(item);
    const at = `${path}${name === undefined ? `[${index}]` : inBrackets(name)}`;
    if (item === undefined || id === undefined) {
      refused.push({ field: at, rule: 'the element has nothing that identifies it' });
    } else if (rule.repeats !== true && found.some((other) => other.id === id)) {
      refused.push({ field: at, rule: 'the list has this element twice' });
    } else {
      found.push({ id, item, path: at });
    }
  });
  return [found, refused];
}

function listRefusals(rule: ListRule, change: Change): readonly ProtectedChange[] {
  const { path } = change;
  const [listBefore, listAfter] = [asList(change.before ?? []), asList(change.after ?? [])];
  if (listBefore === undefined || listAfter === undefined) return [{ field: path, rule: WRONG_TYPE }];
  const [before] = elements(rule, path, listBefore);
  const [after, refused] = elements(rule, path, listAfter);
  if (refused.length > 0) return refused;
  const moved = before.length !== after.length || before.some(({ id }, index) => id !== after[index]?.id);
  if (rule.fixed === true && moved) return [{ field: path, rule: rule.why }];
  const found = elementRefusals(rule, change, { before, after });
  return rule.check === undefined ? found : [...found, ...rule.check(change)];
}

function elementRefusals(
  rule: ListRule,
  { owner }: Change,
  { before, after }: { readonly before: readonly Element[]; readonly after: readonly Element[] },
): readonly ProtectedChange[] {
  const found: ProtectedChange[] = [];
  const unchanged = rule.unchanged ?? sameMeaning;
  // Where two elements may be equal, each of ours needs one of its own.
  const spare = [...after];
  for (const { id, item, path } of before) {
    const index = spare.findIndex((other) => other.id === id);
    const match = index < 0 ? undefined : spare.splice(index, 1)[0];
    if (!rule.keeps(item)) {
      if (match === undefined) continue;
      found.push(...refusals(rule.item, { path: match.path, before: item, after: match.item, owner }));
    } else if (match === undefined || !unchanged(item, match.item)) {
      found.push({ field: path, rule: rule.why });
    }
  }
  for (const { item, path } of spare) {
    found.push(...refusals(rule.item, { path, before: undefined, after: item, owner }));
  }
  return found;
}
