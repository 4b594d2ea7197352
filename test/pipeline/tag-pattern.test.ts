import { beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha, RefName } from '../../src/kernel/index.ts';
import { plan, poll, report, sync } from '../../src/pipeline/index.ts';
import { REQUESTED_AT } from '../../src/ports/index.ts';
import { file, type Memory, memory, RUN, SHA, SOURCE, said } from '../support/memory.ts';

const PATTERN = 'refs/tags/v*';
const tag = (name: string): RefName => `refs/tags/${name}` as RefName;

let world: Memory;
let tags: Map<RefName, CommitSha>;
beforeEach(async () => {
  world = await memory();
  tags = new Map();
  Object.assign(world.deps.git, { listRefs: async () => ({ ok: true, value: new Map(tags) }) });
  await world.sources.update(SOURCE, ({ spec }) => ({
    spec: { ...spec, ref: PATTERN, grant: { ...spec.grant, refs: [PATTERN] } },
  }));
});

/** Somebody pushes a tag, and a delivery says so. */
async function push(name: string, n: number): Promise<void> {
  tags.set(tag(name), SHA(n));
  world.files.set(SHA(n), file(`registry.example.test/shop:${n}`));
  world.mentions = [{ commit: SHA(n), at: world.now.toISOString() }];
  expect((await sync(world.deps, { repository: 'github-1', ref: tag(name) }, RUN)).ok).toBe(true);
  expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
}
const released = (): readonly string[] =>
  [...world.releases.items.values()].map(({ spec }) => `${spec.origin.ref} ${spec.origin.commit?.slice(-1)}`);

describe('a source that follows a pattern of tags', () => {
  it('releases the newest tag, under the name of the tag', async () => {
    await push('v1.9', 1);
    await push('v1.10', 2);
    expect(released()).toEqual(['refs/tags/v1.9 1', 'refs/tags/v1.10 2']);
    expect(world.sources.items.get(SOURCE)?.status.seen).toMatchObject({ commit: SHA(2), ref: 'refs/tags/v1.10' });
  });

  it('tells an older tag, and a pre-release, that they are passed over', async () => {
    await push('v2.0', 1);
    await push('v1.11', 2);
    await push('v3.0-rc.1', 3);
    expect(released()).toEqual(['refs/tags/v2.0 1']);
    expect([said(world, SHA(2)), said(world, SHA(3))]).toEqual(
      Array(2).fill(`superseded: superseded by ${SHA(1).slice(0, 7)}`),
    );
    expect(world.mentions).toEqual([]);
  });

  it('hears nothing of a tag that does not match', async () => {
    await push('w1', 1);
    expect(released()).toEqual([]);
    expect(said(world, SHA(1))).toBeUndefined();
  });

  it('is refused a tag that the grant does not list', async () => {
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, refs: ['refs/tags/v1*'] } },
    }));
    await push('v2.0', 1);
    expect(said(world, SHA(1))).toContain('the grant does not list this ref');
  });

  /** Somebody deletes a tag, and a delivery or the poller says so. */
  async function drop(name: string): Promise<void> {
    tags.delete(tag(name));
    await look();
  }
  async function look(): Promise<void> {
    expect((await sync(world.deps, { repository: 'github-1', ref: PATTERN }, RUN)).ok).toBe(true);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
  }
  const ask = (at: string) =>
    world.sources.update(SOURCE, ({ annotations }) => ({ annotations: { ...annotations, [REQUESTED_AT]: at } }));

  it('does not go back when the released tag is deleted, but for a person who asks', async () => {
    await push('v1.1', 1);
    await push('v1.2', 2);
    await drop('v1.2');
    expect(released().at(-1)).toBe('refs/tags/v1.2 2');
    expect(said(world, SHA(2))).toBe('pending: deploying revision 2');
    await push('v1.1.1', 3);
    expect(released()).toHaveLength(2);
    expect(said(world, SHA(3))).toBe(`superseded: superseded by ${SHA(2).slice(0, 7)}`);
    await ask('now');
    await look();
    expect(released().at(-1)).toBe('refs/tags/v1.1.1 3');
  });

  it('goes on with a newer tag after that', async () => {
    await push('v1.1', 1);
    await push('v1.2', 2);
    await drop('v1.2');
    await push('v1.3', 3);
    expect(released().at(-1)).toBe('refs/tags/v1.3 3');
  });

  it('follows a tag that moves, also back', async () => {
    await push('v1.2', 2);
    await push('v1.2', 3);
    await push('v1.2', 2);
    expect(released().map((one) => one.slice(-1))).toEqual(['2', '3', '2']);
  });

  it.each(['approval', 'automatic'] as const)(
    'does not release a tag that was deleted while it waited: %s',
    async (mode) => {
      await push('v1.1', 1);
      await world.sources.update(SOURCE, ({ spec }) => ({
        spec: { ...spec, policy: { mode, checks: ['ci'], freeze: [] } },
      }));
      await push('v1.2', 2);
      expect(said(world, SHA(2))).toMatch(/^pending: waiting/);
      await drop('v1.2');
      world.checks.set('ci', 'success');
      world.now = new Date(world.now.getTime() + 3_600_000);
      await look();
      expect(released()).not.toContain('refs/tags/v1.2 2');
      expect(said(world, SHA(2))).toMatch(/^(superseded|cancelled): /);
    },
  );

  it('ends what waits at a deleted tag also when the tag that is left does not touch the application', async () => {
    await push('v1.1', 1);
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, policy: { mode: 'automatic', checks: ['ci'], freeze: [] } },
    }));
    await push('v1.2', 2);
    world.changed = new Set();
    await drop('v1.2');
    expect(said(world, SHA(2))).toBe('cancelled: cancelled: the ref no longer exists');
    world.checks.set('ci', 'success');
    world.now = new Date(world.now.getTime() + 3_600_000);
    await look();
    expect(released()).not.toContain('refs/tags/v1.2 2');
  });

  it('does not release a tag whose commit another tag has, or forget it, when one of them goes', async () => {
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, policy: { mode: 'automatic', checks: ['ci'], freeze: [] } },
    }));
    await push('v1.1', 1);
    await push('v1.2', 1);
    await drop('v1.1');
    expect(said(world, SHA(1))).toMatch(/^pending: waiting/);
    world.checks.set('ci', 'success');
    world.now = new Date(world.now.getTime() + 3_600_000);
    await look();
    expect(released()).toEqual(['refs/tags/v1.1 1']);
  });

  it('is polled as one ref, and says the tag to the forge', async () => {
    await push('v1', 1);
    await report(world.deps, { source: SOURCE, commit: SHA(1) });
    expect(world.posted.at(-1)).toMatchObject({ ref: 'refs/tags/v1', commit: SHA(1) });
    world.jobs.length = 0;
    await poll(world.deps, { repository: 'github-1' }, RUN);
    expect(world.jobs.filter(({ queue }) => queue === 'sync')).toEqual([]);
    tags.set(tag('v2'), SHA(2));
    await poll(world.deps, { repository: 'github-1' }, RUN);
    expect(world.jobs).toContainEqual({ queue: 'sync', repository: 'github-1', ref: PATTERN });
    world.files.set(SHA(2), file('registry.example.test/shop:2'));
    await sync(world.deps, { repository: 'github-1', ref: PATTERN }, RUN);
    await plan(world.deps, { source: SOURCE }, RUN);
    expect(released().at(-1)).toBe('refs/tags/v2 2');
  });
});
