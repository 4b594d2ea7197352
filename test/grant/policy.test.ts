import { describe, expect, it } from 'vitest';
import { asksToSkip, frozenUntil, judgePolicy, type PolicyQuestion, policyProblem } from '../../src/grant/index.ts';
import { type DeployPolicy, LIMITS } from '../../src/kernel/index.ts';

const NOW = new Date('2026-06-05T12:00:00Z'); // a Friday
const PLAN = { commit: 'a'.repeat(40), digest: 'd1', grantRevision: 3 };
const AUTOMATIC: DeployPolicy = { mode: 'automatic', checks: [], freeze: [] };
const WEEKEND = { start: '0 18 * * 5', minutes: 62 * 60, timezone: 'Europe/Berlin' };

function judge(policy: Partial<DeployPolicy> | undefined, more: Partial<PolicyQuestion> = {}) {
  return judgePolicy({
    policy: policy === undefined ? undefined : { ...AUTOMATIC, ...policy },
    plan: PLAN,
    approval: undefined,
    checks: new Map(),
    now: NOW,
    since: NOW,
    ...more,
  });
}
const ago = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000);

describe('judgePolicy', () => {
  it('releases at once without a policy and with an automatic one', () => {
    expect([judge(undefined), judge({})]).toEqual([{ kind: 'go' }, { kind: 'go' }]);
  });

  it.each([
    ['the same plan', {}, 'go'],
    ['another commit', { commit: 'b'.repeat(40) }, 'wait'],
    ['another digest', { digest: 'd2' }, 'wait'],
    ['another revision of the grant', { grantRevision: 2 }, 'wait'],
  ])('an approval for %s', (_what, other, kind) => {
    expect(judge({ mode: 'approval' }, { approval: { ...PLAN, ...other } }).kind).toBe(kind);
  });

  it('waits for an approval, not for ever', () => {
    const days = LIMITS.approvalDays * 24;
    expect(judge({ mode: 'approval' }, { since: ago(days - 1) })).toEqual({ kind: 'wait', for: 'approval' });
    expect(judge({ mode: 'approval' }, { since: ago(days) })).toMatchObject({ problem: { code: 'approval_expired' } });
  });

  it.each([
    ['success', { kind: 'go' }],
    ['pending', { kind: 'wait', for: 'check', check: 'ci' }],
    ['missing', { kind: 'wait', for: 'check', check: 'ci' }],
    ['failure', { kind: 'refuse', problem: { code: 'check_failed' } }],
  ] as const)('a required check that says %s', (state, verdict) => {
    expect(judge({ checks: ['ci'] }, { checks: new Map([['ci', state]]) })).toMatchObject(verdict);
  });

  it('ends when a check takes too long', () => {
    const checks = ['ci'];
    expect(judge({ checks }, { since: ago(LIMITS.checksHours - 1) }).kind).toBe('wait');
    expect(judge({ checks }, { since: ago(LIMITS.checksHours) })).toMatchObject({ problem: { code: 'check_failed' } });
  });

  it('waits for the approval before the checks and the freeze, and ends first of all what failed', () => {
    const policy = { mode: 'approval', checks: ['ci'], freeze: [{ start: '* * * * *', minutes: 1 }] } as const;
    const all = { ...policy, checks: [...policy.checks], freeze: [...policy.freeze] };
    expect(judge(all)).toMatchObject({ for: 'approval' });
    expect(judge(all, { checks: new Map([['ci', 'failure']]) }).kind).toBe('refuse');
    expect(judge(all, { approval: PLAN })).toMatchObject({ for: 'check' });
    expect(judge(all, { approval: PLAN, checks: new Map([['ci', 'success']]) })).toMatchObject({ for: 'freeze' });
  });
});

