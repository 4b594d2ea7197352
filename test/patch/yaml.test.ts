import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePatch } from '../../src/patch/index.ts';
import { Oracle, oracleBinary } from './oracle.ts';

/** What the text is read as, or why it is refused. */
function read(text: string): unknown {
  const patch = parsePatch(text);
  if (patch.ok) return patch.value;
  expect(patch.problem).toMatchObject({ code: 'invalid_patch', kind: 'rejected' });
  return patch.problem.message;
}

const bomb = (levels: number): string =>
  ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    .concat(Array.from({ length: levels }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`))
    .join('\n');

/** Read as kubectl reads it. */
const SAME: readonly (readonly [string, string, unknown])[] = [
  [
    'words of YAML 1.1',
    'a: [yes, On, y, no, OFF, n, TRUE, ~, Null, ]',
    { a: [true, true, true, false, false, false, true, null, null] },
  ],
  ['words that are text', 'a: [YeS, nULL, oN, "yes", \'on\', t]', { a: ['YeS', 'nULL', 'oN', 'yes', 'on', 't'] }],
  [
    'octal and other bases',
    'a: [0755, 0o17, 0x1F, 0b11, -0x10, +7, 010, 0B1, -0b11]',
    { a: [493, 15, 31, 3, -16, 7, 8, 1, -3] },
  ],
  ['digits that are no octal', 'a: [08, 0779]', { a: [8, 779] }],
  ['underscores', 'a: [1_000, 0x_ff, .5_5, _1]', { a: [1000, 255, 0.55, '_1'] }],
  [
    'fractions',
    'a: [1.5, 1., .5, 1e3, 1.0, -1.5e-3, +.5, 1.2.3, 1e, 1e999]',
    { a: [1.5, 1, 0.5, 1000, 1, -0.0015, 0.5, '1.2.3', '1e', '1e999'] },
  ],
  ['zeros without a sign', 'a: [-0, 0.0, -0.0, 0]', { a: [0, 0, 0, 0] }],
  ['no numbers to the base 60', 'a: [1:30, 190:20:30]', { a: ['1:30', '190:20:30'] }],
  [
    'dates as text',
    'a: [2001-01-01, 2001-12-14t21:59:43.10-05:00]',
    { a: ['2001-01-01', '2001-12-14t21:59:43.10-05:00'] },
  ],
  ['keys that are no text', 'on: 1\n1: 2\n0755: 3\n2001-01-01: 4', { true: 1, 1: 2, 493: 3, '2001-01-01': 4 }],
  ['a key like a method', 'constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
  ['anchors', 'a: &x {b: 1}\nc: *x\nd: [*x, &x 2, *x]', { a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }, 2, 2] }],
  [
    'merge keys',
    'x: &x {a: 1, b: 1}\nw: &w {a: 2, c: 2}\nz: {<<: [*x, *w], b: 3}',
    { x: { a: 1, b: 1 }, w: { a: 2, c: 2 }, z: { a: 1, b: 3, c: 2 } },
  ],
  ['a merge key at the end, which wins', 'z: {a: 1, <<: {a: 2}}', { z: { a: 2 } }],
  ['a quoted merge key, which is a key', 'z: {"<<": {a: 2}}', { z: { '<<': { a: 2 } } }],
  ['block scalars', 'a: |\n  x\n   y\n\nb: >-\n  x\n  y\n', { a: 'x\n y\n', b: 'x y' }],
  ['a block scalar at the end', 'a: |\n  x\n  y', { a: 'x\ny' }],
  ['a block scalar before indented quotes', 'a: |\n    x\n    y\n  ', { a: 'x\ny\n' }],
  ['escapes', 'a: "\\u0041\\x42\\n\\t"', { a: 'AB\n\t' }],
  [
    'JSON',
    '{"a": [1, 2.5, true, null, "\\ud83d\\ude00"], "b": {"on": "yes"}}',
    { a: [1, 2.5, true, null, '😀'], b: { on: 'yes' } },
  ],
  ['JSON with tabs', '{\n\t"a": 1\n}', { a: 1 }],
  ['a document marker', '---\na: 1\n...\n', { a: 1 }],
  ['Windows line ends', 'a: 1\r\nb:\r\n- x\r\n', { a: 1, b: ['x'] }],
];

/** Refused here; kubectl takes some of them, and guesses. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ['no mapping', '- a', 'the patch is not a YAML mapping'],
  ['nothing', '', 'the patch is not a YAML mapping'],
  ['a comment', '# a', 'the patch is not a YAML mapping'],
  ['several documents', 'a: 1\n---\nb: 2', 'the patch has several documents (line 2 of the patch)'],
  ['a duplicate key', 'a: 1\nb:\n  c: 1\n  c: 2', 'the patch has a key twice (line 4 of the patch)'],
  ['a key twice after reading', 'true: 1\nyes: 2', 'the patch has a key twice (line 2 of the patch)'],
  ['a duplicate key in JSON', '{"a": 1, "a": 2}', 'the patch has a key twice (line 1 of the patch)'],
  ['a tag', 'a: !!str 1', 'the patch has a tag (line 1 of the patch)'],
  ['a tag of a mapping', 'a: !!map\n  b: 1', 'the patch has a tag (line 2 of the patch)'],
  ['a local tag', 'a: !secret x', 'the patch has a tag (line 1 of the patch)'],
  ['a directive', '%YAML 1.2\n---\na: 1', 'the patch has a YAML directive (line 1 of the patch)'],
  [
    'a key of several values',
    '[a]: 1',
    'the patch has a key that is not text, a whole number or a boolean (line 1 of the patch)',
  ],
  ['a null key', '~: 1', 'the patch has a key that is not text, a whole number or a boolean (line 1 of the patch)'],
  [
    'a broken number as key',
    '1.5: 1',
    'the patch has a key that is not text, a whole number or a boolean (line 1 of the patch)',
  ],
  ['a key after a question mark', '? a\n: b', 'the patch has a key after a question mark (line 1 of the patch)'],
  ['__proto__', 'a:\n  __proto__: {b: 1}', 'the patch has a key that is never allowed (line 2 of the patch)'],
  ['__proto__ in JSON', '{"__proto__": {"b": 1}}', 'the patch has a key that is never allowed (line 1 of the patch)'],
  ['no number', 'a: .nan', 'the patch has a number that JSON does not have (line 1 of the patch)'],
  ['a large number', 'a: 1\nb: 9007199254740993', 'the patch has a number beyond 2^53 (line 2 of the patch)'],
  ['a large float', 'a: 1e30', 'the patch has a number beyond 2^53 (line 1 of the patch)'],
  ['an alias without anchor', 'a: *x', 'the patch has an alias without an anchor (line 1 of the patch)'],
  ['an alias before its anchor', 'a: *x\nb: &x 1', 'the patch has an alias without an anchor (line 1 of the patch)'],
  ['an alias in its anchor', 'a: &x [*x]', 'the patch has an alias inside its own anchor (line 1 of the patch)'],
  ['a merge key of a scalar', 'a: {<<: 1}', 'the patch merges something that is not a mapping (line 1 of the patch)'],
  ['a merge key of lists', 'a: {<<: [[1]]}', 'the patch merges something that is not a mapping (line 1 of the patch)'],
  ['an alias bomb', bomb(9), 'the patch has too many values (line 5 of the patch)'],
  ['deep nesting', `a: ${'['.repeat(80)}${']'.repeat(80)}`, 'the patch is nested too deeply (line 1 of the patch)'],
  ['very deep nesting', `a: ${'['.repeat(8000)}`, 'the patch is nested too deeply (line 1 of the patch)'],
  ['an open bracket', 'a: [1', 'the patch is not valid YAML (line 1 of the patch)'],
  ['an open quote', "a: 'x''", 'the patch has a quote that is not closed (line 1 of the patch)'],
  ['tabs as indentation', 'a:\n\tb: 1', 'the patch is not valid YAML (line 2 of the patch)'],
  [
    'YAML that begins with a brace',
    '{a: 1}',
    'the patch begins with a brace but is not valid JSON (line 1 of the patch)',
  ],
  [
    'a control character',
    'a: 1\nb: "\u0007"',
    'the patch has a character that YAML does not allow (line 2 of the patch)',
  ],
  ['half a character', 'a: "\\ud800"', 'the patch has a broken character (line 1 of the patch)'],
  ['another line break', 'a: 1\u2028b: 2', 'the patch has a character that YAML does not allow (line 1 of the patch)'],
  ['too much text', `a: ${'x'.repeat(16 * 1024)}`, 'the patch is larger than 16384 bytes'],
  ['apiVersion', 'apiVersion: v1', 'the patch can not set apiVersion'],
  ['kind, even to null', 'kind: null', 'the patch can not set kind'],
  ['the name', 'metadata: {name: x}', 'the patch can not set metadata.name'],
  ['the namespace by a merge key', 'metadata: {<<: {namespace: x}}', 'the patch can not set metadata.namespace'],
];

describe('parsePatch', () => {
  it.each(SAME)('reads %s', (_title, text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each(REFUSED)('refuses %s', (_title, text, why) => {
    expect(read(text)).toBe(why);
  });

  it('takes 16 KiB to the byte', () => {
    expect(read(`a: ${'é'.repeat(8 * 1024 - 2)}x`)).toMatchObject({ a: expect.any(String) });
    expect(read(`a: ${'é'.repeat(8 * 1024 - 2)}xy`)).toBe('the patch is larger than 16384 bytes');
  });

  it('leaves no trace on the prototype of objects', () => {
    read('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each([
    ['nested aliases', bomb(170)],
    ['aliases one after the other', `a: [&a x${', *a'.repeat(4000)}]`],
    [
      'merges of merges',
      Array.from({ length: 300 }, (_, n) => `a${n}: &a${n} {<<: [*a${n - 1}, *a${n - 1}], k${n}: 1}`)
        .join('\n')
        .replace('<<: [*a-1, *a-1], ', ''),
    ],
    ['brackets', '['.repeat(16_000)],
    ['dashes', '- '.repeat(8_000)],
    ['closed brackets', `a: ${'[]'.repeat(8_000)}`],
    ['question marks', '? '.repeat(8_000)],
    ['quotes', '"'.repeat(16_000)],
    ['comments', '#\n'.repeat(8_000)],
    ['keys', Array.from({ length: 1_900 }, (_, n) => `k${n}: 1`).join('\n')],
  ])('answers 16 KiB of %s within a second of work', (_title, text) => {
    // Of the processor's time: other programs share the machine.
    const start = process.cpuUsage();
    parsePatch(text.slice(0, 16 * 1024));
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

const binary = await oracleBinary();

describe.skipIf(binary === undefined)('parsePatch against kubectl', () => {
  let oracle: Oracle;
  beforeAll(() => {
    oracle = new Oracle(binary!);
  });
  afterAll(() => oracle.stop());

  it.each(SAME)('%s', async (_title, text, value) => {
    expect(await oracle.yaml(text)).toEqual({ result: value });
  });

  it('reads the same wherever both read something', async () => {
    const pieces = [
      ...[
        'a',
        'b',
        ': ',
        '- ',
        '\n',
        '\n  ',
        '\n    ',
        ' ',
        '"x"',
        "'y'",
        "'",
        '{',
        '}',
        '[',
        ']',
        ', ',
        '#',
        '&x ',
        '*x',
        '<<: ',
      ],
      ...[
        'yes',
        'no',
        'on',
        '~',
        '0755',
        '0o17',
        '0x1F',
        '1_0',
        '1e3',
        '.5',
        '08',
        '-0',
        '1:30',
        '2001-01-01',
        '.inf',
        '1e999',
      ],
      ...[
        '|\n',
        '>\n',
        '|-\n',
        '>+\n',
        '? ',
        '!',
        '%',
        '---\n',
        'key: ',
        'a: 1',
        '\r\n',
        'é',
        'x#y',
        '\\',
        '"a\n b"',
        '- a\n',
        'k:\n- x\n',
      ],
    ];
    const texts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    let both = 0;
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), async (rest, hasKey) => {
        const text = hasKey ? `r: ${rest}` : rest;
        const ours = parsePatch(text);
        if (!ours.ok) return;
        const { result } = await oracle.yaml(text);
        if (result === undefined) return;
        both += 1;
        expect(ours.value).toEqual(result);
      }),
      { numRuns: 4000, seed: Number(process.env.HAKOPOD_TEST_SEED ?? 7) },
    );
    expect(both).toBeGreaterThan(300);
  }, 120_000);
});
