import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  commentWith,
  MARKER,
  ownComments,
  type PullWorld,
  planStatuses,
  planStatusOf,
  startPullWorld,
} from '../support/pull-request.ts';
import { until } from '../support/world.ts';

let world: PullWorld;

beforeEach(async () => {
  world = await startPullWorld();
});
afterEach(() => world.stop());

/** Everything in the cluster that a release could touch, as one text. */
function everythingReleased(): string {
  return JSON.stringify(
    world.cluster
      .objects()
      .filter(
        ({ kind, metadata }) => metadata.namespace?.startsWith('hp-') || kind === 'Release' || kind === 'BuildRun',
      ),
  );
}

describe('a pull request', () => {
  it('gets a plan as one comment and one status, and changes nothing', async () => {
    const before = everythingReleased();
    const head = await world.show({ text: world.file(1) });
    expect(await world.deliverPull(head, 'opened')).toBe(202);
    expect(await planStatusOf(world, head)).toMatchObject({
      state: 'success',
      description: 'plan: 1 service to change',
    });
    const comment = await commentWith(world, head);
    expect(comment.body.startsWith(MARKER)).toBe(true);
    expect(comment.body).toContain('BUILD_NUMBER');
    expect(comment.body).toContain('compared with revision 1');
    expect(comment.body).toContain('db-password');
    await until('the plan is recorded', () =>
      world.store.plans.all().some((plan) => plan.status.comment?.id !== undefined),
    );
    expect(planStatuses(world, head)).toHaveLength(1);
    expect(ownComments(world)).toHaveLength(1);
    expect(everythingReleased()).toBe(before);
  });
});
