import { afterEach, describe, expect, it } from 'vitest';
import { commentWith, planStatuses, planStatusOf } from '../support/pull-request.ts';
import { expectOneComment, expectOneWordEach, FORGES, type StoryWorld, startStory } from '../support/stories.ts';
import { finals, until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

const ADA = 77;

/** What the forge calls these. */
const ACTIONS = {
  github: { opened: 'opened', pushed: 'synchronize', closed: 'closed' },
  gitlab: { opened: 'open', pushed: 'update', closed: 'close' },
} as const;

function gone(): Promise<unknown> {
  return until('the plan is gone', () => world.store.plans.all().length === 0);
}

describe.each(FORGES)('a request at %s', (forge) => {
  const { opened, pushed, closed } = ACTIONS[forge];

  it('is opened, pushed five times quickly, force-pushed and closed', async () => {
    world = await startStory(forge);
    const first = await world.show({ text: world.file(1) });
    expect(await world.deliverPull(first, opened)).toBe(202);
    await commentWith(world, first);
    await planStatusOf(world, first);

    const heads: string[] = [];
    for (let build = 2; build <= 6; build += 1)
      heads.push(await world.show({ text: world.file(build), onto: heads.at(-1) ?? first }));
    const [two = '', three = '', four = '', five = '', last = ''] = heads;
    // In no order, and some of them twice.
    const order = [four, last, two, five, three, four, two];
    const answers = await Promise.all(order.map((head) => world.deliverPull(head, pushed, `delivery-${head}`)));
    expect(new Set(answers)).toEqual(new Set([202]));
    for (const head of heads) await planStatusOf(world, head);
    await commentWith(world, last);
    expect(planStatuses(world, last)).toMatchObject([{ state: 'success' }]);
    await world.quiet();
    expectOneWordEach(world, { plan: [first, ...heads] });
    expectOneComment(world, last, [first, two, three, four, five]);

    // Grown from main again: no head before it is an ancestor.
    const forced = await world.show({ text: world.file(7) });
    await world.deliverPull(forced, pushed);
    await planStatusOf(world, forced);
    await commentWith(world, forced);
    await world.quiet();

    world.forge.putPull({ ...world.pull(forced), state: 'closed' });
    await world.deliverPull(forced, closed);
    await gone();
    // What was late speaks of heads that have their word.
    await world.deliverPull(three, pushed, 'a-late-delivery');
    await world.quiet();
    expectOneWordEach(world, { plan: [first, ...heads, forced] });
    expectOneComment(world, forced, heads);
    expect(finals(world, world.main)).toHaveLength(1);
  });

  it('is planned once more by a comment: against what is deployed by then, in the same comment', async () => {
    world = await startStory(forge);
    const head = await world.show({ text: world.file(1) });
    await world.deliverPull(head, opened);
    await planStatusOf(world, head);
    await commentWith(world, 'compared with revision 1');
    const main = await world.push(5);
    await until('the release ended', () => finals(world, main).length > 0);
    world.forge.setRole(ADA, 'write');
    await world.comment(ADA, `hakopod plan ${head.slice(0, 8)}`);
    await commentWith(world, 'compared with revision 2');
    await world.quiet();
    expectOneWordEach(world, { plan: [head], deploy: [main] });
    expectOneComment(world, head);
  });

  it('of a fork is pushed and closed: planned, and nothing else', async () => {
    world = await startStory(forge);
    const first = await world.show({ text: world.file(1), fork: true });
    await world.deliverPull(first, opened);
    await planStatusOf(world, first);
    await commentWith(world, first);
    const second = await world.show({ text: world.file(2).replace('port = 8080', 'port = "x"'), fork: true });
    await world.deliverPull(second, pushed);
    expect((await planStatusOf(world, second)).state).toBe(forge === 'github' ? 'failure' : 'failed');
    await commentWith(world, second);
    world.forge.putPull({ ...world.pull(second), fork: true, state: 'closed' });
    await world.deliverPull(second, closed);
    await gone();
    await world.quiet();
    expectOneWordEach(world, { plan: [first, second] });
    expectOneComment(world, second, [first]);
    const releases = await world.store.releases.ofApplication('acme.production.shop');
    expect(releases.ok && releases.value).toHaveLength(1);
  });
});
