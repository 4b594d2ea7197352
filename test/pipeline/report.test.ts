import { beforeEach, describe, expect, it } from 'vitest';
import { fail, LIMITS, ok, problem } from '../../src/kernel/index.ts';
import { plan, report } from '../../src/pipeline/index.ts';
import { withReport } from '../../src/pipeline/ledger.ts';
import type { CommitReport } from '../../src/ports/index.ts';
import { type Memory, memory, RUN, SHA, SOURCE } from '../support/memory.ts';

let world: Memory;
const job = { source: SOURCE, commit: SHA(1) };

beforeEach(async () => {
  world = await memory();
  await desire('pending', 'deploying revision 1');
});

async function desire(outcome: 'pending' | 'success', description: string): Promise<void> {
  await world.sources.updateStatus(SOURCE, (current) => ({
    ...current.status,
    reports: withReport(current.status.reports ?? [], SHA(1), { outcome, description }, world.now),
  }));
}

function entry(): CommitReport | undefined {
  return world.sources.items.get(SOURCE)?.status.reports?.[0];
}

describe('report', () => {
  it('posts what is desired, once', async () => {
    await report(world.deps, job);
    await report(world.deps, job);
    expect(world.posted.map(({ outcome, description, context }) => [outcome, description, context])).toEqual([
      ['pending', 'deploying revision 1', 'hakopod/deploy/acme/production/shop'],
    ]);
    expect(entry()?.posted).toEqual({ outcome: 'pending', description: 'deploying revision 1' });
    expect(entry()?.posting).toBeUndefined();
  });

  it('after a crash between the call and its record asks the forge and does not say it again', async () => {
    const { updateStatus } = world.sources;
    let writes = 0;
    Object.assign(world.sources, {
      updateStatus: async (...args: Parameters<typeof updateStatus>) => {
        writes += 1;
        return writes === 2 ? fail(problem('cluster_unavailable')) : updateStatus(...args);
      },
    });
    expect((await report(world.deps, job)).ok).toBe(false);
    expect(world.posted).toHaveLength(1);
    await report(world.deps, job);
    expect(world.posted).toHaveLength(1);
    expect(entry()?.posted?.outcome).toBe('pending');
  });

  it('after a call with an unknown outcome says it only if the forge does not show it', async () => {
    world.forgeAnswers.push(fail(problem('forge_unavailable')));
    expect((await report(world.deps, job)).ok).toBe(false);
    expect(entry()?.posting?.outcome).toBe('pending');
    await report(world.deps, job);
    expect(world.posted).toHaveLength(1);
  });

  it('speaks as the installation that the token belongs to', async () => {
    await world.repositories.update('github-1', ({ spec }) => ({ spec: { ...spec, credentialsSecret: 'git' } }));
    const opened = { username: 'x-access-token', token: 'minted', installation: '42' };
    Object.assign(world.deps.credentials, { forRepository: async () => ok(opened) });
    const spoken: unknown[] = [];
    const { write } = world.deps.statuses;
    Object.assign(world.deps.statuses, {
      write: (...args: Parameters<typeof write>) => {
        spoken.push(args[0]);
        return write(...args);
      },
    });
    await report(world.deps, job);
    expect(spoken).toMatchObject([{ token: 'minted', installation: '42' }]);
  });

  it('says the last word where it said the first', async () => {
    world.forgeSays = { pipeline: { id: 7, ref: 'main' } };
    await report(world.deps, job);
    await desire('success', 'released revision 1');
    await report(world.deps, job);
    expect(world.posted.map(({ pipeline }) => pipeline)).toEqual([undefined, { id: 7, ref: 'main' }]);
  });

  it('says so many words about a commit, and the last one after all', async () => {
    for (let i = 0; i < LIMITS.statusWrites + 5; i += 1) {
      await desire('pending', `deploying revision ${i}`);
      await report(world.deps, job);
    }
    expect(world.posted).toHaveLength(LIMITS.statusWrites);
    await desire('success', 'released revision 9');
    await report(world.deps, job);
    expect(world.posted.at(-1)?.outcome).toBe('success');
  });

  it('skips the pending one when the end is known already', async () => {
    await desire('success', 'released revision 1');
    await report(world.deps, job);
    expect(world.posted.map(({ outcome }) => outcome)).toEqual(['success']);
  });

  it('says the newer word when it changed during the call', async () => {
    const { write } = world.deps.statuses;
    Object.assign(world.deps.statuses, {
      write: async (...args: Parameters<typeof write>) => {
        await desire('success', 'released revision 1');
        Object.assign(world.deps.statuses, { write });
        return write(...args);
      },
    });
    await report(world.deps, job);
    expect(world.jobs).toContainEqual({ queue: 'report', ...job });
    await report(world.deps, job);
    expect(world.posted.map(({ outcome }) => outcome)).toEqual(['pending', 'success']);
  });

  it('takes a refusal of the forge as final and remembers its code', async () => {
    world.forgeAnswers.push(fail(problem('forge_not_found')));
    expect((await report(world.deps, job)).ok).toBe(true);
    expect(entry()?.undeliverable).toBe('forge_not_found');
    await report(world.deps, job);
    expect(world.posted).toEqual([]);
  });

  it('waits for a token to be renewed instead of giving the status up', async () => {
    world.forgeAnswers.push(fail(problem('forge_unauthorized')));
    expect(await report(world.deps, job)).toMatchObject({ ok: false, problem: { kind: 'waiting', afterMs: 60_000 } });
    expect(entry()?.undeliverable).toBeUndefined();
    await report(world.deps, job);
    expect(world.posted).toHaveLength(1);
  });

  it('waits for it just so when renewing it in the middle of the call says so, but not where the source goes', async () => {
    for (const code of ['oauth_grant_ended', 'installation_suspended'] as const) {
      world.forgeAnswers.push(fail(problem(code)));
      expect(await report(world.deps, job)).toMatchObject({ problem: { code, kind: 'waiting', afterMs: 60_000 } });
    }
    await world.sources.delete(SOURCE, `uid-${SOURCE}`);
    // Whether it was said is in doubt, so the forge is asked first.
    await desire('success', 'released revision 1');
    world.forgeAnswers.push(fail(problem('oauth_grant_ended')));
    expect((await report(world.deps, job)).ok).toBe(true);
    expect(entry()?.undeliverable).toBe('oauth_grant_ended');
  });

  it('waits for a grant to be given again, and does not wait where the source goes', async () => {
    const [repository] = world.repositories.items.values();
    const { name, spec } = repository!;
    world.repositories.items.set(name, { ...repository!, spec: { ...spec, credentialsSecret: 'ended' } });
    Object.assign(world.deps.credentials, { forRepository: async () => fail(problem('oauth_grant_ended')) });
    expect(await report(world.deps, job)).toMatchObject({
      problem: { code: 'oauth_grant_ended', kind: 'waiting', afterMs: 60_000 },
    });
    expect(entry()?.undeliverable).toBeUndefined();
    await world.sources.delete(SOURCE, `uid-${SOURCE}`);
    expect((await report(world.deps, job)).ok).toBe(true);
    expect(entry()?.undeliverable).toBe('oauth_grant_ended');
  });

  it('puts a busy forge off without losing the status', async () => {
    world.forgeAnswers.push(fail(problem('forge_rate_limited', undefined, { afterMs: 1000 })));
    expect(await report(world.deps, job)).toMatchObject({ ok: false, problem: { kind: 'waiting' } });
    // Nothing was said, so nothing is in doubt and the forge is not asked.
    expect(entry()?.posting).toBeUndefined();
    await report(world.deps, job);
    expect(world.posted).toHaveLength(1);
  });
});

