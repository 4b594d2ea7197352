import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, digestOf } from '../../src/kernel/index.ts';

it('gives the same bytes whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('leaves out what is undefined and keeps the order of lists', () => {
  expect(canonicalJson({ b: [2, 1], a: undefined, c: null })).toBe('{"b":[2,1],"c":null}');
  expect(digestOf({ a: 1 })).toBe(`sha256:${createHash('sha256').update('{"a":1}').digest('hex')}`);
});
