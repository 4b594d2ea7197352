import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  APP,
  callApi,
  endOf,
  expectOneWordEach,
  FORGES,
  pendingOf,
  SOURCE,
  type StoryWorld,
  startStory,
} from '../support/stories.ts';
import { finalOf, finals, until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

const ADA = 77;

/** The request was merged as this commit; its head is of no interest. */
function merged(commit: string): void {
  world.forge.putPull({ ...world.pull(commit), state: 'merged', mergedAs: commit });
}

/** What our user answered to commands: one comment at most. */
function answers(): readonly string[] {
  return world.forge
    .comments()
    .filter(({ body, author }) => author !== ADA && body.includes('hakopod deploy'))
    .map(({ body }) => body);
}

function answerWith(text: string): Promise<unknown> {
  return until(`the answer says ${text}`, () => answers().some((body) => body.includes(text)));
}

function waiting(): string | undefined {
  return world.store.sources.cached(SOURCE)?.status.waiting?.commit;
}

describe.each(FORGES)('a release at %s', (forge) => {
  beforeEach(async () => {
    world = await startStory(forge);
  });

  it('waits for its approval; one for an older commit does nothing, by command or by comment', async () => {
    await world.must('sources', 'policy', 'set', APP, '--mode', 'approval');
    const older = await world.push(1);
    await pendingOf(world, older, 'waiting until somebody approves');
    const newer = await world.push(2);
    await pendingOf(world, newer, 'waiting until somebody approves');
    expect((await finalOf(world, older)).description).toBe(`superseded by ${newer.slice(0, 7)}`);

    const refused = await world.cli(['approve', APP, '--commit', older]);
    expect(refused.code).not.toBe(0);
    expect(refused.out).toContain('another commit waits');
    merged(older);
    world.forge.setRole(ADA, 'write');
    await world.comment(ADA, 'hakopod deploy');
    await answerWith('nothing waits for an approval');
    await world.quiet();
    expect(waiting()).toBe(newer);
    expect(finals(world, newer)).toEqual([]);

    await world.must('approve', APP, '--commit', newer);
    expect(await endOf(world, newer)).toBe('success: released revision 2');
    expectOneWordEach(world, { deploy: [older, newer] });
    expect(answers()).toHaveLength(1);
  });

  it('is not approved by the comment of who may not write, and is once they may', async () => {
    await world.must('sources', 'policy', 'set', APP, '--mode', 'approval');
    const commit = await world.push(1);
    await pendingOf(world, commit, 'waiting until somebody approves');
    merged(commit);
    world.forge.setRole(ADA, 'read');
    const comment = await world.comment(ADA, 'hakopod deploy');
    await until('the comment was read', () =>
      world.lines.some((line) => line.includes('a comment with a command was')),
    );
    await world.quiet();
    expect(waiting()).toBe(commit);
    expect(world.forge.comments()).toHaveLength(1);

    world.forge.setRole(ADA, 'write');
    const name = `${forge}-4711`;
    const list = (await callApi(world, 'GET', `/repositories/${name}/deliveries`)) as {
      readonly items: readonly { readonly id: string; readonly comment?: string }[];
    };
    const delivery = list.items.find((one) => one.comment === String(comment.id));
    await callApi(world, 'POST', `/repositories/${name}/deliveries/${delivery?.id}/redeliver`);
    expect(await endOf(world, commit)).toBe('success: released revision 2');
    await answerWith(`approved at ${commit}`);
    await world.quiet();
    expectOneWordEach(world, { deploy: [commit] });
    expect(answers()).toHaveLength(1);
    expect(world.store.sources.cached(SOURCE)?.status.approval).toMatchObject({
      by: `${forge}:user-${ADA}`,
      via: 'comment',
    });
  });
});
