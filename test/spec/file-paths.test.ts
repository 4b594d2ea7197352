import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cleanAbsolute,
  cleanRelative,
  filePath,
  mountablePath,
  overlap,
  volumePath,
  within,
} from '../../src/spec/file-paths.ts';

const long = (n: number): string => `/${'x'.repeat(n - 1)}`;

/** Path; whether a mount, a service's own volume and a file may be there. */
test.each([
  ['/data', true, true, true],
  ['/', false, false, false],
  ['', false, false, false],
  ['data', false, false, false],
  ['/data/', false, false, false],
  ['/a//b', false, false, false],
  ['/a/../b', false, false, false],
  ['/a/./b', false, false, false],
  ['/a\u0000', false, false, false],
  ['/a:b', false, false, false],
  ['/a\\b', false, false, false],
  ['/proc', false, false, false],
  ['/proc/x', false, false, false],
  ['/processes', true, true, true],
  ['/sys', false, false, false],
  ['/dev/shm', false, false, false],
  ['/etc', false, false, false],
  ['/etc/app', false, false, true],
  ['/run', true, false, false],
  ['/run/app', true, false, true],
  ['/run/secrets', true, false, false],
  ['/var', false, true, false],
  ['/var/run', false, false, false],
  ['/var/run/app', true, false, true],
  ['/var/run/secrets', false, false, false],
  ['/var/run/secrets/x', false, false, false],
  ['/var/lib', true, true, true],
  [long(200), true, true, true],
  [long(201), false, false, false],
])('%j: mount %s, volume %s, file %s', (path, mount, volume, file) => {
  expect([mountablePath(path), volumePath(path), filePath(path)]).toEqual([mount, volume, file]);
});

test('clean paths are what the operating system would make of them', () => {
  const path = fc
    .array(fc.constantFrom('/', '.', '..', 'a', 'b', '//'), { maxLength: 8 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(path, (text) => {
      const normal = posix.normalize(text);
      expect(cleanAbsolute(text)).toBe(
        text.startsWith('/') && normal === text && (text === '/' || !text.endsWith('/')),
      );
      expect(cleanRelative(text)).toBe(
        text !== '' && !text.startsWith('/') && normal === text && !/^\.\.?(?:$|\/)/.test(text) && !text.endsWith('/'),
      );
    }),
  );
});

test('within and overlap go by parts, not by letters', () => {
  expect(within('/a/b', '/a')).toBe(true);
  expect(within('/ab', '/a')).toBe(false);
  expect(within('/a', '/a/b')).toBe(false);
  expect(within('/a', '/')).toBe(true);
  expect(overlap('/a', '/a/b')).toBe(true);
  expect(overlap('/a', '/a')).toBe(true);
  expect(overlap('/a', '/ab')).toBe(false);
});
