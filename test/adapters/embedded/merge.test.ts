import { describe, expect, it } from 'vitest';
import { jsonPatch, mergePatch } from '../../../src/adapters/embedded/merge.ts';

/** The examples of RFC 7396, appendix A. */
const MERGES: readonly [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('JSON merge patch', () => {
  it.each(MERGES)('%j with %j is %j', (target, patch, expected) => {
    const before = structuredClone(target);
    expect(mergePatch(target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });
});

type Operations = readonly object[];

/** After the examples of RFC 6902, appendix A. */
const PATCHES: readonly [unknown, Operations, unknown][] = [
  [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
  [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
  [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['x'] }], { foo: ['bar', ['x']] }],
  [{ baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
  [{ foo: [1, 2, 3] }, [{ op: 'remove', path: '/foo/1' }], { foo: [1, 3] }],
  [{ baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
  [{ foo: [1, 2] }, [{ op: 'replace', path: '/foo/1', value: 9 }], { foo: [1, 9] }],
  [{ a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
  [{ foo: [1, 2, 3] }, [{ op: 'move', from: '/foo/0', path: '/foo/2' }], { foo: [2, 3, 1] }],
  [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
  [
    { '/': 9, '~1': 10 },
    [
      { op: 'test', path: '/~01', value: 10 },
      { op: 'remove', path: '/~1' },
    ],
    { '~1': 10 },
  ],
  [{ a: { x: 1, y: 2 } }, [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }], { a: { x: 1, y: 2 } }],
];

describe('JSON patch', () => {
  it.each(PATCHES)('%j with %j is %j', (target, operations, expected) => {
    const before = structuredClone(target);
    expect(jsonPatch(target, operations)).toEqual({ value: expected });
    expect(target).toEqual(before);
  });

  it.each<[Operations]>([
    [[{ op: 'test', path: '/a', value: '1' }]],
    [[{ op: 'remove', path: '/b' }]],
    [[{ op: 'add', path: '/b/c', value: 1 }]],
    [[{ op: 'add', path: '/list/9', value: 1 }]],
    [[{ op: 'add', path: '/list/01', value: 1 }]],
    [[{ op: 'replace', path: '/list/2', value: 1 }]],
    [[{ op: 'add', path: 'a', value: 1 }]],
    [[{ op: 'move', from: '/none', path: '/a' }]],
    [[{ op: 'nonsense', path: '/a' }]],
    [
      [
        { op: 'replace', path: '/a', value: 2 },
        { op: 'test', path: '/a', value: 1 },
      ],
    ],
  ])('refuses %j', (operations) => {
    expect(jsonPatch({ a: 1, list: [1, 2] }, operations)).toHaveProperty('failed');
  });
});
