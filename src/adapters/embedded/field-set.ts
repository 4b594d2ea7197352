import { canonicalJson } from '../../kernel/index.ts';
import { type Fields, isRecord, items, record, sameJson } from './objects.ts';
import type { Structure, StructureAt } from './structure.ts';

/**
 * A set of fields in the form of `managedFields[].fieldsV1`: `f:name` for a field, `k:{...}` for an item of a keyed list, `v:...` for
 * a member of a set. An empty object is a field that is in the set; `.` marks one that has children and is in the set itself.
 */
export type FieldSet = { readonly [step: string]: FieldSet };

const LEAF: FieldSet = {};

/** The step that names a list item: its key fields, or its value in a set. */
export function itemStep(structure: Structure, item: unknown): string {
  if (structure.type !== 'list') return `v:${canonicalJson(item)}`;
  const given = record(item);
  const parts = structure.keys
    .map((name) => [name, given[name] ?? structure.defaults[name]])
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `k:{${parts.join(',')}}`;
}

/** The fields a value sets. */
export function fieldsOf(value: unknown, structureAt: StructureAt, path: readonly string[] = []): FieldSet {
  const structure = structureAt(path, value);
  if (structure.type === 'atomic') return LEAF;
  if (isRecord(value)) return recordFields(value, structureAt, path);
  const set: Record<string, FieldSet> = {};
  for (const item of items(value)) {
    const step = itemStep(structure, item);
    set[step] = structure.type === 'set' ? LEAF : { '.': LEAF, ...recordFields(record(item), structureAt, path) };
  }
  return set;
}

function recordFields(value: Fields, structureAt: StructureAt, path: readonly string[]): FieldSet {
  const set: Record<string, FieldSet> = {};
  for (const [name, child] of Object.entries(value)) {
    const at = [...path, name];
    if (child === undefined || isNothing(child, structureAt(at, child))) continue;
    set[`f:${name}`] = fieldsOf(child, structureAt, at);
  }
  return set;
}

/** An empty list of items with keys sets nothing: there is no item to own. */
function isNothing(value: unknown, structure: Structure): boolean {
  return Array.isArray(value) && value.length === 0 && structure.type !== 'atomic';
}

function isLeaf(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** All fields of both. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isLeaf(a) && isLeaf(b)) return LEAF;
  const result: Record<string, FieldSet> = { ...a };
  if (isLeaf(a) || isLeaf(b)) result['.'] = LEAF;
  for (const [step, set] of Object.entries(b)) {
    const mine = a[step];
    result[step] = mine === undefined ? set : union(mine, set);
  }
  return result;
}

/** The fields of `a` that are not in `b`; undefined when none is left. */
export function difference(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isLeaf(a)) return isLeaf(b) || '.' in b ? undefined : a;
  const result: Record<string, FieldSet> = {};
  for (const [step, set] of Object.entries(a)) {
    if (step === '.') {
      if (!('.' in b) && !isLeaf(b)) result['.'] = LEAF;
      continue;
    }
    const other = b[step];
    const rest = other === undefined ? set : difference(set, other);
    if (rest !== undefined) result[step] = rest;
  }
  return isLeaf(result) ? undefined : result;
}

/** The fields of both `a` and `b`; undefined when there is none. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isLeaf(a)) return isLeaf(b) || '.' in b ? LEAF : undefined;
  if (isLeaf(b)) return '.' in a ? LEAF : undefined;
  const result: Record<string, FieldSet> = {};
  for (const [step, set] of Object.entries(a)) {
    const other = b[step];
    if (other === undefined) continue;
    if (step === '.') result['.'] = LEAF;
    else {
      const both = intersection(set, other);
      if (both !== undefined) result[step] = both;
    }
  }
  return isLeaf(result) ? undefined : result;
}

/** What a change of `before` into `after` touched: fields added or given another value, and fields removed. */
export function changes(before: unknown, after: unknown, structureAt: StructureAt): { set: FieldSet; gone: FieldSet } {
  return compare({ before, after, structureAt, path: [] });
}

type Comparison = {
  readonly before: unknown;
  readonly after: unknown;
  readonly structureAt: StructureAt;
  readonly path: readonly string[];
};

function compare({ before, after, structureAt, path }: Comparison): { set: FieldSet; gone: FieldSet } {
  const set: Record<string, FieldSet> = {};
  const gone: Record<string, FieldSet> = {};
  const left = children(before, structureAt, path);
  const right = children(after, structureAt, path);
  for (const [step, child] of right) {
    const old = left.get(step);
    if (old === undefined) set[step] = withSelf(step, fieldsOf(child.value, structureAt, child.path), child.value);
    else if (old.value !== child.value && !step.startsWith('v:')) {
      const inner = compareChild(step, { before: old.value, after: child.value, structureAt, path: child.path });
      if (inner.set !== undefined) set[step] = inner.set;
      if (inner.gone !== undefined) gone[step] = inner.gone;
    }
  }
  for (const [step, child] of left) {
    if (!right.has(step)) gone[step] = withSelf(step, fieldsOf(child.value, structureAt, child.path), child.value);
  }
  return { set, gone };
}

function compareChild(step: string, pair: Comparison): { set: FieldSet | undefined; gone: FieldSet | undefined } {
  if (!step.startsWith('k:') && pair.structureAt(pair.path, pair.after).type === 'atomic') {
    return { set: sameJson(pair.before, pair.after) ? undefined : LEAF, gone: undefined };
  }
  const inner = compare(pair);
  return { set: isLeaf(inner.set) ? undefined : inner.set, gone: isLeaf(inner.gone) ? undefined : inner.gone };
}

function withSelf(step: string, set: FieldSet, value: unknown): FieldSet {
  return step.startsWith('k:') && isRecord(value) ? { '.': LEAF, ...set } : set;
}

type Child = { readonly value: unknown; readonly path: readonly string[] };

function children(value: unknown, structureAt: StructureAt, path: readonly string[]): ReadonlyMap<string, Child> {
  const found = new Map<string, Child>();
  if (isRecord(value)) {
    for (const [name, child] of Object.entries(value)) {
      if (child !== undefined) found.set(`f:${name}`, { value: child, path: [...path, name] });
    }
  } else if (Array.isArray(value)) {
    const structure = structureAt(path, value);
    for (const item of value) found.set(itemStep(structure, item), { value: item, path });
  }
  return found;
}

/** The dotted field of each leaf, as conflict messages name it: `.spec.containers[name="app"].image`. */
export function fieldNames(set: FieldSet, prefix = ''): readonly string[] {
  return Object.entries(set).flatMap(([step, child]) => {
    if (step === '.') return [];
    const name = prefix + fieldName(step);
    return isLeaf(child) ? [name] : fieldNames(child, name);
  });
}

function fieldName(step: string): string {
  if (step.startsWith('f:')) return `.${step.slice(2)}`;
  if (step.startsWith('v:')) return `[=${step.slice(2)}]`;
  const key: Fields = record(JSON.parse(step.slice(2)));
  const parts = Object.entries(key).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${parts.join(',')}]`;
}
