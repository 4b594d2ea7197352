import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { locateKeys } from '../../src/spec/locate.ts';
import type { Path } from '../../src/spec/path.ts';

const CASES: readonly (readonly [string, string, Path, number, number])[] = [
  ['a root key', 'a = 1\nb = 2', ['b'], 2, 1],
  ['an indented key', '\t  a = 1', ['a'], 1, 4],
  ['a table', '[ a . b ]', ['a', 'b'], 1, 7],
  ['a key of a table', '[a.b]\nc = 1', ['a', 'b', 'c'], 2, 1],
  ['a table mentioned before its header', '[a.b]\n[a]', ['a'], 2, 2],
  ['a dotted key', 'a . b.c = 1', ['a', 'b', 'c'], 1, 7],
  ['a quoted key', '"a b".\'c.d\' = 1', ['a b', 'c.d'], 1, 7],
  ['an escaped key', '"\\u0061\\x62\\t" = 1', ['ab\t'], 1, 1],
  ['a quoted header', '["a]b"]\nc = 1', ['a]b', 'c'], 2, 1],
  ['arrays of tables', '[[a]]\nb = 1\n[[a]]\nb = 2', ['a', 1, 'b'], 4, 1],
  ['an element of an array of tables', '[[a]]\n[[a]]', ['a', 1], 2, 3],
  ['a table below an array of tables', '[[a]]\n[[a]]\n[a.b]\nc = 1', ['a', 1, 'b', 'c'], 4, 1],
  ['an inline table', 'a = { b = 1, c.d = 2 }', ['a', 'c', 'd'], 1, 16],
  ['an inline table over lines', 'a = {\n b = 1, # b = {\n c = 2,\n}', ['a', 'c'], 3, 2],
  ['an element', 'a = [1,\n  2]', ['a', 1], 2, 3],
  ['a text element', 'a = ["]", \'[\', """,""", 4]', ['a', 3], 1, 25],
  ['a table in a list', 'a = [{ b = 1 }, { b = [2, 3] }]', ['a', 1, 'b', 1], 1, 27],
  ['after a basic text', 'a = "b = \\" [x]"\nb = 1', ['b'], 2, 1],
  ['after a literal text', "a = 'b = \\'\nb = 1", ['b'], 2, 1],
  ['after a multi-line text', 'a = """\nb = 1\n\\""" c = """\nb = 1', ['b'], 4, 1],
  ['after a multi-line text that ends in quotes', 'a = """x"""""\nb = 1', ['b'], 2, 1],
  ['after a multi-line literal', "a = '''\nb = 1\n'\nb = ''\n'''\nb = 1", ['b'], 6, 1],
  ['after a multi-line literal that ends in quotes', "a = '''x'''''\nb = 1", ['b'], 2, 1],
  ['after a comment', '# b = 1\na = 1 # b = 1\nb = 1', ['b'], 3, 1],
  ['after numbers and dates', 'a = 1979-05-27 07:32:00Z # x\nc = 1_000.5e-3\nd=inf\nb = 1', ['b'], 4, 1],
  ['with Windows line ends', 'a = 1\r\n[c]\r\nb = 1\r\n', ['c', 'b'], 3, 1],
  ['an empty key', '"" = 1', [''], 1, 1],
  ['an empty array and table', 'a = []\nb = {}\nc = 1', ['c'], 3, 1],
  ['a key named like a property', 'constructor = 1\n"__proto__" = 2', ['__proto__'], 2, 1],
];

test.each(CASES)('finds %s', (_name, text, path, line, column) => {
  expect(() => parse(text)).not.toThrow();
  expect(locateKeys(text, [path]).position(path)).toEqual({ line, column });
});

test('a missing key is placed at the nearest table around it', () => {
  const find = (text: string, path: Path) => locateKeys(text, [path]).position(path);
  expect(find('[a]\nb = 1', ['a', 'x', 'y'])).toEqual({ line: 1, column: 2 });
  expect(find('a = 1', ['x'])).toBeUndefined();
});

test('several paths are found in one reading, in the order of the text', () => {
  const paths: readonly Path[] = [['b', 1, 'x'], ['a'], ['b', 0], ['b']];
  const locator = locateKeys('[[b]]\n[[b]]\nx = 1\n[a]', paths);
  expect(paths.map((path) => locator.position(path)?.line)).toEqual([3, 4, 1, 1]);
  expect(locator.offset(['b', 0])).toBeLessThan(locator.offset(['b', 1, 'x']));
});

test('broken texts end', () => {
  const pieces = ['[', ']', '{', '}', '"', "'", '"""', "'''", '=', ',', '.', '#', '\n', '\\', 'a', ' '];
  for (const a of pieces)
    for (const b of pieces) for (const c of pieces) locateKeys(`${a}${b}${c}`, [['a']]).position(['a']);
});
