type Table = Readonly<Record<string, unknown>>;

/** Whether two JSON values mean the same; the order of keys means nothing, nor does a key without a value. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, i) => same(value, b[i]));
  }
  if (!isTable(a) || !isTable(b)) return false;
  const [left, right] = [defined(a), defined(b)];
  return left.length === right.length && left.every(([key, value]) => Object.hasOwn(b, key) && same(value, b[key]));
}

function defined(table: Table): readonly (readonly [string, unknown])[] {
  return Object.entries(table).filter(([, value]) => value !== undefined);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null;
}
