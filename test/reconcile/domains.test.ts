import { describe, expect, it } from 'vitest';
import { fail, ok, problem } from '../../src/kernel/index.ts';
import {
  type DomainState,
  domainChallenge,
  domainToken,
  isDomainActive,
  isDomainDue,
  nextDomainState,
} from '../../src/reconcile/index.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
const VALUE = 'hakopod-domain-verification=abc';
const DAY = 86_400_000;
const at = (ms: number): Date => new Date(NOW.getTime() + ms);

function look(state: DomainState, records: readonly string[] | 'away', now = NOW): DomainState {
  const answer = records === 'away' ? fail(problem('dns_unavailable')) : ok(records);
  return nextDomainState(state, { value: VALUE, records: answer, now });
}

describe('the challenge of a domain', () => {
  it('is a TXT record below the domain', () => {
    expect(domainChallenge('shop.example.com', 'abc')).toEqual({
      name: '_hakopod-challenge.shop.example.com',
      value: VALUE,
    });
  });

  it('fits into DNS for the longest host there may be', () => {
    const host = (length: number): string => `${'a.'.repeat(120)}${'b'.repeat(length)}`.slice(-length);
    for (const length of [234, 235, 244]) {
      const { name } = domainChallenge(host(length), 'abc');
      expect(name.length).toBeLessThanOrEqual(253);
      expect(name.startsWith(length === 234 ? '_hakopod-challenge.' : '_hakopod.')).toBe(true);
    }
  });

  it('has a token of the application and the domain, the same whenever it is asked for', () => {
    const tokens = [
      domainToken('key', 'a', 'shop.example.com'),
      domainToken('key', 'b', 'shop.example.com'),
      domainToken('key', 'a', 'www.example.com'),
      domainToken('other', 'a', 'shop.example.com'),
    ];
    expect(new Set(tokens).size).toBe(4);
    expect(tokens.every((token) => /^[0-9a-f]{32}$/.test(token))).toBe(true);
    expect(domainToken('key', 'a', 'shop.example.com')).toBe(tokens[0]);
  });
});

describe('a domain', () => {
  it('is active once one of its records says so', () => {
    expect(isDomainActive({})).toBe(false);
    const verified = look({ code: 'domain_not_verified' }, ['v=spf1 -all', ` ${VALUE} `]);
    expect(verified).toEqual({ verifiedAt: NOW.toISOString(), checkedAt: NOW.toISOString() });
    expect(isDomainActive(verified)).toBe(true);
  });

  it.each([
    ['no record', []],
    ['the record of somebody else', ['hakopod-domain-verification=abd']],
    ['a record with more in it', [`${VALUE} and more`]],
    ['a record that begins so', [`${VALUE}c`]],
  ])('is pending with %s', (_, records) => {
    const state = look({}, records);
    expect(state).toEqual({ checkedAt: NOW.toISOString(), code: 'domain_not_verified' });
    expect(isDomainActive(state)).toBe(false);
  });

  it('stays as it is while the name servers are away', () => {
    const verifiedAt = at(-DAY).toISOString();
    expect(look({ verifiedAt }, 'away')).toMatchObject({ verifiedAt, code: 'dns_unavailable' });
    expect(isDomainActive(look({}, 'away'))).toBe(false);
  });

  it('stays active for seven days without its record, and not longer', () => {
    const verifiedAt = at(-30 * DAY).toISOString();
    const first = look({ verifiedAt }, []);
    expect(first).toMatchObject({ verifiedAt, failingSince: NOW.toISOString(), code: 'domain_not_verified' });
    const away = look(first, 'away', at(3 * DAY));
    expect(away.failingSince).toBe(NOW.toISOString());
    const nearly = look(away, [], at(7 * DAY - 1));
    expect(isDomainActive(nearly)).toBe(true);
    const over = look(nearly, [], at(7 * DAY));
    expect(over).toEqual({ checkedAt: at(7 * DAY).toISOString(), code: 'domain_not_verified' });
    const back = look(nearly, [VALUE], at(7 * DAY - 1));
    expect(back).toEqual({ verifiedAt, checkedAt: at(7 * DAY - 1).toISOString() });
  });

  it.each([
    ['never looked at', {}, 0, true],
    ['pending, looked at just now', { code: 'x' }, 5 * 60_000 - 1, false],
    ['pending, looked at five minutes ago', { code: 'x' }, 5 * 60_000, true],
    ['verified, looked at within a day', { verifiedAt: 'x' }, DAY - 1, false],
    ['verified, looked at a day ago', { verifiedAt: 'x' }, DAY, true],
    ['verified, and its record was gone', { verifiedAt: 'x', code: 'x' }, 5 * 60_000, true],
  ])('%s', (what, state, age, due) => {
    const checkedAt = what === 'never looked at' ? {} : { checkedAt: at(-age).toISOString() };
    expect(isDomainDue({ ...state, ...checkedAt }, NOW)).toBe(due);
  });
});
