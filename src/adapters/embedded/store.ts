import type { Manifest } from '../../kernel/index.ts';
import { at } from './objects.ts';
import type { ResourceInfo } from './resources.ts';
import { type FieldTerm, fieldText, matchesFields, matchesLabels, type Requirement } from './selectors.ts';

/** One change, in the order of `version`. */
export type Change = {
  readonly version: number;
  readonly info: ResourceInfo;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Manifest;
  readonly previous: Manifest | undefined;
};

export type Selection = {
  readonly namespace?: string | undefined;
  readonly labels: readonly Requirement[];
  readonly fields: readonly FieldTerm[];
};

type Table = {
  readonly info: ResourceInfo;
  readonly objects: Map<string, Manifest>;
  /** Keys of the objects that have a term: a namespace, a label with its value, a selectable field with its value. */
  readonly terms: Map<string, Set<string>>;
  sorted: readonly string[] | undefined;
};

function keyOf(object: Manifest): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function ownerUids(object: Manifest): readonly string[] {
  const references = at(object, 'metadata', 'ownerReferences');
  return Array.isArray(references) ? references.map((reference) => String(at(reference, 'uid'))) : [];
}

function termsOf(info: ResourceInfo, object: Manifest): readonly string[] {
  const found = [`n:${object.metadata.namespace ?? ''}`];
  for (const [key, value] of Object.entries(object.metadata.labels ?? {})) found.push(`l:${key}=${value}`);
  for (const path of info.selectable) found.push(`f:${path}=${fieldText(object, path)}`);
  return found;
}

/** Whether one object is in a selection. */
export function selects(selection: Selection, object: Manifest): boolean {
  return (
    (selection.namespace === undefined || selection.namespace === object.metadata.namespace) &&
    matchesLabels(selection.labels, object.metadata.labels) &&
    matchesFields(selection.fields, object)
  );
}

/**
 * All objects, and the last changes. An object is never changed in place: each write stores a new one, so readers may keep what
 * they got and the JSON of an object can be cached. `resourceVersion` is one counter for all kinds, as in etcd.
 */
export class ObjectStore {
  readonly #tables = new Map<string, Table>();
  readonly #byUid = new Map<string, { readonly info: ResourceInfo; readonly key: string }>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #history: number;
  #log: Change[] = [];
  #version: number;
  /** Changes up to and including this version are forgotten. */
  #compacted: number;

  constructor(options: { readonly history: number; readonly version: number }) {
    this.#history = options.history;
    this.#version = options.version;
    this.#compacted = options.version;
  }

  get version(): number {
    return this.#version;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Called with each change, right after it; the listener must not throw. Returns the way to stop. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get(info: ResourceInfo, namespace: string | undefined, name: string): Manifest | undefined {
    return this.#tables.get(info.storage)?.objects.get(`${namespace ?? ''}/${name}`);
  }

  byUid(uid: string): Manifest | undefined {
    const place = this.#byUid.get(uid);
    return place === undefined ? undefined : this.#tables.get(place.info.storage)?.objects.get(place.key);
  }

  infoOf(uid: string): ResourceInfo | undefined {
    return this.#byUid.get(uid)?.info;
  }

