import { afterEach, describe, expect, it } from 'vitest';
import { commentWith, NUMBER, planStatuses, planStatusOf } from '../support/pull-request.ts';
import { expectOneComment, expectOneWordEach, FORGES, type StoryWorld, startStory } from '../support/stories.ts';
import { finalOf, until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

/** What the forge calls these. */
const ACTIONS = {
  github: { opened: 'opened', pushed: 'synchronize', merged: 'closed' },
  gitlab: { opened: 'open', pushed: 'update', merged: 'merge' },
} as const;

function gone(): Promise<unknown> {
  return until('the plan is gone', () => world.store.plans.all().length === 0);
}

describe.each(FORGES)('a request at %s', (forge) => {
  const { opened, pushed, merged } = ACTIONS[forge];

  it('is merged right after its last push: its heads end, and the merge is released once', async () => {
    world = await startStory(forge);
    const first = await world.show({ text: world.file(1) });
    await world.deliverPull(first, opened);
    await planStatusOf(world, first);
    await commentWith(world, first);
    const second = await world.show({ text: world.file(2), onto: first });
    const merge = await world.push(2, { message: `Merge request ${NUMBER}`, silent: true });
    world.forge.putPull({ ...world.pull(second), state: 'merged', mergedAs: merge });
    const answers = await Promise.all([
      world.deliverPush(merge),
      world.deliverPull(second, merged),
      world.deliverPull(second, pushed),
    ]);
    expect(answers).toEqual([202, 202, 202]);
    expect(await finalOf(world, merge)).toMatchObject({ state: 'success', description: 'released revision 2' });
    await planStatusOf(world, second);
    await gone();
    await world.quiet();
    expectOneWordEach(world, { plan: [first, second], deploy: [merge] });
    // Whoever looked at the second head while the request was open planned it; else the comment stays true of the one before.
    const isPlanned = planStatuses(world, second)[0]?.state === 'success';
    expectOneComment(world, isPlanned ? second : first);
  });

  it('is merged by moving the branch on: its head has one word as a plan and one as a release', async () => {
    world = await startStory(forge);
    const head = await world.show({ text: world.file(1) });
    await world.deliverPull(head, opened);
    await planStatusOf(world, head);
    await commentWith(world, head);
    await world.moveRef('refs/heads/main', head);
    world.forge.putPull({ ...world.pull(head), state: 'merged' });
    await Promise.all([world.deliverPull(head, merged), world.deliverPush(head)]);
    expect(await finalOf(world, head)).toMatchObject({ state: 'success', description: 'released revision 2' });
    await gone();
    await world.quiet();
    expectOneWordEach(world, { plan: [head], deploy: [head] });
    expectOneComment(world, head);
  });
});
