import type { Manifest } from '../../kernel/index.ts';
import {
  changes,
  difference,
  type FieldSet,
  fieldNames,
  fieldsOf,
  intersection,
  itemStep,
  union,
} from './field-set.ts';
import { type Fields, isRecord, items, record, without } from './objects.ts';
import type { StructureAt } from './structure.ts';

/** One entry of `metadata.managedFields`. */
export type Managed = {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
};

/** Who writes: what identifies an entry of `managedFields`, and when. */
export type Writer = {
  readonly manager: string;
  readonly apiVersion: string;
  readonly time: string;
  readonly subresource: string | undefined;
  readonly structureAt: StructureAt;
};

export type Conflict = { readonly manager: string; readonly fields: readonly string[] };

/** Metadata that no manager owns. */
const SYSTEM_METADATA = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generateName',
  'selfLink',
  'managedFields',
];

/** The part of an object that managers own: without its identity and what the server writes. */
export function ownable(object: Fields): Fields {
  let metadata: Fields = record(object.metadata);
  for (const key of SYSTEM_METADATA) metadata = without(metadata, key);
  const rest = without(without(without(object, 'apiVersion'), 'kind'), 'metadata');
  return Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
}

/** The entries of an object. */
export function managedOf(object: Manifest | undefined): readonly Managed[] {
  return items(object?.metadata.managedFields).filter(isRecord) as unknown as readonly Managed[];
}

function entryOf(writer: Writer, operation: 'Apply' | 'Update', fieldsV1: FieldSet): Managed {
  const { manager, apiVersion, time, subresource } = writer;
  const base: Managed = { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 };
  return subresource === undefined ? base : { ...base, subresource };
}

function isMine(entry: Managed, writer: Writer, operation: 'Apply' | 'Update'): boolean {
  return entry.manager === writer.manager && entry.operation === operation && entry.subresource === writer.subresource;
}

/**
 * Server-side apply. `applied` is what the manager wants, without system metadata. What it set before and sets no more goes, unless
 * another manager owns it; what others added stays; a field another manager set to another value is a conflict, or taken over by force.
 * (Kubernetes documentation, "Server-Side Apply"; `fieldsV1` as the API server writes it.)
 */
export function serverSideApply(request: {
  readonly live: Manifest | undefined;
  readonly applied: Fields;
  readonly writer: Writer;
  readonly force: boolean;
}): { readonly object: Fields; readonly managed: readonly Managed[] } | { readonly conflicts: readonly Conflict[] } {
  const { live, applied, writer, force } = request;
  const wanted = fieldsOf(applied, writer.structureAt);
  const current = live === undefined ? {} : ownable(live);
  const previous = managedOf(live);
  const others: Managed[] = [];
  const conflicts: Conflict[] = [];
  for (const entry of previous) {
    if (isMine(entry, writer, 'Apply')) continue;
    const clash = clashes(entry, { wanted, applied, current, structureAt: writer.structureAt });
    if (clash !== undefined) conflicts.push({ manager: entry.manager, fields: fieldNames(clash) });
    const rest = clash === undefined ? entry.fieldsV1 : difference(entry.fieldsV1, clash);
    if (rest !== undefined) others.push({ ...entry, fieldsV1: rest });
  }
  if (conflicts.length > 0 && !force) return { conflicts };
  const mine = previous.find((entry) => isMine(entry, writer, 'Apply'));
  const merged = merge(current, applied, writer.structureAt);
  const owned = others.reduce<FieldSet>((set, entry) => union(set, entry.fieldsV1), {});
  const dropped = mine === undefined ? undefined : difference(mine.fieldsV1, union(wanted, owned));
  const pruned = dropped === undefined ? merged : prune(merged, dropped, { owned, structureAt: writer.structureAt });
  return { object: record(pruned), managed: inOrder([...others, entryOf(writer, 'Apply', wanted)]) };
}

/** The entries after a write that is not an apply: changed fields become the writer's, and nobody else's. */
export function trackUpdate(before: Manifest | undefined, after: Manifest, writer: Writer): readonly Managed[] {
  const old = before === undefined ? {} : ownable(before);
  const { set, gone } = changes(old, ownable(after), writer.structureAt);
  const touched = union(set, gone);
  const result: Managed[] = [];
  let mine: FieldSet = set;
  for (const entry of managedOf(before)) {
    const rest = difference(entry.fieldsV1, isMine(entry, writer, 'Update') ? gone : touched);
    if (rest === undefined) continue;
    if (isMine(entry, writer, 'Update')) mine = union(rest, mine);
    else result.push({ ...entry, fieldsV1: rest });
  }
  const owns = Object.keys(mine).length > 0;
  return owns ? inOrder([...result, entryOf(writer, 'Update', mine)]) : result;
}

