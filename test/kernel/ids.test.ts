import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitSha, refName, repoPath } from '../../src/kernel/index.ts';

describe('refName', () => {
  it.each([
    'refs/heads/main',
    'refs/heads/feature/x-1',
    'refs/tags/v1.0.0',
    'refs/pull/7/head',
    'refs/merge-requests/7/head',
    'refs/heads/ünïcode',
  ])('takes %s', (text) => {
    expect(refName(text)).toEqual({ ok: true, value: text });
  });

  it.each([
    'main',
    'refs/heads/',
    'refs/heads/-x',
    'refs/heads/a..b',
    'refs/heads/a b',
    'refs/heads/a~1',
    'refs/heads/a^',
    'refs/heads/a:b',
    'refs/heads/a?b',
    'refs/heads/a*',
    'refs/heads/[x',
    'refs/heads/a\\b',
    'refs/heads/a.lock',
    'refs/heads/.a',
    'refs/heads/a.',
    'refs/heads/a@{1}',
    'refs/heads/a//b',
    'refs/heads/a/',
    'refs/heads/a\n',
    'refs/heads/a\u0000',
    '--upload-pack=x',
    'refs/config/x',
    `refs/heads/${'x'.repeat(250)}`,
  ])('refuses %j', (text) => {
    expect(refName(text)).toMatchObject({ ok: false, problem: { code: 'invalid_ref' } });
  });

  it('takes nothing that git itself would not', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab/.-~^:?*[\\@{} \u0001lock') }), (tail) => {
        const text = `refs/heads/${tail}`;
        if (refName(text).ok) expect(spawnSync('git', ['check-ref-format', text]).status).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('repoPath', () => {
  it.each(['hakopod.toml', 'apps/shop/hakopod.toml', 'a/.hidden/b.toml', 'x'.repeat(256)])('takes %s', (text) => {
    expect(repoPath(text).ok).toBe(true);
  });

  it.each([
    '',
    '/etc/passwd',
    '../x',
    'a/../b',
    'a/./b',
    'a//b',
    'a/',
    '.git/config',
    'a/.GIT/b',
    'a\\b',
    'C:x',
    'a\u0000b',
    'a\nb',
    'x'.repeat(257),
  ])('refuses %j', (text) => {
    expect(repoPath(text)).toMatchObject({ ok: false, problem: { code: 'invalid_path' } });
  });
});

describe('commitSha', () => {
  it('takes full object ids of either format and nothing shorter', () => {
    expect(commitSha('a'.repeat(40)).ok).toBe(true);
    expect(commitSha('0'.repeat(64)).ok).toBe(true);
    for (const text of ['a'.repeat(39), 'a'.repeat(41), 'A'.repeat(40), 'HEAD', ''])
      expect(commitSha(text).ok).toBe(false);
  });
});
