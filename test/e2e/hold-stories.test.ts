import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  APP,
  endOf,
  expectOneWordEach,
  FORGES,
  pendingOf,
  SOURCE,
  type StoryWorld,
  startStory,
} from '../support/stories.ts';
import { finals, until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

const MINUTE_MS = 60_000;

describe.each(FORGES)('a release at %s', (forge) => {
  beforeEach(async () => {
    world = await startStory(forge);
  });

  it('waits for the end of a freeze', async () => {
    const now = new Date();
    const window = `${now.getUTCMinutes()} ${now.getUTCHours()} * * * for 30m`;
    await world.must('sources', 'policy', 'set', APP, '--freeze', window);
    const passed = await world.push(1);
    await pendingOf(world, passed, 'frozen until');
    const commit = await world.push(2);
    await pendingOf(world, commit, 'frozen until');
    await world.quiet();
    expect(finals(world, commit)).toEqual([]);
    world.later(31 * MINUTE_MS);
    expect(await endOf(world, commit)).toBe('success: released revision 2');
    expectOneWordEach(world, { deploy: [passed, commit] });
  });

  it('waits for a check of somebody else, and is refused when that fails', async () => {
    const project = forge === 'github' ? 'acme/shop' : '4711';
    const check = (commit: string, state: 'running' | 'success' | 'failure'): void =>
      world.forge.putCheck({ forge, project, commit, name: 'ci / test', state });
    await world.must('sources', 'policy', 'set', APP, '--check', 'ci / test');
    const good = await world.push(1);
    await pendingOf(world, good, 'waiting for the check ci / test');
    check(good, 'running');
    const lookedAt = world.store.sources.cached(SOURCE)?.status.waiting?.lookAt;
    world.later(MINUTE_MS);
    await until('it was looked at once more', () => {
      const { waiting: wait } = world.store.sources.cached(SOURCE)?.status ?? {};
      return wait !== undefined && wait.lookAt !== lookedAt;
    });
    expect(finals(world, good)).toEqual([]);
    check(good, 'success');
    world.later(MINUTE_MS);
    expect(await endOf(world, good)).toBe('success: released revision 2');

    const bad = await world.push(2);
    await pendingOf(world, bad, 'waiting for the check ci / test');
    check(bad, 'failure');
    world.later(MINUTE_MS);
    expect(await endOf(world, bad)).toContain('a check that the deploy policy requires failed');
    expectOneWordEach(world, { deploy: [good, bad] });
  });
});
