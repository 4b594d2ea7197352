import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/index.ts';
import { withReport } from '../../src/pipeline/ledger.ts';
import type { CommitReport } from '../../src/ports/index.ts';
import { SHA } from '../support/memory.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
const DONE = { outcome: 'superseded', description: 'superseded by 0000000' } as const;
const OPEN = { outcome: 'pending', description: 'deploying revision 1' } as const;

function entries(count: number, more: (n: number) => Partial<CommitReport>): CommitReport[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ commit: SHA(n), desired: DONE, at: NOW.toISOString() },
    ...more(n),
  }));
}
/** As if commits came for ever. */
function grow(reports: readonly CommitReport[], count: number): CommitReport[] {
  let all = [...reports];
  for (let n = 0; n < count; n += 1) all = withReport(all, SHA(100_000 + n), DONE, NOW);
  return all;
}

describe('the ledger of commits', () => {
  it('forgets the oldest of which all is said', () => {
    const known = entries(LIMITS.commitsRemembered, () => ({ posted: DONE }));
    const next = withReport(known, SHA(9999), OPEN, NOW);
    expect(next).toHaveLength(LIMITS.commitsRemembered);
    expect([next[0]?.commit, next.at(-1)?.commit]).toEqual([SHA(1), SHA(9999)]);
  });

  it('keeps what the forge is owed, but not without an end while it takes nothing', () => {
    expect(grow([], LIMITS.commitsOwed)).toHaveLength(LIMITS.commitsOwed);
    const full = grow([], LIMITS.commitsOwed * 3);
    expect(full).toHaveLength(LIMITS.commitsOwed);
    expect(full.at(-1)?.commit).toBe(SHA(100_000 + LIMITS.commitsOwed * 3 - 1));
    // Of an object's 1.5 MB, with the longest description.
    const long = { outcome: 'superseded', description: 'x'.repeat(LIMITS.statusDescription) } as const;
    const all = entries(LIMITS.commitsOwed, () => ({ desired: long, posting: long, posted: OPEN }));
    expect(JSON.stringify(all).length).toBeLessThan(500_000);
  });

  it('lets first go what the forge shows nothing of, and never what is still pending', () => {
    const said = entries(300, (n) => (n % 3 === 0 ? { desired: OPEN } : { posted: OPEN }));
    const after = grow(said, LIMITS.commitsOwed);
    expect(after).toHaveLength(LIMITS.commitsOwed);
    expect(after.filter(({ commit }) => said.some((one) => one.commit === commit))).toHaveLength(300);
    const owed = entries(LIMITS.commitsOwed + 10, () => ({ posted: OPEN }));
    expect(withReport(owed, SHA(9999), DONE, NOW)).toHaveLength(LIMITS.commitsOwed);
    const pending = entries(LIMITS.commitsOwed + 10, () => ({ desired: OPEN }));
    expect(withReport(pending, SHA(9999), DONE, NOW)).toHaveLength(LIMITS.commitsOwed + 11);
  });
});
