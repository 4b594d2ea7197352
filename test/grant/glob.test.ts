import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesAny, matchesGlob } from '../../src/grant/index.ts';

test.each([
  ['', '', true],
  ['', 'a', false],
  ['a', 'a', true],
  ['a', 'A', false],
  ['a', 'ab', false],
  ['*', '', true],
  ['*', 'abc', true],
  ['*', 'a/b', false],
  ['**', '', true],
  ['**', 'a/b/c', true],
  ['refs/heads/*', 'refs/heads/main', true],
  ['refs/heads/*', 'refs/heads/a/b', false],
  ['refs/heads/**', 'refs/heads/a/b', true],
  ['refs/**/main', 'refs/a/b/main', true],
  ['refs/**/main', 'refs/main', false],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'aXcYb', false],
  ['**a*b', 'x/a/a1b', true],
  ['**a*b', 'x/a1/b', false],
  ['***', 'a/b', true],
  ['a.c', 'abc', false],
  ['a?c', 'abc', false],
  ['[a]', 'a', false],
  ['(a+)+', 'aaa', false],
  ['*é*', 'aéb', true],
])('%j and %j: %s', (glob, text, matches) => {
  expect(matchesGlob(glob, text)).toBe(matches);
});

test('any of several', () => {
  expect(matchesAny(['a', 'b*'], 'bc')).toBe(true);
  expect(matchesAny([], 'a')).toBe(false);
});

test('agrees with the same glob as a regular expression', () => {
  const piece = fc.constantFrom('a', 'b', '/', '*', '**', '.');
  const glob = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(glob, text, (g, t) => {
      const source = g.replaceAll('.', '\\.').replace(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'));
      expect(matchesGlob(g, t)).toBe(new RegExp(`^${source}$`).test(t));
    }),
    { numRuns: 2000 },
  );
});

test('a glob made to backtrack takes no time', () => {
  const start = performance.now();
  expect(matchesGlob(`${'**a'.repeat(80)}b`, 'a'.repeat(5000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(2000);
});
