import type { Manifest } from '../../kernel/index.ts';

/** A JSON object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; anything else reads as empty. */
export function record(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The value as a list; anything else reads as empty. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a list of objects; other elements are dropped. */
export function records(value: unknown): readonly Fields[] {
  return items(value).filter(isRecord);
}

/** The value as text, or undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as a number, or the fallback. */
export function number(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

/** The value at a path of field names, or undefined. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isRecord(current)) return undefined;
    current = current[name];
  }
  return current;
}

/** Equality of JSON values; a key whose value is undefined counts as absent, the order of keys does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key of Object.keys(a)) if (!sameJson(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}

/** A copy without the named key. */
export function without<T extends Fields>(value: T, key: string): T {
  const { [key]: _dropped, ...rest } = value;
  return rest as T;
}

/** A copy of the object with these metadata fields replaced; `undefined` removes one. */
export function withMetadata(object: Manifest, changes: Fields): Manifest {
  const metadata: Record<string, unknown> = { ...object.metadata, ...changes };
  for (const key of Object.keys(changes)) if (changes[key] === undefined) delete metadata[key];
  return { ...object, metadata: metadata as Manifest['metadata'] };
}

/** True when the value can be stored: an object with apiVersion, kind and metadata. */
export function isManifest(value: unknown): value is Manifest {
  return (
    isRecord(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isRecord(value.metadata)
  );
}