describe('frozenUntil', () => {
  it.each([
    ['before it starts', '2026-06-05T15:59:59Z', undefined],
    ['from its first second', '2026-06-05T16:00:00Z', '2026-06-08T06:00:00.000Z'],
    ['until its last', '2026-06-08T05:59:59Z', '2026-06-08T06:00:00.000Z'],
    ['not after it', '2026-06-08T06:00:00Z', undefined],
  ])('a weekend in summer, %s', (_what, now, until) => {
    expect(frozenUntil([WEEKEND], new Date(now))?.toISOString()).toBe(until);
  });

  it('ends at the hour people expect when the clocks change meanwhile', () => {
    // Clocks go back on Sunday, 25 October 2026.
    expect(frozenUntil([WEEKEND], new Date('2026-10-24T12:00:00Z'))?.toISOString()).toBe('2026-10-26T07:00:00.000Z');
  });

  it('joins windows that overlap or follow on each other', () => {
    const windows = [
      { start: '0 10 * * *', minutes: 60 },
      { start: '0 11 * * *', minutes: 30 },
      { start: '15 11 * * *', minutes: 30 },
    ];
    expect(frozenUntil(windows, new Date('2026-06-05T10:30:00Z'))?.toISOString()).toBe('2026-06-05T11:45:00.000Z');
  });

  it.each([
    // Clocks in Berlin go back at 01:00Z on 25 October 2026: 02:00 to 03:00 comes twice.
    ['starts in the hour that comes twice', '30 2 * * *', 60, '2026-10-25T01:10:00Z', '2026-10-25T02:30:00.000Z'],
    ['is to start in the second hour only', '50 2 * * *', 5, '2026-10-25T00:49:00Z', undefined],
    ['ends in the hour that comes twice', '0 20 * * *', 390, '2026-10-25T01:10:00Z', '2026-10-25T01:30:00.000Z'],
    ['goes over the whole of it', '0 1 * * *', 180, '2026-10-25T00:59:00Z', '2026-10-25T03:00:00.000Z'],
    ['is over', '0 20 * * *', 390, '2026-10-25T01:30:00Z', undefined],
    // They go forward at 01:00Z on 29 March 2026: 02:00 to 03:00 does not come.
    ['starts in the hour that does not come', '30 2 * * *', 60, '2026-03-29T01:10:00Z', '2026-03-29T01:30:00.000Z'],
    ['ends in the hour that does not come', '0 20 * * *', 390, '2026-03-29T00:59:00Z', '2026-03-29T01:30:00.000Z'],
    ['has not begun', '30 2 * * *', 60, '2026-03-29T00:59:59Z', undefined],
    ['goes over the end of a year', '0 12 31 12 *', 1440, '2026-12-31T23:30:00Z', '2027-01-01T11:00:00.000Z'],
    ['starts on a leap day', '0 0 29 2 *', 2880, '2028-02-29T23:30:00Z', '2028-03-01T23:00:00.000Z'],
  ])('a window in Berlin that %s', (_what, start, minutes, now, until) => {
    expect(frozenUntil([{ start, minutes, timezone: 'Europe/Berlin' }], new Date(now))?.toISOString()).toBe(until);
  });

  it.each(['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'America/New_York'])(
    'leaves one gap a day where the clocks change in %s',
    (timezone) => {
      // Half an hour a day is free: a window of the other hours and a half starts after it.
      const windows = [{ start: '0 2 * * *', minutes: 1410, timezone }];
      for (const day of ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01']) {
        let [wasFree, gaps] = [false, 0];
        const noon = Date.parse(`${day}T12:00:00Z`);
        for (let at = noon - 2 * 86_400_000; at < noon + 2 * 86_400_000; at += 1_800_000) {
          const isFree = frozenUntil(windows, new Date(at)) === undefined;
          if (isFree && !wasFree) gaps += 1;
          wasFree = isFree;
        }
        // The one that falls into an hour that does not come is none.
        expect([day, gaps === 4 || gaps === 3]).toEqual([day, true]);
      }
    },
  );

  it('takes no time worth mentioning, whatever windows there are', () => {
    const never = Array.from({ length: 19 }, () => ({ start: '0 0 31 2 *', minutes: 20_160 }));
    const began = performance.now();
    frozenUntil([...never, { start: '* * * * *', minutes: 20_160 }], NOW);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('ends to look at a freeze without an end', () => {
    const now = new Date('2026-06-05T10:30:00Z');
    expect(frozenUntil([{ start: '* * * * *', minutes: 5 }], now)?.getTime()).toBeGreaterThan(now.getTime());
  });
});

describe('a policy that is none', () => {
  it.each([
    ['a schedule', { freeze: [{ start: 'never', minutes: 5 }] }],
    ['a time zone', { freeze: [{ start: '* * * * *', minutes: 5, timezone: 'Mars/Base' }] }],
    ['a check of ours', { checks: ['hakopod/deploy/acme/production/shop'] }],
  ])('releases nothing: %s', (_what, part) => {
    expect(judge(part)).toMatchObject({ kind: 'refuse', problem: { code: 'invalid_request' } });
  });
});

describe('policyProblem', () => {
  it.each([
    ['checks.1', { checks: ['ci', 'hakopod/deploy/acme/production/shop'] }],
    ['freeze.0.start', { freeze: [{ start: '0 18 * *', minutes: 5 }] }],
    ['freeze.0.timezone', { freeze: [{ start: '0 18 * * *', minutes: 5, timezone: 'Mars/Base' }] }],
  ])('names %s', (at, part) => {
    expect(policyProblem({ ...AUTOMATIC, ...part })).toMatchObject({ code: 'invalid_request', at });
  });

  it('finds nothing in a good one', () => {
    expect(policyProblem({ mode: 'approval', checks: ['ci / test'], freeze: [WEEKEND] })).toBeUndefined();
  });
});

describe('asksToSkip', () => {
  it.each([
    ['Fix a word [skip hakopod]', true],
    ['Fix a word\n\n[Hakopod Skip]\n', true],
    ['Fix a word [skip ci]', false],
    ['Say how to skip hakopod', false],
    [`${'x'.repeat(65_536)}[skip hakopod]`, false],
  ])('%s', (message, skips) => {
    expect(asksToSkip(message)).toBe(skips);
  });
});
