import { describe, expect, it } from 'vitest';
import { isOlderTag, newestTag, tagMatch, tagPattern } from '../../src/kernel/index.ts';

const tags = (...names: readonly string[]) => names.map((name) => `refs/tags/${name}`);

describe('tagPattern', () => {
  it.each(['refs/tags/v*', 'refs/tags/*', 'refs/tags/shop/v*', 'refs/tags/*-prod'])('%s is one', (text) => {
    expect(tagPattern(text)).toEqual({ ok: true, value: text });
  });
  it.each(['refs/heads/*', 'refs/tags/v1', 'refs/tags/v*.*', 'refs/tags/..*', 'v*', 'refs/tags/ *'])(
    '%s is none',
    (text) => {
      expect(tagPattern(text)).toMatchObject({ ok: false, problem: { code: 'invalid_ref' } });
    },
  );
});

describe('tagMatch', () => {
  it.each([
    ['refs/tags/v*', 'refs/tags/v1.2', '1.2'],
    ['refs/tags/v*', 'refs/tags/v', undefined],
    ['refs/tags/v*', 'refs/tags/v1/x', undefined],
    ['refs/tags/v*', 'refs/heads/v1', undefined],
    ['refs/tags/v*-prod', 'refs/tags/v1-prod', '1'],
    ['refs/tags/v*-prod', 'refs/tags/v1-test', undefined],
    ['refs/tags/a*a', 'refs/tags/a', undefined],
  ])('%s of %s', (pattern, ref, match) => {
    expect(tagMatch(pattern, ref)).toBe(match);
  });
});

describe('newestTag', () => {
  it.each([
    ['by number', 'refs/tags/v*', tags('v1.9.0', 'v1.10.0', 'v1.2.0'), 'refs/tags/v1.10.0'],
    ['by length', 'refs/tags/v*', tags('v1.2.1', 'v1.2'), 'refs/tags/v1.2.1'],
    ['by day', 'refs/tags/*', tags('2026-11-30', '2026-02-28', '2025-12-31'), 'refs/tags/2026-11-30'],
    ['without pre-releases', 'refs/tags/v*', tags('v1.0.0', 'v2.0.0-rc.1'), 'refs/tags/v1.0.0'],
    ['with those it names', 'refs/tags/v2.0.0-*', tags('v2.0.0-rc.9', 'v2.0.0-rc.10'), 'refs/tags/v2.0.0-rc.10'],
    ['of none', 'refs/tags/v*', tags('w1'), undefined],
    ['words never before versions', 'refs/tags/v*', tags('v1.2.0', 'vnext', 'very-old', 'vendor'), 'refs/tags/v1.2.0'],
    [
      'without pre-releases that are numbers',
      'refs/tags/v*',
      tags('v1.0.0', 'v2.0.0-1', 'v2.0.0-0.3.7'),
      'refs/tags/v1.0.0',
    ],
    [
      'without those a hyphen does not mark',
      'refs/tags/v*',
      tags('v1.0', 'v1.1rc1', 'v1.1b2', 'v1.1.dev3', 'v1.1.0_beta'),
      'refs/tags/v1.0',
    ],
    ['with the second of a day', 'refs/tags/*', tags('2026.11.30', '2026.11.30-2'), 'refs/tags/2026.11.30-2'],
    ['with a letter that is a release', 'refs/tags/v*', tags('v1.0.2a', 'v1.0.2b'), 'refs/tags/v1.0.2b'],
    ['leading zeros', 'refs/tags/v*', tags('v007', 'v10', 'v08'), 'refs/tags/v10'],
  ])('%s', (_what, pattern, refs, newest) => {
    expect(newestTag(pattern, refs)).toBe(newest);
    expect(newestTag(pattern, [...refs].reverse())).toBe(newest);
  });
});

describe('isOlderTag', () => {
  it.each([
    ['v1.9', 'v1.10', true],
    ['v1.10', 'v1.9', false],
    ['v1', 'v1', false],
    ['w1', 'v2', false],
  ])('%s than %s', (ref, than, older) => {
    expect(isOlderTag('refs/tags/v*', `refs/tags/${ref}`, `refs/tags/${than}`)).toBe(older);
  });
});
