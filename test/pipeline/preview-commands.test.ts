import { beforeEach, describe, expect, it } from 'vitest';
import type { RefName, RepoPath } from '../../src/kernel/index.ts';
import { plan, preview, sync } from '../../src/pipeline/index.ts';
import type { PullRequest } from '../../src/ports/index.ts';
import { file, MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE, said } from '../support/memory.ts';

const JOB = { repository: 'github-1', number: 7 };

let world: Memory;

beforeEach(async () => {
  world = await memory();
  world.changed = new Set(['hakopod.toml' as RepoPath]);
  await world.sources.update(SOURCE, ({ spec }) => ({
    spec: { ...spec, policy: { mode: 'approval', checks: [], freeze: [] } },
  }));
  show({ state: 'closed', merged: SHA(3) });
  world.head = SHA(3);
  world.files.set(SHA(3), file('registry.example.test/shop:3'));
});

function show(changes: Partial<PullRequest>): void {
  world.pullHead = SHA(2);
  world.files.set(SHA(2), file('registry.example.test/shop:2'));
  world.pull = {
    ...{ number: 7, state: 'open', head: SHA(2), ref: PULL, base: MAIN, branch: 'refs/heads/change' as RefName },
    ...{ fork: false, draft: false, updatedAt: world.now.toISOString(), mergeBase: SHA(1) },
    ...changes,
  };
}

async function look(): Promise<void> {
  await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
  await plan(world.deps, { source: SOURCE }, RUN);
}

/** Somebody writes a comment, and a delivery of it arrives. */
function comment(body: string, by: { readonly mayWrite: boolean } = { mayWrite: true }): ReturnType<typeof preview> {
  const id = String(world.remarks.size + 1);
  world.remarks.set(id, { body, author: 'ada', ...by });
  world.commented.push({ commit: id, at: world.now.toISOString() });
  return preview(world.deps, JOB, RUN);
}
const answers = (): readonly string[] =>
  world.comments.filter(({ marker }) => marker.includes('command')).map(({ body }) => body);

describe('hakopod deploy in a comment', () => {
  it('approves what waits at the merged commit', async () => {
    await look();
    expect((await comment('hakopod deploy')).ok).toBe(true);
    expect(world.sources.items.get(SOURCE)?.status.approval).toMatchObject({
      commit: SHA(3),
      by: 'github:ada',
      via: 'comment',
    });
    await look();
    expect(said(world, SHA(3))).toBe('pending: deploying revision 1');
    expect(answers().at(-1)).toContain(`approved at ${SHA(3)} for:\n\n- acme/production/shop\n`);
    expect(world.commented).toEqual([]);
  });

  it('does nothing, and says nothing, for who may not write', async () => {
    await look();
    expect((await comment('hakopod deploy', { mayWrite: false })).ok).toBe(true);
    expect(world.sources.items.get(SOURCE)?.status.approval).toBeUndefined();
    expect(answers()).toEqual([]);
    expect(world.commented).toEqual([]);
  });

  it.each<[string, (pull: PullRequest) => PullRequest, string, string]>([
    ['an open request', ({ merged: _merged, ...pull }) => ({ ...pull, state: 'open' }), 'hakopod deploy', 'not merged'],
    ['another commit', (pull) => pull, `hakopod deploy ${SHA(2)}`, 'not as the commit that the comment names'],
    ['an older commit', (pull) => ({ ...pull, merged: SHA(9) }), 'hakopod deploy', 'nothing waits for an approval'],
  ])('does not approve for %s', async (_what, change, body, answer) => {
    await look();
    if (world.pull !== undefined) world.pull = change(world.pull);
    await comment(body);
    if (world.commented.length > 0) {
      world.now = new Date(world.now.getTime() + 61_000);
      await preview(world.deps, JOB, RUN);
    }
    expect(world.sources.items.get(SOURCE)?.status.approval).toBeUndefined();
    expect(answers().at(-1)).toContain(answer);
    expect(world.commented).toEqual([]);
  });

  it('waits for the plan of a merge that came a moment ago', async () => {
    const early = await comment('hakopod deploy');
    expect(!early.ok && early.problem.code).toBe('ref_settling');
    await look();
    expect((await preview(world.deps, JOB, RUN)).ok).toBe(true);
    expect(world.sources.items.get(SOURCE)?.status.approval).toMatchObject({ commit: SHA(3) });
  });

  it('says at once that a newer commit passed over the one the request was merged as', async () => {
    await look();
    world.head = SHA(4);
    world.files.set(SHA(4), file('registry.example.test/shop:4'));
    await look();
    expect(said(world, SHA(3))).toContain('superseded');
    expect((await comment('hakopod deploy')).ok).toBe(true);
    expect(answers().at(-1)).toContain('nothing waits for an approval');
    expect(world.sources.items.get(SOURCE)?.status.approval).toBeUndefined();
    expect(world.commented).toEqual([]);
  });

  it('is heard behind any number of strangers’', async () => {
    await look();
    for (let i = 0; i < 45; i += 1) {
      world.remarks.set(`9${i}`, { body: 'hakopod deploy', author: 'eve', mayWrite: false });
      world.commented.push({ commit: `9${i}`, at: world.now.toISOString() });
    }
    world.jobs.length = 0;
    expect((await comment('hakopod deploy')).ok).toBe(true);
    while (world.jobs.some(({ queue }) => queue === 'preview')) {
      world.jobs.length = 0;
      expect((await preview(world.deps, JOB, RUN)).ok).toBe(true);
    }
    expect(world.sources.items.get(SOURCE)?.status.approval).toMatchObject({ by: 'github:ada' });
    expect(world.commented).toEqual([]);
  });

  it('said again after a crash is said once', async () => {
    await look();
    await comment('hakopod deploy');
    await look();
    world.commented.push({ commit: '1', at: world.now.toISOString() });
    expect((await preview(world.deps, JOB, RUN)).ok).toBe(true);
    expect(world.releases.items.size).toBe(1);
  });
});

describe('hakopod plan in a comment', () => {
  it('plans the head anew', async () => {
    show({});
    expect((await preview(world.deps, JOB, RUN)).ok).toBe(true);
    const first = world.plans.items.get(`${SOURCE}.7`)?.status.at;
    world.now = new Date(world.now.getTime() + 60_000);
    expect((await preview(world.deps, JOB, RUN)).ok).toBe(true);
    expect(world.plans.items.get(`${SOURCE}.7`)?.status.at).toBe(first);
    expect((await comment('/hakopod plan')).ok).toBe(true);
    expect(world.plans.items.get(`${SOURCE}.7`)?.status.at).toBe(world.now.toISOString());
    expect(world.commented).toEqual([]);
  });

  it('is for the head only', async () => {
    show({});
    await preview(world.deps, JOB, RUN);
    const first = world.plans.items.get(`${SOURCE}.7`)?.status.at;
    world.now = new Date(world.now.getTime() + 60_000);
    await comment(`hakopod plan ${SHA(1)}`);
    expect(world.plans.items.get(`${SOURCE}.7`)?.status.at).toBe(first);
    expect(world.commented).toEqual([]);
  });
});
