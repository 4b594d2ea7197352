import { at, type Manifest } from '../kernel/index.ts';

/** A JSON object under construction. */
export type Mutable = Record<string, unknown>;

/** The value as an object, or `undefined` for anything else. */
export function object(value: unknown): Mutable | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mutable) : undefined;
}

/** The objects in a list; empty for anything that is no list. */
export function array(value: unknown): readonly Mutable[] {
  return Array.isArray(value) ? value.map(object).filter((item) => item !== undefined) : [];
}

/** The text at a path, or `undefined`. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The number at a path; 0 when there is none, as the API server leaves zeros out. */
export function countAt(value: unknown, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
}

/** Sets a key that is absent or null. */
export function setDefault(target: Mutable, key: string, value: unknown): void {
  if (target[key] === undefined || target[key] === null) target[key] = value;
}

/** A deep copy to change. */
export function copyOf(manifest: Manifest): Mutable {
  return structuredClone(manifest) as unknown as Mutable;
}
