import { describe, expect, it } from 'vitest';
import { commentWith, planStatusOf, planWhen } from '../support/pull-request.ts';
import { arm, endOf, expectOneComment, expectOneWordEach, FORGES, startStory } from '../support/stories.ts';

const STATUSES = /\/statuses\/[0-9a-f]{40}$/;
const COMMENTS = { github: /\/issues\/7\/comments$/, gitlab: /\/merge_requests\/7\/notes$/ } as const;
/** A call is given up after 15 s. */
const PATIENCE_MS = 60_000;

// Side by side, for they do nothing but wait.
describe.concurrent('a forge that never answers', () => {
  it.each(FORGES)(
    '%s: each commit still has one final status, and the request one comment',
    async (forge) => {
      const world = await startStory(forge);
      try {
        const head = await world.show({ text: world.file(1) });
        const spent = arm(world, [
          { method: 'POST', path: STATUSES, failure: 'hang', times: 2 },
          { method: 'POST', path: COMMENTS[forge], failure: 'hang', times: 1 },
        ]);
        const [pushed] = await Promise.all([
          world.push(5),
          world.deliverPull(head, forge === 'github' ? 'opened' : 'open'),
        ]);
        await planStatusOf(world, head, PATIENCE_MS);
        await commentWith(world, head, PATIENCE_MS);
        expect(await endOf(world, pushed, PATIENCE_MS)).toBe('success: released revision 2');
        await planWhen(world, ({ comment }) => comment?.posted !== undefined);
        expect(spent()).toEqual([0, 0]);
        expectOneWordEach(world, { plan: [head], deploy: [pushed] });
        expectOneComment(world, head);
      } finally {
        await world.stop();
      }
    },
    180_000,
  );
});
