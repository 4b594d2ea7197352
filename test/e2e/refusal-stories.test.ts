import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commentWith, planStatuses, planStatusOf, planWhen } from '../support/pull-request.ts';
import {
  arm,
  endOf,
  expectOneComment,
  expectOneWordEach,
  FORGES,
  pendingOf,
  SOURCE,
  type StoryWorld,
  startStory,
} from '../support/stories.ts';
import { until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

const STATUSES = /\/statuses\/[0-9a-f]{40}$/;
const COMMENTS = { github: /\/issues\/7\/comments$/, gitlab: /\/merge_requests\/7\/notes$/ } as const;
const REFUSED = { status: 422, message: 'Validation Failed' } as const;

function reportOf(commit: string) {
  return world.store.sources.cached(SOURCE)?.status.reports?.find((report) => report.commit === commit);
}

describe.each(FORGES)('%s refuses with 422', (forge) => {
  const [opened, pushed] = forge === 'github' ? ['opened', 'synchronize'] : ['open', 'update'];

  beforeEach(async () => {
    world = await startStory(forge);
  });

  it('a pending status: the final one is said all the same', async () => {
    const spent = arm(world, [{ method: 'POST', path: STATUSES, failure: REFUSED, times: 1 }]);
    const commit = await world.push(1);
    expect(await endOf(world, commit)).toBe('success: released revision 2');
    expect(spent()).toEqual([0]);
    expectOneWordEach(world, { deploy: [commit] });
  });

  it('a final status: that is the end, it is on record, and the next commit has its word', async () => {
    await world.must('sources', 'policy', 'set', 'acme/production/shop', '--mode', 'approval');
    const commit = await world.push(1);
    await pendingOf(world, commit, 'waiting until somebody approves');
    let asked = 0;
    world.forge.onRequest((method, path) => {
      if (method !== 'POST' || !path.endsWith(commit)) return undefined;
      asked += 1;
      return REFUSED;
    });
    const next = await world.push(2);
    await pendingOf(world, next, 'waiting until somebody approves');
    await until('the refusal is on record', () => reportOf(commit)?.undeliverable === 'forge_rejected');
    await world.quiet();
    expect(asked).toBe(1);
    await world.must('approve', 'acme/production/shop', '--commit', next);
    expect(await endOf(world, next)).toBe('success: released revision 2');
    expect(reportOf(commit)).toMatchObject({ undeliverable: 'forge_rejected', desired: { outcome: 'superseded' } });
    expect(asked).toBe(1);
    expect(world.complaints).toEqual([]);
  });

  it('status and comment of a head: neither is tried again, and the next head has both', async () => {
    const spent = arm(world, [
      { method: 'POST', path: STATUSES, failure: REFUSED, times: 1 },
      { method: 'POST', path: COMMENTS[forge], failure: REFUSED, times: 1 },
    ]);
    const first = await world.show({ text: world.file(1) });
    await world.deliverPull(first, opened);
    await planWhen(
      world,
      ({ reports, comment }) =>
        comment?.undeliverable === 'forge_rejected' && reports?.[0]?.undeliverable === 'forge_rejected',
    );
    await world.quiet();
    expect(spent()).toEqual([0, 0]);
    expect([planStatuses(world, first), world.forge.comments()]).toEqual([[], []]);

    const second = await world.show({ text: world.file(2), onto: first });
    await world.deliverPull(second, pushed);
    await planStatusOf(world, second);
    await commentWith(world, second);
    await world.quiet();
    expectOneWordEach(world, { plan: [second] });
    expectOneComment(world, second, [first]);
  });
});
