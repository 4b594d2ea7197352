import { describe, expect, it } from 'vitest';
import type { ForgeFailure } from '../../src/demo/forge-recorder.ts';
import { commentWith, planStatusOf, planWhen } from '../support/pull-request.ts';
import {
  arm,
  endOf,
  expectOneComment,
  expectOneWordEach,
  type Forge,
  type StoryWorld,
  startStory,
} from '../support/stories.ts';

const STATUSES = /\/statuses\/[0-9a-f]{40}$/;
/** A comment is written with one method and brought up to date with another. */
const COMMENTS = {
  github: { write: /\/issues\/7\/comments$/, edit: /\/issues\/comments\/\d+$/, method: 'PATCH' },
  gitlab: { write: /\/merge_requests\/7\/notes$/, edit: /\/merge_requests\/7\/notes\/\d+$/, method: 'PUT' },
} as const;
const REQUESTS = { github: /\/pulls\/7$/, gitlab: /\/merge_requests\/7$/ } as const;

/** In a second or so. */
function soon(): string {
  return String(Math.floor(Date.now() / 1000) + 1);
}

const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
export const FAULTS: Readonly<Record<Forge, readonly (readonly [string, () => ForgeFailure])[]>> = {
  github: [
    [
      'an empty primary limit (403)',
      () => ({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() } }),
    ],
    ['a secondary limit (403)', () => ({ status: 403, headers: { 'retry-after': '0' }, message: SECONDARY })],
    [
      'that nothing is left, with a success',
      () => ({ status: 200, isDone: true, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() } }),
    ],
    ['429', () => ({ status: 429, headers: { 'retry-after': '0' } })],
    ['502', () => 502],
    ['a broken connection', () => 'reset'],
    ['an answer that is lost after the write', () => 'lost'],
  ],
  gitlab: [
    ['429 with Retry-After', () => ({ status: 429, headers: { 'retry-after': '0' } })],
    ['429 with RateLimit-Reset', () => ({ status: 429, headers: { 'ratelimit-reset': soon() } })],
    ['502', () => 502],
    [
      'that nothing is left, with a success',
      () => ({ status: 200, isDone: true, headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': soon() } }),
    ],
    ['409 while another holds the pipeline', () => 409],
    ['a broken connection', () => 'reset'],
    ['an answer that is lost after the write', () => 'lost'],
  ],
};

/**
 * Stories of a forge that fails in these ways while a request is planned and a push released, each in a world of its own and side by side, for
 * most of their time is waiting.
 */
export function describeFaults(forge: Forge, faults: (typeof FAULTS)[Forge]): void {
  describe.concurrent(`${forge} answers`, () => {
    it.each(faults)(
      '%s: each commit still has one final status, and the request one comment',
      async (_name, fault) => {
        const world = await startStory(forge);
        try {
          await story(world, fault);
        } finally {
          await world.stop();
        }
      },
      120_000,
    );
  });
}

async function story(world: StoryWorld, fault: () => ForgeFailure): Promise<void> {
  const forge = world.kind;
  const { write, edit, method } = COMMENTS[forge];
  const failure = fault();
  const first = await world.show({ text: world.file(1) });
  const spent = arm(world, [
    { method: 'GET', path: REQUESTS[forge], failure: failure === 'lost' ? 'reset' : failure, times: 1 },
    // The plan's, and the first or last of the push's.
    { method: 'POST', path: STATUSES, failure, times: 2 },
    { method: 'POST', path: write, failure, times: 1 },
  ]);
  const opened = forge === 'github' ? 'opened' : 'open';
  const [pushed] = await Promise.all([world.push(5), world.deliverPull(first, opened)]);
  await planStatusOf(world, first);
  await commentWith(world, first);
  expect(await endOf(world, pushed)).toBe('success: released revision 2');
  expect(spent()).toEqual([0, 0, 0]);
  expectOneComment(world, first);

  const second = await world.show({ text: world.file(2), onto: first });
  const again = arm(world, [
    { method: 'POST', path: STATUSES, failure: fault(), times: 1 },
    { method, path: edit, failure: fault(), times: 1 },
  ]);
  await world.deliverPull(second, forge === 'github' ? 'synchronize' : 'update');
  await planStatusOf(world, second);
  await commentWith(world, second);
  await planWhen(world, ({ head, comment }) => head === second && comment?.posted === comment?.desired);
  await world.quiet();
  expect(again()).toEqual([0, 0]);
  expectOneWordEach(world, { plan: [first, second], deploy: [pushed] });
  expectOneComment(world, second, [first]);
}
