import { LIMITS } from '../kernel/index.ts';
import type { Finding, Path } from './path.ts';
import type { UnknownKeys } from './report.ts';

type Trail = { readonly key: string | number; readonly parent: Trail | undefined };
type Place = { readonly value: object; readonly trail: Trail | undefined };

/**
 * The `__proto__` keys of a raw document, in its order. No map may have one, and the schema library passes over them in silence, which
 * would accept a file without having understood it.
 */
export function unsafeKeys(raw: unknown): UnknownKeys {
  const listed: Finding[] = [];
  let count = 0;
  const waiting: Place[] = isObject(raw) ? [{ value: raw, trail: undefined }] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, trail } = next;
    if (Object.hasOwn(value, '__proto__')) {
      count += 1;
      if (count <= LIMITS.unknownKeysListed)
        listed.push({ path: [...pathOf(trail), '__proto__'], message: 'unknown key' });
    }
    for (const place of below(next).reverse()) waiting.push(place);
  }
  return { listed, count };
}

function below({ value, trail }: Place): Place[] {
  const found: Place[] = [];
  if (Array.isArray(value)) {
    for (const [key, element] of value.entries()) {
      if (isObject(element)) found.push({ value: element, trail: { key, parent: trail } });
    }
    return found;
  }
  for (const key of Object.keys(value)) {
    const element: unknown = Reflect.get(value, key);
    if (isObject(element)) found.push({ value: element, trail: { key, parent: trail } });
  }
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

function pathOf(trail: Trail | undefined): Path {
  const path: (string | number)[] = [];
  for (let at = trail; at !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}
