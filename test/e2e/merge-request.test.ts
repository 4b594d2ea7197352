import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  commentWith,
  MARKER,
  NUMBER,
  ownComments,
  type PullWorld,
  planStatuses,
  planStatusOf,
  startPullWorld,
} from '../support/pull-request.ts';
import { until } from '../support/world.ts';

let world: PullWorld;

beforeEach(async () => {
  world = await startPullWorld({ forge: 'gitlab' });
});
afterEach(() => world.stop());

describe('a merge request', () => {
  it('pushed three times quickly ends with one note, the last plan and one final status per head', async () => {
    const heads: string[] = [];
    for (const build of [1, 2, 3]) heads.push(await world.show({ text: world.file(build) }));
    const last = heads.at(-1) ?? '';
    world.forge.addComment({
      ...{ forge: 'gitlab', project: 'acme/shop', number: NUMBER, author: 77 },
      body: `${MARKER}\nnot ours`,
    });
    const answers = await Promise.all(
      heads.toReversed().map((head, n) => world.deliverPull(head, n === 2 ? 'open' : 'update')),
    );
    expect(new Set(answers)).toEqual(new Set([202]));
    for (const head of heads) await planStatusOf(world, head);
    await commentWith(world, last);
    expect(planStatuses(world, last)).toMatchObject([{ state: 'success', description: 'plan: 1 service to change' }]);
    for (const head of heads.slice(0, 2))
      expect(planStatuses(world, head)).toMatchObject([
        { state: 'canceled', description: `superseded by ${last.slice(0, 7)}` },
      ]);
    expect(ownComments(world)).toHaveLength(1);

    const again = await world.show({ text: world.file(4), onto: last });
    await world.deliverPull(again, 'update');
    expect((await commentWith(world, again)).body).not.toContain(last);
    expect(ownComments(world)).toHaveLength(1);

    await planStatusOf(world, again);
    world.forge.putPull({ ...world.pull(again), state: 'merged' });
    await world.deliverPull(again, 'merge');
    await until('the plan is gone', () => world.store.plans.all().length === 0);
    expect(planStatuses(world, again)).toHaveLength(1);
  });

  it('of a fork, whose head is on no branch here, still gets its status', async () => {
    const text = world.file(1).replace('port = 8080', 'port = "x"');
    const line = text.split('\n').findIndex((content) => content.includes('port = "x"')) + 1;
    const head = await world.show({ text, fork: true });
    await world.deliverPull(head, 'open');
    const status = await planStatusOf(world, head);
    expect(status.state).toBe('failed');
    expect(status.description).toContain(`line ${line}, column 1`);
    expect((await commentWith(world, head)).body).toContain(`line ${line}, column 1`);
  });
});