  /** The objects whose ownerReferences name this uid. */
  dependents(uid: string): readonly { readonly info: ResourceInfo; readonly object: Manifest }[] {
    const found: { info: ResourceInfo; object: Manifest }[] = [];
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const object = this.byUid(dependent);
      const info = this.infoOf(dependent);
      if (object !== undefined && info !== undefined) found.push({ info, object });
    }
    return found;
  }

  /** What a selection selects, sorted by namespace and name. */
  list(info: ResourceInfo, selection: Selection = { labels: [], fields: [] }): readonly Manifest[] {
    const table = this.#tables.get(info.storage);
    if (table === undefined) return [];
    const keys = this.#candidates(table, selection);
    const found: Manifest[] = [];
    for (const key of keys) {
      const object = table.objects.get(key);
      if (object !== undefined && selects(selection, object)) found.push(object);
    }
    return found;
  }

  /** All objects of all kinds. */
  all(): readonly { readonly info: ResourceInfo; readonly object: Manifest }[] {
    return [...this.#tables.values()].flatMap((table) =>
      [...table.objects.values()].map((object) => ({ info: table.info, object })),
    );
  }

  /** Stores a new or changed object at the next version and tells the listeners. */
  put(info: ResourceInfo, object: Manifest): Manifest {
    const version = ++this.#version;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    const previous = this.#place(info, stored);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#tell({ version, info, type, object: stored, previous });
    return stored;
  }

  /** Removes an object at the next version and tells the listeners. */
  remove(info: ResourceInfo, object: Manifest): Manifest {
    const version = ++this.#version;
    const table = this.#table(info);
    const previous = table.objects.get(keyOf(object));
    if (previous !== undefined) this.#unindex(table, previous);
    table.objects.delete(keyOf(object));
    table.sorted = undefined;
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    this.#tell({ version, info, type: 'DELETED', object: last, previous });
    return last;
  }

  /** Puts back an object of an earlier life, version included, without telling anybody. */
  restore(info: ResourceInfo, object: Manifest): void {
    this.#place(info, object);
  }

  /** Changes after `version`, oldest first; undefined when some of them are forgotten. */
  since(version: number): readonly Change[] | undefined {
    if (version < this.#compacted) return undefined;
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return this.#log.slice(low);
  }

  /** Forgets all history. */
  compact(): void {
    this.#log = [];
    this.#compacted = this.#version;
  }

  #place(info: ResourceInfo, stored: Manifest): Manifest | undefined {
    const table = this.#table(info);
    const key = keyOf(stored);
    const previous = table.objects.get(key);
    if (previous !== undefined) this.#unindex(table, previous);
    else table.sorted = undefined;
    table.objects.set(key, stored);
    for (const term of termsOf(table.info, stored)) addTo(table.terms, term, key);
    const uid = stored.metadata.uid ?? '';
    this.#byUid.set(uid, { info, key });
    for (const owner of ownerUids(stored)) addTo(this.#dependents, owner, uid);
    return previous;
  }

  #table(info: ResourceInfo): Table {
    let table = this.#tables.get(info.storage);
    if (table === undefined) {
      table = { info, objects: new Map(), terms: new Map(), sorted: undefined };
      this.#tables.set(info.storage, table);
    }
    return table;
  }

  #unindex(table: Table, object: Manifest): void {
    for (const term of termsOf(table.info, object)) removeFrom(table.terms, term, keyOf(object));
    const uid = object.metadata.uid ?? '';
    this.#byUid.delete(uid);
    for (const owner of ownerUids(object)) removeFrom(this.#dependents, owner, uid);
  }

  /** The smallest set of keys that holds all of the selection, sorted. */
  #candidates(table: Table, selection: Selection): readonly string[] {
    const exact = exactKey(table.info, selection);
    if (exact !== undefined) return [exact];
    let smallest: ReadonlySet<string> | undefined;
    for (const term of indexedTerms(table.info, selection)) {
      const keys = table.terms.get(term);
      if (keys === undefined) return [];
      if (smallest === undefined || keys.size < smallest.size) smallest = keys;
    }
    if (smallest !== undefined) return [...smallest].sort();
    table.sorted ??= [...table.objects.keys()].sort();
    return table.sorted;
  }

  #tell(change: Change): void {
    this.#log.push(change);
    // Cutting at twice the length keeps the cost of forgetting constant per change.
    if (this.#log.length > this.#history * 2) {
      this.#log = this.#log.slice(-this.#history);
      this.#compacted = (this.#log[0]?.version ?? this.#version + 1) - 1;
    }
    for (const listener of this.#listeners) listener(change);
  }
}

/** The key of the one object a selection can select, when it names it. */
function exactKey(info: ResourceInfo, selection: Selection): string | undefined {
  if (selection.namespace === undefined && info.namespaced) return undefined;
  const term = selection.fields.find(({ path, equal }) => equal && path === 'metadata.name');
  return term === undefined ? undefined : `${selection.namespace ?? ''}/${term.value}`;
}

/** The terms of a selection that the index knows. */
function indexedTerms(info: ResourceInfo, selection: Selection): readonly string[] {
  const terms = selection.namespace === undefined ? [] : [`n:${selection.namespace}`];
  for (const r of selection.labels) {
    if (r.op === 'in' && r.values.length === 1) terms.push(`l:${r.key}=${r.values[0]}`);
  }
  for (const { path, equal, value } of selection.fields) {
    if (equal && info.selectable.includes(path)) terms.push(`f:${path}=${value}`);
  }
  return terms;
}

function addTo(index: Map<string, Set<string>>, term: string, key: string): void {
  const keys = index.get(term);
  if (keys === undefined) index.set(term, new Set([key]));
  else keys.add(key);
}

function removeFrom(index: Map<string, Set<string>>, term: string, key: string): void {
  const keys = index.get(term);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(term);
}