/** Applies before updates, then by time and manager, as the API server sorts them. */
function inOrder(entries: readonly Managed[]): readonly Managed[] {
  const key = (entry: Managed): string =>
    `${entry.operation} ${entry.time} ${entry.manager} ${entry.subresource ?? ''}`;
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

type Clash = {
  readonly wanted: FieldSet;
  readonly applied: Fields;
  readonly current: Fields;
  readonly structureAt: StructureAt;
};

/** The fields of another manager's entry that the applied object would give another value. */
function clashes(entry: Managed, { wanted, applied, current, structureAt }: Clash): FieldSet | undefined {
  const shared = intersection(wanted, entry.fieldsV1);
  if (shared === undefined) return undefined;
  const { set } = changes(current, merge(current, applied, structureAt), structureAt);
  return intersection(shared, set);
}

/** Lays `applied` over `live`. */
export function merge(
  live: unknown,
  applied: unknown,
  structureAt: StructureAt,
  path: readonly string[] = [],
): unknown {
  const structure = structureAt(path, applied);
  if (structure.type === 'atomic' || live === undefined || live === null) return applied;
  if (isRecord(applied)) {
    if (!isRecord(live)) return applied;
    const merged: Record<string, unknown> = { ...live };
    for (const [name, value] of Object.entries(applied)) {
      merged[name] = merge(live[name], value, structureAt, [...path, name]);
    }
    return merged;
  }
  if (!Array.isArray(applied) || !Array.isArray(live)) return applied;
  return mergeLists({ live, applied, step: (item) => itemStep(structure, item) }, (old, item) =>
    isRecord(old) && isRecord(item) ? mergeItem(old, item, structureAt, path) : item,
  );
}

function mergeItem(old: Fields, item: Fields, structureAt: StructureAt, path: readonly string[]): Fields {
  const merged: Record<string, unknown> = { ...old };
  for (const [name, value] of Object.entries(item)) {
    merged[name] = merge(old[name], value, structureAt, [...path, name]);
  }
  return merged;
}

type Lists = {
  readonly live: readonly unknown[];
  readonly applied: readonly unknown[];
  readonly step: (item: unknown) => string;
};

/** The applied items in their order; live items that are not applied keep their place, before items that are new. */
function mergeLists({ live, applied, step }: Lists, combine: (old: unknown, item: unknown) => unknown): unknown[] {
  const liveSteps = live.map(step);
  const position = new Map(liveSteps.map((name, index) => [name, index]));
  const wanted = new Set(applied.map(step));
  const merged: unknown[] = [];
  const done = new Set<string>();
  let next = 0;
  /** Takes the live items that nobody applies now, up to an index or to the next item that still has to come. */
  const keep = (end: number, stop: (step: string) => boolean): void => {
    for (; next < end && !stop(liveSteps[next] ?? ''); next += 1) {
      if (!wanted.has(liveSteps[next] ?? '')) merged.push(live[next]);
    }
  };
  for (const item of applied) {
    const name = step(item);
    const index = position.get(name);
    if (index === undefined) keep(live.length, (other) => wanted.has(other) && !done.has(other));
    else keep(index, () => false);
    merged.push(index === undefined ? item : combine(live[index], item));
    done.add(name);
  }
  keep(live.length, () => false);
  return merged;
}

type Owned = { readonly owned: FieldSet; readonly structureAt: StructureAt };

/** Removes the dropped fields; a container that becomes empty goes too. */
function prune(value: unknown, dropped: FieldSet, context: Owned, path: readonly string[] = []): unknown {
  if (Array.isArray(value)) return pruneList(value, dropped, context, path);
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [step, set] of Object.entries(dropped)) {
    const name = step.slice(2);
    if (!step.startsWith('f:') || result[name] === undefined) continue;
    const rest = isWhole(set) ? undefined : prune(result[name], set, inside(context, step), [...path, name]);
    if (rest === undefined || isEmpty(rest)) delete result[name];
    else result[name] = rest;
  }
  return result;
}

function pruneList(
  list: readonly unknown[],
  dropped: FieldSet,
  context: Owned,
  path: readonly string[],
): readonly unknown[] {
  const structure = context.structureAt(path, list);
  return list.flatMap((item) => {
    const step = itemStep(structure, item);
    const set = dropped[step];
    if (set === undefined) return [item];
    const othersHaveSome = context.owned[step] !== undefined;
    if ((isWhole(set) || '.' in set) && !othersHaveSome) return [];
    return [prune(item, set, inside(context, step), path)];
  });
}

function inside(context: Owned, step: string): Owned {
  return { ...context, owned: context.owned[step] ?? {} };
}

function isWhole(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}
