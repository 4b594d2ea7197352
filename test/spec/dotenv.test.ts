import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDotenv } from '../../src/spec/dotenv.ts';

/** The variables of a file that must be right. */
function read(text: string): Readonly<Record<string, string>> {
  const { entries, errors } = parseDotenv(text);
  expect(errors).toEqual([]);
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
}

const lines = (text: string): readonly number[] => parseDotenv(text).errors.map(({ line }) => line);

test.each<readonly [string, string, Readonly<Record<string, string>>]>([
  ['nothing', '', {}],
  ['blank lines and comments', '\n  \n# a comment\n\t# another\n', {}],
  ['a plain value', 'A=b', { A: 'b' }],
  ['white space around', '  A = b c  \n', { A: 'b c' }],
  ['no value', 'A=\nB= \nC= # nothing', { A: '', B: '', C: '' }],
  ['export', 'export A=b\nexport\tB=c', { A: 'b', B: 'c' }],
  ['a variable named export', 'export=a', { export: 'a' }],
  ['the same with white space', 'export = a', { export: 'a' }],
  ['a byte order mark', '\ufeffA=b', { A: 'b' }],
  ['CRLF', 'A=b\r\nB="c\r\nd"\r\n', { A: 'b', B: 'c\nd' }],
  ['a comment after a value', 'A=b # c\nB=d\t#e', { A: 'b', B: 'd' }],
  ['a number sign inside a word', 'A=#fff\nB=http://a/#b', { A: '#fff', B: 'http://a/#b' }],
  ['an equals sign in a value', 'A=b=c==', { A: 'b=c==' }],
  ['quotes inside a plain value', `A=b"c'd`, { A: `b"c'd` }],
  ['double quotes', 'A=" b # c " # d', { A: ' b # c ' }],
  ['escapes', String.raw`A="\n\r\t\"\\n"`, { A: '\n\r\t"\\n' }],
  ['single quotes', String.raw`A=' \n " # '`, { A: String.raw` \n " # ` }],
  ['several lines', 'A="b\n\nc"\nB=\'d\ne\'\nC=f', { A: 'b\n\nc', B: 'd\ne', C: 'f' }],
  ['empty quotes', `A=""\nB=''`, { A: '', B: '' }],
  ['no expansion', `A=$B \${C} $(d) \`e\`\nF="$B"`, { A: `$B \${C} $(d) \`e\``, F: '$B' }],
  ['names', '_a1=b\nconstructor=c', { _a1: 'b', constructor: 'c' }],
  ['the longest name', `${'A'.repeat(128)}=b`, { ['A'.repeat(128)]: 'b' }],
])('reads %s', (_what, text, expected) => {
  expect(read(text)).toEqual(expected);
});

test.each<readonly [string, string, readonly number[]]>([
  ['no equals sign', 'A=b\nB\nC=d', [2]],
  ['export without a name', 'export \nexport A', [1, 2]],
  ['a name with a hyphen', '\nA-B=c', [2]],
  ['a name with a digit first', '1A=b', [1]],
  ['no name', '=b', [1]],
  ['a name over 128', `${'A'.repeat(129)}=b`, [1]],
  ['a name no object can hold', '__proto__=b', [1]],
  ['a name twice', 'A=b\nC=d\nA=b', [3]],
  ['a double quote left open', 'A=b\nB="c\nd\n', [2]],
  ['a single quote left open', "A='b", [1]],
  ['text after the quote', 'A="b"c\nD=\'e\'f', [1, 2]],
  ['text after a quote over lines', 'A="b\nc"d\nE', [2, 3]],
  ['an unknown escape', '\nA="b\n\\x"', [3]],
  ['a NUL', 'A=b\0', [1]],
  ['a NUL as a name', '\0=b', [1]],
  ['a lone surrogate', 'A=\ud800', [1]],
])('refuses %s', (_what, text, expected) => {
  expect(lines(text)).toEqual(expected);
});

test('takes values of 4096 bytes, by bytes and not by characters', () => {
  expect(read(`A=${'é'.repeat(2048)}`).A).toHaveLength(2048);
  expect(lines(`A=${'é'.repeat(2048)}x`)).toEqual([1]);
  expect(read(`A="${'x'.repeat(4096)}"`).A).toHaveLength(4096);
  expect(lines(`A="${'x'.repeat(4097)}"`)).toEqual([1]);
});

test('takes 128 variables', () => {
  const file = (count: number): string => Array.from({ length: count }, (_, i) => `A${i}=${i}\n`).join('');
  expect(Object.keys(read(file(128)))).toHaveLength(128);
  expect(lines(file(129))).toEqual([129]);
  expect(lines(file(500))).toEqual([129]);
});

test('tells at most 16 errors, and no word of the file', () => {
  const { errors } = parseDotenv('canary value\n'.repeat(100));
  expect(errors).toHaveLength(16);
  expect(JSON.stringify(errors)).not.toContain('canary');
});

const value = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !text.includes('\0'));

test('reads back what was quoted', () => {
  const quoted = (text: string): string =>
    `"${text.replace(/[\\"\n\r\t]/g, (c) => `\\${{ '\n': 'n', '\r': 'r', '\t': 't' }[c] ?? c}`)}"`;
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[A-Z]{1,3}$/), { maxLength: 5 }),
      fc.array(value),
      (names, values) => {
        const pairs = names.map((name, i) => [name, values[i] ?? ''] as const);
        expect(read(pairs.map(([name, text]) => `${name}=${quoted(text)}\n`).join(''))).toEqual(
          Object.fromEntries(pairs),
        );
      },
    ),
  );
});

test('never throws, and says where', () => {
  const piece = fc.constantFrom(
    'A=',
    'export ',
    '"',
    "'",
    '\\',
    '\\n',
    '#',
    '\n',
    '\r\n',
    '\r',
    ' ',
    '=',
    '\0',
    '\ufeff',
    'x',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
      ),
      (text) => {
        const count = text.split('\n').length;
        for (const { line } of parseDotenv(text).errors) {
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(count);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