describe('a source that is removed', () => {
  it('goes once its open commit has its last word at the forge', async () => {
    await report(world.deps, job);
    await world.sources.delete(SOURCE, `uid-${SOURCE}`);
    await plan(world.deps, { source: SOURCE }, RUN);
    expect(world.jobs).toContainEqual({ queue: 'report', ...job });
    await report(world.deps, job);
    expect(world.posted.at(-1)).toMatchObject({
      outcome: 'cancelled',
      description: 'cancelled: the source was removed',
    });
    await plan(world.deps, { source: SOURCE }, RUN);
    expect(world.sources.items.size).toBe(0);
    expect(world.repositories.items.size).toBe(0);
  });
});

describe('the ledger', () => {
  it('is bounded, and drops only what is settled', () => {
    const now = new Date('2026-06-01T00:00:00Z');
    let reports: CommitReport[] = withReport([], SHA(0), { outcome: 'success', description: 'owed' }, now);
    for (let n = 1; n <= LIMITS.commitsRemembered + 5; n += 1) {
      reports = withReport(reports, SHA(n), { outcome: 'success', description: 'x' }, now);
      reports = reports.map((other) => (other.commit === SHA(n) ? { ...other, posted: other.desired } : other));
    }
    reports = withReport(reports, SHA(999), { outcome: 'pending', description: 'y' }, now);
    expect(reports).toHaveLength(LIMITS.commitsRemembered);
    expect(reports.map(({ commit }) => commit)).toContain(SHA(0));
    expect(reports.at(-1)?.commit).toBe(SHA(999));
  });
});
