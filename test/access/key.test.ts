import { describe, expect, it } from 'vitest';
import {
  ANYWHERE,
  checkKeyRequest,
  checkScope,
  formatKey,
  type KeyRequest,
  keyPrefix,
  parseKey,
} from '../../src/access/index.ts';

const ID = '0123456789abcdef0123456789abcdef';
const SECRET = 'f'.repeat(64);
const NOW = new Date('2026-06-01T00:00:00Z');
const DAY = 86_400_000;

function request(change: Partial<KeyRequest> = {}): KeyRequest {
  return {
    name: 'ci',
    permissions: ['deployments:write'],
    scope: { project: 'acme', environment: 'production' },
    expiresAt: new Date(NOW.getTime() + DAY),
    ...change,
  };
}

function refusal(change: Partial<KeyRequest>): string | undefined {
  const checked = checkKeyRequest(request(change), NOW);
  return checked.ok ? undefined : `${checked.problem.at}`;
}

describe('the form of a key', () => {
  it('is put together and taken apart', () => {
    const raw = formatKey(ID, SECRET);
    expect(raw).toBe(`hp_${ID}_${SECRET}`);
    expect(parseKey(raw)).toEqual({ id: ID, secret: SECRET });
    expect(keyPrefix(ID)).toBe('hp_01234567');
  });

  it.each([
    '',
    'hp_',
    `hs_${ID}_${SECRET}`,
    `hp_${ID}_${SECRET}0`,
    `hp_${ID.toUpperCase()}_${SECRET}`,
    ` hp_${ID}_${SECRET}`,
    `hp_${ID}_${SECRET}\n`,
    `hp_${ID}${SECRET}`,
  ])('is nothing else: %j', (text) => {
    expect(parseKey(text)).toBeUndefined();
  });
});

describe('asking for a key', () => {
  it('takes what the rules allow', () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal({ name: 'n'.repeat(100) })).toBeUndefined();
    expect(refusal({ permissions: ['admin'], scope: ANYWHERE })).toBeUndefined();
    expect(refusal({ permissions: ['settings:write'], scope: ANYWHERE })).toBeUndefined();
    expect(refusal({ permissions: ['git:manage'] })).toBeUndefined();
    expect(refusal({ expiresAt: new Date(NOW.getTime() + 60_000) })).toBeUndefined();
    expect(refusal({ expiresAt: new Date(NOW.getTime() + 90 * DAY) })).toBeUndefined();
  });

  const shop = { project: 'acme', environment: 'production', application: 'shop' };
  const rows: readonly (readonly [string, Partial<KeyRequest>, string])[] = [
    ['no name', { name: ' ' }, 'name'],
    ['a long name', { name: 'n'.repeat(101) }, 'name'],
    ['a name with a line break', { name: 'a\nb' }, 'name'],
    ['no permission', { permissions: [] }, 'permissions'],
    ['less than a minute', { expiresAt: new Date(NOW.getTime() + 59_999) }, 'expires_at'],
    ['more than 90 days', { expiresAt: new Date(NOW.getTime() + 90 * DAY + 1) }, 'expires_at'],
    ['no time at all', { expiresAt: new Date(Number.NaN) }, 'expires_at'],
    ['no project', { scope: ANYWHERE }, 'scope'],
    ['no environment', { scope: { project: 'acme' } }, 'scope'],
    ['git:manage of one application', { permissions: ['git:manage'], scope: shop }, 'scope.application'],
    ['applications:manage of one', { permissions: ['applications:manage'], scope: shop }, 'scope.application'],
    ['settings of a project', { permissions: ['settings:write'] }, 'scope'],
    ['settings and more without a project', { permissions: ['settings:write', 'logs:read'], scope: ANYWHERE }, 'scope'],
    ['an environment without its project', { scope: { environment: 'production' } }, 'scope.environment'],
    ['a name that is none', { scope: { project: 'Acme', environment: 'production' } }, 'scope.project'],
  ];
  it.each(rows)('refuses %s', (_, change, at) => {
    expect(refusal(change)).toBe(at);
  });

  it('names an application only inside its environment', () => {
    expect(checkScope({ project: 'a', application: 'b' }).ok).toBe(false);
    expect(checkScope({ project: 'a', environment: 'b', application: 'c' }).ok).toBe(true);
    expect(checkScope({}).ok).toBe(true);
  });
});
