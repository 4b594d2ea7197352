import { describe, expect, it } from 'vitest';
import { doubles, judgeHook, ourHook } from '../../../src/pipeline/hooks/index.ts';
import type { ForgeDelivery, ForgeHook, HookEvent } from '../../../src/ports/index.ts';

const ID = '0123456789abcdef0123456789abcdef';
const URL = `https://hakopod.example.com/hooks/${ID}`;
const WANTED: readonly HookEvent[] = ['push', 'tag_push', 'pull_request', 'comment'];
const HOOK: ForgeHook = {
  ...{ id: '7', url: URL, events: WANTED, sendsMore: false },
  ...{ state: 'active', verifiesTls: true, isJson: true },
};
const NOON = '2026-11-30T12:00:00.000Z';
const LATER = '2026-11-30T12:00:01.000Z';
const EARLIER = '2026-11-30T11:59:59.000Z';

type More = { deliveries?: readonly ForgeDelivery[]; arrived?: boolean; wanted?: readonly HookEvent[] };

function judge(hook: Partial<ForgeHook>, more: More = {}) {
  const seen = { hooks: [{ ...HOOK, ...hook }], url: URL, knownId: undefined, since: NOON };
  return judgeHook({ ...seen, wanted: WANTED, deliveries: [], arrived: false, ...more });
}

describe('what is wrong with a hook', () => {
  it('is nothing when all is as wanted, and it is healthy once a delivery went well', () => {
    expect(judge({})).toEqual({ health: 'unknown', faults: [], id: '7', url: URL, events: WANTED });
    const deliveries = [{ id: '1', at: LATER, status: 202, ok: true }];
    expect(judge({}, { deliveries })).toMatchObject({
      health: 'healthy',
      lastDelivery: { at: LATER, status: 202, ok: true },
    });
    expect(judge({}, { arrived: true })).toMatchObject({ health: 'healthy', faults: [] });
  });

  it.each([
    ['url', { url: `https://elsewhere.example.com/hooks/${ID}` }, 'dead'],
    ['events', { events: ['push', 'tag_push', 'pull_request'] }, 'healthy'],
    ['events', { events: ['tag_push', 'pull_request', 'comment'] }, 'dead'],
    ['extra_events', { sendsMore: true }, 'healthy'],
    ['tls', { verifiesTls: false }, 'healthy'],
    ['content_type', { isJson: false }, 'dead'],
    ['inactive', { state: 'inactive' }, 'dead'],
    ['paused', { state: 'paused' }, 'dead'],
    ['disabled', { state: 'disabled' }, 'dead'],
  ] as const)('is %s for %j, and the hook %s', (fault, hook, health) => {
    expect(judge(hook, { arrived: true })).toMatchObject({ health, faults: [fault] });
  });

  it.each([
    [['push'], 'healthy', ['extra_events']],
    [['push', 'tag_push', 'pull_request', 'comment'], 'healthy', []],
  ] as const)('is what it sends beyond %j: %s', (wanted, health, faults) => {
    expect(judge({}, { arrived: true, wanted })).toMatchObject({ health, faults });
  });

  it('is dead when it lacks pushed tags and a source follows them, and not when none does', () => {
    const events = ['push', 'pull_request', 'comment'] as const;
    expect(judge({ events }, { arrived: true })).toMatchObject({ health: 'dead', faults: ['events'] });
    expect(judge({ events }, { arrived: true, wanted: events })).toMatchObject({ health: 'healthy', faults: [] });
  });

  it('shows where a hook of ours was turned to, and no secret of that place', () => {
    const shown = (url: string) => {
      const seen = { hooks: [{ ...HOOK, url }], url: URL, wanted: WANTED, knownId: '7', since: NOON };
      return judgeHook({ ...seen, deliveries: [], arrived: false });
    };
    const elsewhere = shown('https://me:canary@chat.example.com/services/canary?token=canary');
    expect(elsewhere).toMatchObject({ faults: ['url'], url: 'https://chat.example.com' });
    expect(shown(`${URL.replace('//', '//me:canary@')}?token=canary`)).toMatchObject({ faults: ['url'], url: URL });
  });

  it('is missing when no hook delivers to us', () => {
    expect(judge({ url: 'https://ci.example.com/hooks/ffffffffffffffffffffffffffffffff' })).toEqual({
      health: 'dead',
      faults: ['missing'],
    });
  });

  it.each([
    [401, 'secret'],
    [429, 'secret'],
    [503, 'failing'],
    [undefined, 'failing'],
  ] as const)('after an answer of %s is %s', (status, fault) => {
    const deliveries = [{ id: '1', at: LATER, ok: false, ...(status === undefined ? {} : { status }) }];
    expect(judge({}, { deliveries })).toMatchObject({ health: 'dead', faults: [fault] });
  });

  it('is judged by the last delivery since we changed it, not by what was before', () => {
    const before = { id: '1', at: EARLIER, status: 401, ok: false };
    expect(judge({}, { deliveries: [before] })).toMatchObject({ health: 'unknown', faults: [] });
    const after = { id: '2', at: LATER, status: 202, ok: true };
    expect(judge({}, { deliveries: [after, before] })).toMatchObject({ health: 'healthy', faults: [] });
  });

  it('believes a failure that has no date more than what arrived some time', () => {
    const deliveries = [{ id: '1', status: 401, ok: false }];
    expect(judge({}, { deliveries, arrived: true })).toMatchObject({ health: 'dead', faults: ['secret'] });
  });
});

describe('which hook is ours', () => {
  const other = { ...HOOK, id: '8', url: 'https://ci.example.com/build' };
  const moved = { ...HOOK, id: '9', url: `http://old.example.com:8080/base/hooks/${ID}` };

  it('is the one with the right URL, else one that delivers to our path, else the one we made', () => {
    expect(ourHook({ hooks: [other, moved, HOOK], url: URL, knownId: undefined })?.id).toBe('7');
    expect(ourHook({ hooks: [other, moved], url: URL, knownId: undefined })?.id).toBe('9');
    expect(ourHook({ hooks: [other], url: URL, knownId: '8' })?.id).toBe('8');
    expect(ourHook({ hooks: [other], url: URL, knownId: undefined })).toBeUndefined();
  });

  it('counts another one that delivers to us too', () => {
    const hooks = [other, moved, HOOK];
    expect(doubles({ hooks, url: URL, knownId: undefined }).map(({ id }) => id)).toEqual(['9']);
    const seen = {
      hooks,
      url: URL,
      wanted: WANTED,
      knownId: undefined,
      deliveries: [],
      since: undefined,
      arrived: true,
    };
    expect(judgeHook(seen)).toMatchObject({ health: 'healthy', faults: ['doubled'] });
  });
});
