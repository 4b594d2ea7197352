import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { canonicalJson, describe as sentence } from '../../src/kernel/index.ts';
import {
  type Application,
  maskedLine,
  type ParseResult,
  parseSpec,
  parseSpecJson,
  specDigest,
} from '../../src/spec/index.ts';
import { INVALID, VALID } from './rules/all.ts';

/*
 * The properties of `properties.test.ts` over files that set every field: the cases of the rule table, whole, in pieces, and changed at
 * random.
 */

const documents = VALID.map((file) => ({ file, raw: parse(file.replace(/^\ufeff/, '')) as unknown }));

function accepted(result: ParseResult): Application {
  if (!result.ok) throw new Error(result.problems.map(sentence).join('\n'));
  return result.application;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, below]) => [key, reversed(below)]),
  );
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const below of Object.values(value)) frozen(below);
  return Object.freeze(value);
}

/** `env_file` is for files and not for JSON. */
const isJson = ({ raw }: { readonly raw: unknown }): boolean => !JSON.stringify(raw).includes('"env_file"');

describe('every valid file', () => {
  test('comes back from its canonical JSON as it was, and changes no more', () => {
    for (const { file } of documents) {
      const once = accepted(parseSpec(file));
      const json = canonicalJson(once);
      const twice = accepted(parseSpecJson(JSON.parse(json)));
      expect(twice, file).toEqual(once);
      expect(canonicalJson(twice), file).toBe(json);
    }
  });

  test('means the same in JSON and with its keys in another order', () => {
    for (const { file, raw } of documents.filter(isJson)) {
      const digest = specDigest(accepted(parseSpec(file)));
      expect(specDigest(accepted(parseSpecJson(raw))), file).toBe(digest);
      expect(specDigest(accepted(parseSpecJson(reversed(raw)))), file).toBe(digest);
      expect(specDigest(accepted(parseSpec(stringify(reversed(raw))))), file).toBe(digest);
    }
  });

  test('is read without being changed', () => {
    for (const { raw } of documents.filter(isJson)) accepted(parseSpecJson(frozen(structuredClone(raw))));
  });

  test('gives what nobody can change by holding on to the input', () => {
    for (const { raw } of documents.filter(isJson)) {
      const input = structuredClone(raw) as Record<string, unknown>;
      const application = accepted(parseSpecJson(input));
      const before = canonicalJson(application);
      scramble(input);
      expect(canonicalJson(application)).toBe(before);
    }
  });
});

/** Empties everything below. */
function scramble(value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach(scramble);
    value.length = 0;
  } else if (isTable(value)) {
    for (const key of Object.keys(value)) {
      scramble(value[key]);
      delete (value as Record<string, unknown>)[key];
    }
  }
}

const VALUES: readonly unknown[] = [
  '',
  'a',
  'A B',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  'a'.repeat(300),
  '0.0.0.0/0',
  '/',
  '../..',
  0,
  -0,
  1,
  -1,
  1.5,
  65_536,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  10n,
  true,
  false,
  null,
  undefined,
  [],
  [[]],
  [null],
  {},
  { a: {} },
  new Date(0),
  JSON.parse('{"__proto__":{"a":1}}'),
  Object.create(null),
  Symbol.iterator,
  Array.from({ length: 300 }, (_, i) => i),
  Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, {}])),
];

/** Every place of a document. */
function places(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null || value instanceof Date) return [at];
  return [at, ...Object.entries(value).flatMap(([key, below]) => places(below, [...at, key]))];
}

function replaced(value: unknown, at: readonly string[], by: unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((one, i) => (String(i) === key ? replaced(one, rest, by) : one));
  const table = value as Readonly<Record<string, unknown>>;
  return { ...table, [key]: replaced(table[key], rest, by) };
}

test('any value at any place is a verdict and no exception', () => {
  const change = fc.record({
    document: fc.constantFrom(...documents),
    place: fc.nat(),
    value: fc.oneof(fc.constantFrom(...VALUES), fc.anything()),
  });
  fc.assert(
    fc.property(change, ({ document, place, value }) => {
      const all = places(document.raw);
      const raw = replaced(document.raw, all[place % all.length] ?? [], value);
      const result = parseSpecJson(raw);
      if (result.ok) accepted(parseSpecJson(JSON.parse(canonicalJson(result.application))));
      else expect(result.problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 1000 },
  );
});

const PIECES = [
  '[',
  ']',
  '[[',
  ']]',
  '{',
  '}',
  '"',
  "'",
  '"""',
  "'''",
  '=',
  '.',
  ',',
  '#',
  '\n',
  '\r\n',
  '\\',
  '\0',
  '\ufeff',
  '\ud800',
  '__proto__',
  'constructor',
  ' = 1\n',
  '[services.web]\n',
  '[services.web.ports]\n',
  'services',
  'true',
  '1979-05-27',
  'nan',
  '\t',
  '\u2028',
];

test('any text is a verdict, and problems stand inside the text', () => {
  const change = fc.record({
    file: fc.constantFrom(...VALID, ...INVALID),
    at: fc.nat(),
    cut: fc.nat(12),
    piece: fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })),
  });
  fc.assert(
    fc.property(change, ({ file, at, cut, piece }) => {
      const from = at % (file.length + 1);
      const text = file.slice(0, from) + piece + file.slice(from + cut);
      const result = parseSpec(text);
      if (result.ok) return;
      expect(result.problems.length).toBeGreaterThan(0);
      const lines = text.split('\n');
      for (const { position } of result.problems) {
        if (position === undefined) continue;
        expect(position.line).toBeLessThanOrEqual(lines.length);
        expect(position.column).toBeLessThanOrEqual((lines[position.line - 1]?.length ?? 0) + 1);
        maskedLine(text, position);
      }
    }),
    { numRuns: 1500 },
  );
});
