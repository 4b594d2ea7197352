/** Order of texts by UTF-16 code units, which is the same everywhere. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A sorted copy. */
export function sorted(list: readonly string[] | undefined): readonly string[] {
  return [...(list ?? [])].sort(compare);
}

/** A copy of a map with sorted keys. */
export function sortKeys<T>(map: Readonly<Record<string, T>> | undefined): Readonly<Record<string, T>> {
  return mapValues(map, (value) => value);
}

/** A map with sorted keys and changed values; an absent one is empty. */
export function mapValues<T, U>(
  map: Readonly<Record<string, T>> | undefined,
  change: (value: T, key: string) => U,
): Readonly<Record<string, U>> {
  return Object.fromEntries(
    Object.entries(map ?? {})
      .sort(([a], [b]) => compare(a, b))
      .map(([key, value]) => [key, change(value, key)]),
  );
}

/** Turns minus zero, which TOML can write, into zero, and an absent number too. */
export function unsigned(n: number | undefined): number {
  return n || 0;
}

/** Whether a table of the file says nothing: every value in it is absent, empty, zero or false. */
export function saysNothing(table: Readonly<Record<string, unknown>> | undefined): boolean {
  return table === undefined || Object.values(table).every((value) => !value);
}
