import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { TomlDate } from 'smol-toml';
import { expect, test } from 'vitest';
import { parseDocument } from '../../src/spec/parse.ts';
import { findTomllib, type Plain } from '../support/tomllib.ts';
import { INVALID, VALID } from './rules/all.ts';

/* Another parser of TOML as the judge of ours: Python's, which knows TOML 1.0 where ours knows 1.1. */

const python = findTomllib();
if (typeof python === 'string') console.log(`skipped: no second TOML parser, because ${python}`);
const corpus = resolve(import.meta.dirname, '../../../shared/corpus');
if (!existsSync(corpus)) console.log('skipped: the corpus of published specifications is not beside this repository');

/** Our value in the shape Python answers in; `undefined` when we refuse. */
function ours(text: string): Plain | undefined {
  const parsed = parseDocument(text);
  return parsed.ok ? plain(parsed.value) : undefined;
}

function plain(value: unknown): Plain {
  if (value instanceof TomlDate) return value.isDateTime() && !value.isLocal() ? `date ${value.getTime()}` : 'date';
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'number' && !Number.isFinite(value))
    return Number.isNaN(value) ? 'number nan' : `number ${value > 0 ? '' : '-'}inf`;
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, plain(below)]));
  return value as Plain;
}

/** Whether Python has an integer that JavaScript can not hold. */
function hasLargeInteger(value: Plain | undefined): boolean {
  if (typeof value !== 'object') return value === 'integer too large';
  return Object.values(value).some(hasLargeInteger);
}

/** A line end inside a text may be read as either; Python makes all of them one. */
function withLf(value: Plain | undefined): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value).replaceAll('\\r\\n', '\\n'));
}

/** What Python reads must be read and mean the same; what only we read must be newer than TOML 1.0. */
async function compare(texts: readonly string[], options: { readonly isAlwaysValid?: boolean } = {}): Promise<void> {
  if (typeof python === 'string') return;
  const theirs = await python.read(texts);
  let agreed = 0;
  for (const [i, text] of texts.entries()) {
    const mine = ours(text);
    const other = theirs[i];
    if (options.isAlwaysValid === true) expect(other, `Python refuses ${text}`).toBeDefined();
    if (other === undefined || hasLargeInteger(other)) continue;
    expect(withLf(mine), text).toEqual(withLf(other));
    agreed += 1;
  }
  expect(agreed).toBeGreaterThan(texts.length / 2);
}

test.skipIf(typeof python === 'string' || !existsSync(corpus))('the published specifications', async () => {
  const files = readdirSync(corpus, { recursive: true }).map(String);
  const texts = files.filter((name) => name.endsWith('.toml')).map((name) => readFileSync(join(corpus, name), 'utf8'));
  await compare(texts, { isAlwaysValid: true });
});

test.skipIf(typeof python === 'string')('the cases of the rule table', async () => {
  await compare([...VALID, ...INVALID].filter((text) => text.isWellFormed() && !text.startsWith('\ufeff')));
});

const bare = fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/);
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((one) => one.replace(/\p{Cc}/gu, ''));
const basic = text.map((one) => JSON.stringify(one));
const literal = text.map((one) => `'${one.replaceAll("'", '')}'`);
const escaped = fc
  .array(
    fc.constantFrom('\\n', '\\t', '\\r', '\\b', '\\f', '\\"', '\\\\', '\\u00e9', '\\U0001F600', 'a', "'", '#', ' '),
    { maxLength: 8 },
  )
  .map((parts) => `"${parts.join('')}"`);
const long = fc
  .array(fc.constantFrom('\n', '\r\n', '\\\n   ', '"', '""', ' ', 'a', '\\n', '#', "'"), { maxLength: 8 })
  .map((parts) => `"""${parts.join('').replace(/"{3,}/g, '""').replace(/"+$/, '')}"""`);
const longLiteral = fc
  .array(fc.constantFrom('\n', "'", ' ', 'a', '\\', '"'), { maxLength: 8 })
  .map((parts) => `'''${parts.join('').replace(/'{3,}/g, "''").replace(/'+$/, '')}'''`);
const number = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    '0',
    '-0',
    '+1',
    '1_000',
    '0x1F',
    '0o17',
    '0b101',
    '1e3',
    '1.5e-3',
    '-1.25',
    'inf',
    '-inf',
    'nan',
    '1_0.0_1',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Number.isInteger(n) ? `${BigInt(n)}.0` : String(n))),
);
const date = fc.constantFrom(
  '1979-05-27T07:32:00Z',
  '1979-05-27T00:32:00.5-07:00',
  '1979-05-27T07:32:00',
  '1979-05-27',
  '07:32:00',
);
const scalar = fc.oneof(basic, literal, escaped, long, longLiteral, number, date, fc.constantFrom('true', 'false'));
const gap = fc.constantFrom('', ' ', '\t', '\n', ' # a comment\n', '\r\n');
const inline = fc.constantFrom('', ' ', '\t');

const { value } = fc.letrec<{ value: string; list: string; table: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('table')),
  list: fc
    .tuple(fc.array(fc.tuple(tie('value'), gap, gap), { maxLength: 4 }), gap, fc.boolean())
    .map(([items, start, trailing]) => {
      const comma = trailing && items.length > 0 ? ',' : '';
      return `[${start}${items.map(([item, before, after]) => `${before}${item}${after}`).join(',')}${comma}]`;
    }),
  table: fc
    .tuple(fc.uniqueArray(fc.tuple(bare, tie('value')), { maxLength: 3, selector: ([key]) => key }), inline)
    .map(
      ([pairs, space]) =>
        `{${space}${pairs.map(([key, one]) => `${key}${space}=${space}${one}`).join(`,${space}`)}${space}}`,
    ),
}));

const quotedKey = fc.oneof(bare, basic, literal);
const key = fc
  .tuple(fc.array(quotedKey, { minLength: 1, maxLength: 3 }), inline)
  .map(([parts, space]) => parts.join(`${space}.${space}`));
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, inline, value).map(([name, space, one]) => `${name}${space}=${space}${one}`) },
  { weight: 2, arbitrary: key.map((name) => `[${name}]`) },
  { weight: 1, arbitrary: key.map((name) => `[[${name}]]`) },
  { weight: 1, arbitrary: fc.constantFrom('', '# a comment', '   ', '\t# ü') },
);
const document = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end));

test.skipIf(typeof python === 'string')('generated documents', async () => {
  await compare(fc.sample(document, { numRuns: 1500, seed: 7 }));
});
