import type { Finding, Path } from './path.ts';

type Trail = { readonly key: string | number; readonly parent: Trail | undefined };

/**
 * Every `__proto__` key of a raw document. No map may have one, and the schema library passes over them in silence, which would accept
 * a file without having understood it.
 */
export function unsafeKeys(raw: unknown): readonly Finding[] {
  const findings: Finding[] = [];
  const waiting: { readonly value: unknown; readonly trail: Trail | undefined }[] = [{ value: raw, trail: undefined }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, trail } = next;
    if (typeof value !== 'object' || value === null || value instanceof Date) continue;
    const isList = Array.isArray(value);
    if (!isList && Object.hasOwn(value, '__proto__')) {
      findings.push({ path: [...pathOf(trail), '__proto__'], message: 'unknown key' });
    }
    for (const [key, below] of Object.entries(value)) {
      if (typeof below !== 'object' || below === null) continue;
      waiting.push({ value: below, trail: { key: isList ? Number(key) : key, parent: trail } });
    }
  }
  return findings;
}

function pathOf(trail: Trail | undefined): Path {
  const path: (string | number)[] = [];
  for (let at = trail; at !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}
