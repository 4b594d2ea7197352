import { beforeEach, describe, expect, it } from 'vitest';
import { fail, problem, type RepoPath } from '../../src/kernel/index.ts';
import { poll, sync } from '../../src/pipeline/index.ts';
import { addSource, MAIN, type Memory, memory, RUN, SHA, SOURCE, said } from '../support/memory.ts';

let world: Memory;
const job = { repository: 'github-1', ref: MAIN };
const PATH = 'hakopod.toml' as RepoPath;

beforeEach(async () => {
  world = await memory();
});

/** The source has seen and planned this commit. */
async function planned(n: number, source = SOURCE): Promise<void> {
  const at = world.now.toISOString();
  await world.sources.updateStatus(source, (current) => ({
    ...current.status,
    seen: { commit: SHA(n), generation: 1, at },
    planned: { commit: SHA(n), generation: 1, grantRevision: 1, outcome: 'accepted', at },
  }));
  await world.repositories.updateStatus('github-1', (current) => ({
    ...current.status,
    refs: [{ name: MAIN, commit: SHA(n), syncedAt: at }],
  }));
}

function mention(n: number, ageMs = 60_000): void {
  world.mentions.push({ commit: SHA(n), at: new Date(world.now.getTime() - ageMs).toISOString() });
}

describe('sync', () => {
  it('takes the commit the ref points to now, whatever was mentioned', async () => {
    mention(7);
    mention(9);
    world.head = SHA(8);
    expect((await sync(world.deps, job, RUN)).ok).toBe(true);
    expect(world.sources.items.get(SOURCE)?.status.seen?.commit).toBe(SHA(8));
    expect(world.jobs.filter(({ queue }) => queue === 'plan')).toEqual([{ queue: 'plan', source: SOURCE }]);
    expect(said(world, SHA(7))).toBe('superseded: superseded by 0000000');
    expect(said(world, SHA(9))).toBe('superseded: superseded by 0000000');
    expect(world.mentions).toEqual([]);
    expect(world.repositories.items.get('github-1')?.status.lastDeliveryAt).toBe('2026-05-31T23:59:00.000Z');
  });

  it('tells the forge at once that a plan that waits is passed over', async () => {
    await planned(1);
    await world.sources.updateStatus(SOURCE, ({ status }) => {
      const waits = { outcome: 'pending', description: 'waiting until somebody approves the plan' } as const;
      const at = world.now.toISOString();
      const planned = { commit: SHA(1), generation: 1, grantRevision: 1, outcome: 'waiting', at } as const;
      return { ...status, planned, reports: [{ commit: SHA(1), desired: waits, posted: waits, at }] };
    });
    world.head = SHA(2);
    expect((await sync(world.deps, job, RUN)).ok).toBe(true);
    expect(said(world, SHA(1))).toBe('superseded: superseded by 0000000');
    expect(world.jobs).toContainEqual({ queue: 'report', source: SOURCE, commit: SHA(1) });
  });

  it('waits for a mention that may be newer than what the Git server shows', async () => {
    await planned(1);
    mention(2, 100);
    const done = await sync(world.deps, job, RUN);
    expect(done).toMatchObject({ ok: false, problem: { kind: 'waiting', code: 'ref_settling', afterMs: 5000 } });
    expect(said(world, SHA(2))).toBeUndefined();
    expect(world.mentions).toHaveLength(1);
    world.head = SHA(2);
    expect((await sync(world.deps, job, RUN)).ok).toBe(true);
    expect(world.sources.items.get(SOURCE)?.status.seen?.commit).toBe(SHA(2));
  });

  it('plans only the sources whose file changed, and tells nobody else', async () => {
    await addSource(world, 'blog', 'blog/hakopod.toml');
    await planned(1);
    await planned(1, 'acme.production.blog');
    world.head = SHA(2);
    world.changed = new Set([PATH]);
    await sync(world.deps, job, RUN);
    expect(world.jobs.filter(({ queue }) => queue === 'plan')).toEqual([{ queue: 'plan', source: SOURCE }]);
    expect(said(world, SHA(2), 'acme.production.blog')).toBeUndefined();
  });

  it('answers for a commit that touches no file at all', async () => {
    await planned(1);
    world.head = SHA(2);
    world.changed = new Set();
    await sync(world.deps, job, RUN);
    expect(said(world, SHA(2))).toBe('success: nothing touched: hakopod.toml is as it was');
    expect(world.sources.items.get(SOURCE)?.status.seen?.commit).toBe(SHA(1));
  });

  it('treats what can not be compared as changed', async () => {
    await planned(1);
    world.head = SHA(2);
    world.changed = undefined;
    await sync(world.deps, job, RUN);
    expect(world.sources.items.get(SOURCE)?.status.seen?.commit).toBe(SHA(2));
  });

  it('ends what was seen and never planned', async () => {
    await sync(world.deps, job, RUN);
    world.head = SHA(2);
    await sync(world.deps, job, RUN);
    expect(said(world, SHA(1))).toBe('superseded: superseded by 0000000');
  });

  it('never goes back behind a run that overtook it', async () => {
    world.head = SHA(1);
    let overtaken = false;
    world.afterListRefs = () => {
      if (overtaken) return;
      overtaken = true;
      // Another worker has seen a newer commit since we asked.
      world.head = SHA(2);
      const source = world.sources.items.get(SOURCE);
      if (source !== undefined)
        world.sources.items.set(SOURCE, {
          ...source,
          status: { ...source.status, seen: { commit: SHA(2), generation: 1, at: world.now.toISOString() } },
        });
    };
    expect((await sync(world.deps, job, RUN)).ok).toBe(true);
    expect(world.sources.items.get(SOURCE)?.status.seen?.commit).toBe(SHA(2));
  });

  it('ends the open commit and says on the source that the ref is gone', async () => {
    await sync(world.deps, job, RUN);
    world.head = undefined;
    mention(3);
    await sync(world.deps, job, RUN);
    expect(said(world, SHA(1))).toBe('cancelled: cancelled: the ref no longer exists');
    expect(said(world, SHA(3))).toBe('cancelled: cancelled: the ref no longer exists');
    expect(world.sources.items.get(SOURCE)?.status.conditions?.[0]).toMatchObject({
      type: 'Ready',
      status: 'False',
      reason: 'RefNotFound',
      message: problem('ref_not_found').message,
    });
    const writes = world.sources.writes.length;
    await sync(world.deps, job, RUN);
    expect(world.sources.writes).toHaveLength(writes);
  });

  it('says of a late delivery of an old commit nothing new', async () => {
    await planned(2);
    world.head = SHA(2);
    await world.sources.updateStatus(SOURCE, (current) => ({
      ...current.status,
      reports: [
        {
          commit: SHA(1),
          desired: { outcome: 'success', description: 'released revision 1' },
          at: world.now.toISOString(),
        },
      ],
    }));
    mention(1);
    await sync(world.deps, job, RUN);
    expect(said(world, SHA(1))).toBe('success: released revision 1');
    expect(world.mentions).toEqual([]);
  });

  it('remembers no ref that no source binds', async () => {
    const other = { repository: 'github-1', ref: 'refs/heads/other' };
    expect((await sync(world.deps, other, RUN)).ok).toBe(true);
    expect(world.repositories.items.get('github-1')?.status).toEqual({});
  });

  it('leaves a suspended source alone', async () => {
    await world.sources.update(SOURCE, (current) => ({ spec: { ...current.spec, suspended: true } }));
    mention(1);
    await sync(world.deps, job, RUN);
    expect(world.sources.items.get(SOURCE)?.status).toEqual({});
    expect(world.jobs).toEqual([]);
  });
});

describe('a ref that can not be read', () => {
  it('is said on the source, once, and taken back when it can be read again', async () => {
    await planned(1);
    const { listRefs } = world.deps.git;
    Object.assign(world.deps.git, { listRefs: async () => fail(problem('git_unauthorized')) });
    expect(await sync(world.deps, job, RUN)).toMatchObject({ ok: false, problem: { code: 'git_unauthorized' } });
    expect(await poll(world.deps, { repository: 'github-1' }, RUN)).toMatchObject({ ok: false });
    const conditions = (): unknown => world.sources.items.get(SOURCE)?.status.conditions;
    expect(conditions()).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'GitUnauthorized' },
      { type: 'Readable', status: 'False' },
    ]);
    const writes = world.sources.writes.length;
    await poll(world.deps, { repository: 'github-1' }, RUN);
    expect(world.sources.writes).toHaveLength(writes);
    Object.assign(world.deps.git, { listRefs });
    await poll(world.deps, { repository: 'github-1' }, RUN);
    expect(conditions()).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });
});
