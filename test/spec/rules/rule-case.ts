/**
 * One limit or rule of the specification with files on both sides of it. Written from the facts and not from the code: what is accepted is
 * accepted whole, and every problem of what is refused is at `at` or below it.
 */
export type RuleCase = {
  readonly rule: string;
  readonly accept: readonly string[];
  /** `named` is a place that one of the problems must have, where `at` says less. */
  readonly refuse: readonly (readonly [file: string, at: string, named?: string])[];
};

/** Files refused because of the field that the last line sets, among others it may need. */
export function excluded(
  file: (fields: string) => string,
  fields: readonly string[],
  at = 'services.web',
): readonly (readonly [string, string, string])[] {
  return fields.map((text) => [file(text), at, `${at}.${text.split('\n').at(-1)?.split(' ')[0] ?? ''}`]);
}

/** One service `web`, with these lines in its table and more tables after it. */
export function web(lines: string, tail = ''): string {
  return `name = "shop"\n[services.web]\nimage = "nginx"\n${lines}\n${tail}`;
}

/** One plain service, with these lines at the root and more tables after it. */
export function root(lines: string, tail = ''): string {
  return `name = "shop"\n${lines}\n[services.web]\nimage = "nginx"\nport = 8080\npublic = true\n${tail}`;
}

/** The table of one more service. */
export function service(name: string, lines = ''): string {
  return `[services.${name}]\nimage = "nginx"\n${lines}\n`;
}

/** A list of so many numbered things. */
export function many<T>(count: number, make: (i: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** So many lines. */
export function lines(count: number, make: (i: number) => string): string {
  return many(count, make).join('\n');
}

/** A TOML inline table of so many entries. */
export function table(count: number, entry: (i: number) => string): string {
  return `{ ${many(count, entry).join(', ')} }`;
}

/** A TOML array of texts. */
export function texts(values: readonly string[]): string {
  return JSON.stringify(values);
}

/** Files of `web` with one field set to each of these TOML values. */
export function values(field: string, list: readonly (string | number | boolean)[], rest = ''): readonly string[] {
  return list.map((value) => web(`${field} = ${value}\n${rest}`));
}

/** The same as refused files. */
export function refused(
  field: string,
  list: readonly (string | number | boolean)[],
  rest = '',
): readonly (readonly [string, string])[] {
  return values(field, list, rest).map((file) => [file, `services.web.${field}`]);
}

/** Texts that are no NAME of facts 1, as TOML. */
export const BAD_NAMES: readonly string[] = ['A', 'aB', '1a', '-a', 'a-', 'a_b', 'a.b', 'a b', 'é', 'a'.repeat(41)];
/** The longest and shortest ones, and the shapes between. */
export const GOOD_NAMES: readonly string[] = ['a', 'a1', 'a-b', 'a--b', 'a'.repeat(40), `a${'-'.repeat(38)}b`];

/** Texts that are no RUNTIME_NAME of facts 1. */
export const BAD_RUNTIME_NAMES: readonly string[] = ['A', '-a', 'a-', 'a_b', 'a.b', 'a'.repeat(64)];
export const GOOD_RUNTIME_NAMES: readonly string[] = ['a', '1', '1a', 'a-b', 'a'.repeat(63)];

/** Texts that are no host name of facts 2.6. */
export const BAD_HOSTS: readonly string[] = [
  'localhost',
  'A.example.com',
  '*.example.com',
  'https://a.example.com',
  'a.example.com:80',
  'a.example.com/x',
  '127.0.0.1',
  '-a.example.com',
  'a-.example.com',
  'a..example.com',
  'a.example.com.',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(121)}com`,
];
export const GOOD_HOSTS: readonly string[] = [
  'a.b',
  'shop.example.com',
  'xn--bcher-kva.example',
  '1.example.com',
  `${'a'.repeat(63)}.com`,
  `${'a.'.repeat(121)}co`,
];

/** TOML text of a value. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Mount paths refused everywhere (facts 1.10, 1.11). */
export const UNCLEAN_PATHS: readonly string[] = [
  '',
  'a',
  '/a/',
  '/a//b',
  '/a/../b',
  '/a/./b',
  '/',
  `/${'a'.repeat(200)}`,
];
