import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { canonicalJson, describe } from '../../src/kernel/index.ts';
import { maskedLine, type ParseResult, parseSpec, parseSpecJson, specDigest } from '../../src/spec/index.ts';
import { file } from './arbitrary.ts';

const accepted = (result: ParseResult) => {
  if (!result.ok) throw new Error(result.problems.map(describe).join('\n'));
  return result.application;
};

test('normalising is idempotent through canonical JSON', () => {
  fc.assert(
    fc.property(file, (raw) => {
      const once = accepted(parseSpecJson(raw));
      const json = canonicalJson(once);
      const twice = accepted(parseSpecJson(JSON.parse(json)));
      expect(twice).toEqual(once);
      expect(canonicalJson(twice)).toBe(json);
    }),
  );
});

test('TOML and JSON of one file mean the same', () => {
  fc.assert(
    fc.property(file, (raw) => {
      expect(specDigest(accepted(parseSpec(stringify(raw))))).toBe(specDigest(accepted(parseSpecJson(raw))));
    }),
  );
});

test('the order of keys does not change the digest', () => {
  const reversed = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, below]) => [key, reversed(below)]),
        )
      : value;
  fc.assert(
    fc.property(file, (raw) => {
      expect(specDigest(accepted(parseSpecJson(reversed(raw))))).toBe(specDigest(accepted(parseSpecJson(raw))));
    }),
  );
});

test('the order of lists that are sets does not change the digest, and no list of a command is one', () => {
  const ordered = new Set(['command', 'args', 'helper_command']);
  const reversed = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return ordered.has(key) ? value : value.map((element) => reversed(element)).reverse();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, reversed(below, name)]));
  };
  fc.assert(
    fc.property(file, (raw) => {
      expect(specDigest(accepted(parseSpecJson(reversed(raw))))).toBe(specDigest(accepted(parseSpecJson(raw))));
    }),
  );
  const digest = (args: readonly string[]) =>
    specDigest(accepted(parseSpecJson({ name: 'a', services: { web: { image: 'a', args } } })));
  expect(digest(['a', 'b'])).not.toBe(digest(['b', 'a']));
});

test('parsing changes nothing of its input', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  fc.assert(fc.property(file, (raw) => accepted(parseSpecJson(freeze(structuredClone(raw)))) !== undefined));
});

test('parsing never throws, and every position is inside the text', () => {
  const pieces = fc.constantFrom(
    '[services.web]',
    '[[services.web.ports]]',
    'name = "a"',
    'image = "a"',
    'port = ',
    '=',
    '"',
    "'''",
    '"""',
    '[',
    ']',
    '{',
    '}',
    '\n',
    '\n',
    '\r\n',
    '#',
    '\\',
    '.',
    ',',
    '1',
    'true',
    '__proto__',
    'constructor',
    '\ufeff',
    '\u0000',
    '\ud800',
    '1979-05-27',
    'inf',
  );
  const mutated = fc.tuple(file, fc.nat(), fc.nat(8), pieces).map(([raw, at, cut, piece]) => {
    const toml = stringify(raw);
    const from = at % (toml.length + 1);
    return toml.slice(0, from) + piece + toml.slice(from + cut);
  });
  const random = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    mutated,
  );
  fc.assert(
    fc.property(random, (source) => {
      const result = parseSpec(source);
      if (result.ok) return;
      expect(result.problems.length).toBeGreaterThan(0);
      const lines = source.split('\n');
      for (const { position } of result.problems) {
        if (position === undefined) continue;
        expect(position.line).toBeLessThanOrEqual(lines.length);
        expect(position.column).toBeLessThanOrEqual((lines[position.line - 1]?.length ?? 0) + 1);
        maskedLine(source, position);
      }
    }),
    { numRuns: 1000 },
  );
});

test('random JSON never throws', () => {
  fc.assert(
    fc.property(
      fc.anything({ withDate: true, withNullPrototype: true, withBigInt: true }),
      (raw) => typeof parseSpecJson(raw).ok === 'boolean',
    ),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), (raw) => typeof parseSpecJson({ name: 'a', services: { web: raw } }).ok === 'boolean'),
    { numRuns: 500 },
  );
});
