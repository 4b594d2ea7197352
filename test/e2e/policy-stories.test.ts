import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endOf, expectOneWordEach, FORGES, type StoryWorld, startStory } from '../support/stories.ts';
import { until } from '../support/world.ts';

let world: StoryWorld;
afterEach(() => world.stop());

describe.each(FORGES)('a release at %s', (forge) => {
  beforeEach(async () => {
    world = await startStory(forge);
  });

  it('is left out for a commit that asks for it', async () => {
    const skipped = await world.push(1, { message: 'Tidy up\n\n[skip hakopod]' });
    expect(await endOf(world, skipped)).toBe('success: skipped: the commit message says [skip hakopod]');
    const commit = await world.push(2);
    expect(await endOf(world, commit)).toBe('success: released revision 2');
    expectOneWordEach(world, { deploy: [skipped, commit] });
    expect(world.forge.comments()).toEqual([]);
  });

  it('follows the newest tag: the others of one push, and those of an older number, are told so', async () => {
    const context = 'hakopod/deploy/acme/production/docs';
    const image = `${world.registry.host}/shop/web:2.0`;
    const docs = (n: number): string =>
      `name = "docs"\n\n[services.site]\nimage = "${image}"\nport = 3000\nenv = { N = "${n}" }\n`;
    // On no branch, so that main and its source stay where they are.
    const tag = async (n: number, name: string): Promise<{ readonly commit: string; readonly ref: string }> => {
      const ref = `refs/tags/${name}`;
      const change = { onto: world.main, refs: [ref], path: 'docs.toml', text: docs(n), message: `docs ${n}` };
      return { commit: await world.tree.propose(change), ref };
    };
    const end = (commit: string): Promise<string> =>
      until(`${commit.slice(0, 8)} ends`, () => {
        const said = world.forge.statuses().filter((one) => one.commit === commit && one.state !== 'pending');
        return said.find((one) => one.context === context)?.description;
      });
    const [older, newer] = [await tag(1, 'v1.9.0'), await tag(2, 'v1.10.0')];
    const flags = ['--branch', 'refs/tags/v*'];
    await world.bind({ app: 'acme/production/docs', forge, path: 'docs.toml', flags });
    await Promise.all([newer, older].map(({ commit, ref }) => world.deliverPush(commit, { ref })));
    expect(await end(newer.commit)).toBe('released revision 1');
    expect(await end(older.commit)).toBe(`superseded by ${newer.commit.slice(0, 7)}`);
    const late = await tag(3, 'v1.9.1');
    await world.deliverPush(late.commit, { ref: late.ref });
    expect(await end(late.commit)).toBe(`superseded by ${newer.commit.slice(0, 7)}`);
    await world.quiet();
    expectOneWordEach(world, { others: [older, newer, late].map(({ commit }) => [context, commit] as const) });
  });
});
