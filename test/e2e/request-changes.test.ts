import { afterEach, describe, expect, it } from 'vitest';
import { commentWith, ownComments, planStatuses, planStatusOf } from '../support/pull-request.ts';
import { expectOneComment, expectOneWordEach, FORGES, type StoryWorld, startStory } from '../support/stories.ts';
import { finalOf, until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

/** What the forge calls these. */
const ACTIONS = {
  github: {
    opened: 'opened',
    pushed: 'synchronize',
    closed: 'closed',
    reopened: 'reopened',
    draft: 'converted_to_draft',
  },
  gitlab: { opened: 'open', pushed: 'update', closed: 'close', reopened: 'reopen', draft: 'update' },
} as const;

function gone(): Promise<unknown> {
  return until('the plan is gone', () => world.store.plans.all().length === 0);
}

describe.each(FORGES)('a request at %s', (forge) => {
  const actions = ACTIONS[forge];

  it('is opened as a draft, made ready, closed and opened again: one comment, one word', async () => {
    world = await startStory(forge);
    const head = await world.show({ text: world.file(1) });
    world.forge.putPull({ ...world.pull(head), draft: true });
    await world.deliverPull(head, actions.opened);
    expect((await commentWith(world, head)).body).toContain('This request is a draft');
    await planStatusOf(world, head);

    world.forge.putPull(world.pull(head));
    await world.deliverPull(head, actions.draft);
    await until('the comment forgets the draft', () => ownComments(world)[0]?.body.includes('draft') === false);

    world.forge.putPull({ ...world.pull(head), state: 'closed' });
    await world.deliverPull(head, actions.closed);
    await gone();
    world.forge.putPull(world.pull(head));
    await world.deliverPull(head, actions.reopened);
    await until('it is planned again', () => world.store.plans.all()[0]?.status.comment?.id !== undefined);
    await world.quiet();
    expectOneComment(world, head);
    expectOneWordEach(world, { plan: [head] });
  });

  it('goes into a branch without an application and back', async () => {
    world = await startStory(forge);
    const head = await world.show({ text: world.file(1) });
    await world.deliverPull(head, actions.opened);
    await commentWith(world, head);
    await planStatusOf(world, head);

    world.forge.putPull({ ...world.pull(head), base: 'next' });
    await world.deliverPull(head, actions.pushed, 'elsewhere');
    await commentWith(world, 'the request goes into another branch now');
    await gone();

    const second = await world.show({ text: world.file(2), onto: head });
    await world.deliverPull(second, actions.pushed);
    await commentWith(world, second);
    await planStatusOf(world, second);
    await world.quiet();
    expectOneComment(world, second, [head]);
    expectOneWordEach(world, { plan: [head, second] });
  });

  it('is behind main, where the file changed, and is planned again for what is deployed then', async () => {
    world = await startStory(forge);
    const head = await world.show({ text: world.file(1) });
    await world.deliverPull(head, actions.opened);
    expect((await commentWith(world, head)).body).toContain('compared with revision 1');
    const main = await world.push(5);
    await finalOf(world, main);
    const { body } = await commentWith(world, 'compared with revision 2', 60_000);
    expect(body).toContain('The head is behind the base branch, which changed the file since');
    expect(body).not.toContain('not what is deployed');
    await world.quiet();
    expectOneComment(world, head);
  });

  it('takes the file away: refused, and nothing that runs goes with a merge', async () => {
    world = await startStory(forge);
    const head = await world.show({ text: undefined });
    await world.deliverPull(head, actions.opened);
    const { body } = await commentWith(world, head);
    expect(body).toContain('Merging it removes nothing that runs; revision 1 stays');
    await planStatusOf(world, head);
    expect(planStatuses(world, head)).toMatchObject([
      { description: 'refused: the file does not exist at this commit' },
    ]);
    expect(world.complaints).toEqual([]);
  });
});
