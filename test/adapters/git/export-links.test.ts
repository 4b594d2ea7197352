import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Link, strayLink } from '../../../src/adapters/git/export-links.ts';

const stray = (...links: readonly (readonly [string, string])[]): string | undefined =>
  strayLink(links.map(([path, target]): Link => ({ path, target })))?.path;

describe('links of an exported folder', () => {
  it.each([
    ['a file beside it', [['a', 'b']]],
    ['one up and down again, inside', [['d/e/a', '../../x/y']]],
    ['the folder itself', [['d/a', '..']]],
    ['a target that does not exist', [['a', 'no/such/file']]],
    [
      'another link',
      [
        ['a', 'b'],
        ['b', 'c/d'],
      ],
    ],
    ['a dot path', [['a', './/b/./c/']]],
  ] as const)('may lead to %s', (_what, links) => {
    expect(stray(...links)).toBeUndefined();
  });

  it.each([
    ['an absolute path', [['passwd', '/etc/passwd']], 'passwd'],
    ['above the folder', [['up', '..']], 'up'],
    ['above it and back in', [['a', '../context/b']], 'a'],
    ['deep above', [['d/e/a', '../../../etc/passwd']], 'd/e/a'],
    // lexically `d/x/../..` is inside; through the link it is above
    [
      'above it by way of another link',
      [
        ['d/x', '../top'],
        ['a', 'd/x/../..'],
      ],
      'a',
    ],
    [
      'a stray link',
      [
        ['a', 'b'],
        ['b', '../c'],
      ],
      'a',
    ],
    ['itself', [['a', 'a']], 'a'],
    [
      'a circle',
      [
        ['a', 'b/x'],
        ['b', 'a/y'],
      ],
      'a',
    ],
    ['nothing', [['a', '']], 'a'],
    ['a name with a NUL', [['a', 'b\0c']], 'a'],
  ] as const)('may not lead to %s', (_what, links, path) => {
    expect(stray(...links)).toBe(path);
  });

  it('are judged as the kernel follows them', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const target = fc.array(fc.constantFrom('a', 'b', 'c', '..', '.'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.tuple(name, name).map((parts) => parts.join('/')),
          target,
          { maxKeys: 4 },
        ),
        (links) => {
          const outer = mkdtempSync(join(tmpdir(), 'hakopod-links-'));
          try {
            // Deep enough that a stray link still ends in our own folder, where it can be seen.
            const root = join(outer, '1/2/3/4/5/6/7/context');
            for (const folder of ['a', 'b', 'c']) mkdirSync(join(root, folder), { recursive: true });
            const all = Object.entries(links).map(([path, parts]): Link => ({ path, target: parts.join('/') }));
            for (const link of all) symlinkSync(link.target, join(root, link.path));
            const found = strayLink(all);
            for (const link of all) {
              const real = realOf(join(root, link.path));
              const leads = real !== undefined && real !== root && !real.startsWith(`${root}/`);
              // What really leads out is found; nothing is said of what does not resolve.
              if (leads) expect(found).toBeDefined();
            }
            if (found !== undefined) {
              const real = realOf(join(root, dirname(found.path), found.target));
              const climbs =
                real === undefined || real === root || !real.startsWith(`${root}/`) || found.target.includes('..');
              expect(climbs).toBe(true);
            }
          } finally {
            rmSync(outer, { recursive: true, force: true });
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

function realOf(path: string): string | undefined {
  try {
    // libc knows a link that leads to itself; Node's own walk never ends on some.
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
