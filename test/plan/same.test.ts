import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/kernel/index.ts';
import { same } from '../../src/plan/same.ts';

test.each([
  [1, 1, true],
  [1, 2, false],
  [1, '1', false],
  [null, {}, false],
  [{}, [], false],
  [[], [], true],
  [[1], [1, 2], false],
  [[1, 2], [2, 1], false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: { b: [1] } }, { a: { b: [2] } }, false],
  [{ constructor: 1 }, {}, false],
])('%j and %j: %j', (a, b, expected) => {
  expect(same(a, b)).toBe(expected);
  expect(same(b, a)).toBe(expected);
});

test('says what the canonical JSON says', () => {
  const some = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
  fc.assert(fc.property(some, some, (a, b) => same(a, b) === (canonicalJson(a) === canonicalJson(b))));
});
