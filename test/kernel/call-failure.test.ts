import { describe, expect, it } from 'vitest';
import {
  type CallFailure,
  failureClass,
  isAlreadyDeleted,
  isMissing,
  isRaced,
  isRefusedWrite,
} from '../../src/kernel/index.ts';

describe('the classification of failed calls', () => {
  const table: readonly (readonly [string, CallFailure, string])[] = [
    ['nobody answered', {}, 'unanswered'],
    ['a status that is none', { status: 700 }, 'unanswered'],
    ['bad credentials', { status: 401 }, 'unauthenticated'],
    ['a 403 that only a review explains', { status: 403, reason: 'Forbidden' }, 'refused'],
    ['roles beyond the own', { status: 403, hint: 'escalation' }, 'forbidden'],
    ['a namespace that is going', { status: 403, hint: 'terminating' }, 'terminating'],
    ['a budget that is not counted', { status: 403, hint: 'uncounted' }, 'uncounted'],
    ['a policy', { status: 403, hint: 'policy' }, 'admission_denied'],
    ['a policy with a status of its own', { status: 422, hint: 'policy' }, 'admission_denied'],
    ['a server that only talks of policies', { status: 503, hint: 'policy' }, 'unavailable'],
    ['no such object', { status: 404, reason: 'NotFound' }, 'missing'],
    ['no such kind', { status: 404, hint: 'not_status' }, 'not_served'],
    ['a name that is taken', { status: 409, reason: 'AlreadyExists' }, 'name_taken'],
    ['a change since', { status: 409, reason: 'Conflict' }, 'conflict'],
    ['an expired position', { status: 410 }, 'gone'],
    ['a time-out of the server', { status: 408 }, 'unavailable'],
    ['too many requests', { status: 429 }, 'unavailable'],
    ['what is not valid', { status: 422 }, 'invalid'],
    ['a broken server', { status: 500 }, 'unavailable'],
    ['a 500 that stays', { status: 500, hint: 'permanent' }, 'invalid'],
    ['a redirect', { status: 302 }, 'unavailable'],
  ];
  it.each(table)('%s', (_, failure, kind) => {
    expect(failureClass(failure)).toBe(kind);
  });

  it('asks why nobody waits any more only when nobody answered', () => {
    expect(failureClass({}, 'cancelled')).toBe('cancelled');
    expect(failureClass({}, 'expired')).toBe('timed_out');
    expect(failureClass({ status: 409 }, 'cancelled')).toBe('conflict');
  });

  it('knows a race, and what a delete need not do any more', () => {
    const race = [{ status: 409, reason: 'Conflict' }, { status: 409, reason: 'AlreadyExists' }, { status: 404 }, {}];
    expect(race.map(isRaced)).toEqual([true, true, false, false]);
    const deleted = [{ status: 404 }, { status: 409 }, { status: 404, hint: 'not_status' as const }, { status: 403 }];
    expect(deleted.map(isAlreadyDeleted)).toEqual([true, true, false, false]);
    expect(deleted.map(isMissing)).toEqual([true, false, false, false]);
    const refused = [{ status: 403 }, { status: 422, hint: 'policy' as const }, { status: 422 }, { status: 401 }];
    expect(refused.map(isRefusedWrite)).toEqual([true, true, false, false]);
  });
});
