import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliverPullRequest } from '../../src/demo/webhook.ts';
import { planContext } from '../../src/status/index.ts';
import { addSources, appOf, fileOf, HOOK, isReleased, nameOf, pushVersion, specOf } from '../support/many-sources.ts';
import { deliver, startWorld, until, type World } from '../support/world.ts';

const SIZE = 50;
/** The application that changes. */
const INDEX = 17;

let world: World;
let hook: { readonly url: string; readonly secret: string };
let main: string;
/** Names of sources and plans whose record changed since the last `reset`. */
const written = new Set<string>();

beforeAll(async () => {
  world = await startWorld();
  main = await addSources(world, SIZE);
  const serving = await world.serve({ resyncSeconds: 600 });
  hook = { url: `http://127.0.0.1:${serving.port}${HOOK.path}`, secret: HOOK.secret };
  await until('the first poll is over', () =>
    world.store.repositories.all().every(({ status }) => status.pullRequestsAt !== undefined),
  );
  for (const collection of [world.store.sources, world.store.plans]) collection.onChange((name) => written.add(name));
});
afterAll(() => world.stop());

function reset(): void {
  written.clear();
  world.git.resetStats();
  world.cluster.resetRequests();
}

/** Names of the contexts that have a status of the commit. */
function contextsOf(commit: string): readonly string[] {
  return [
    ...new Set(
      world.forge
        .statuses()
        .filter((one) => one.commit === commit)
        .map(({ context }) => context),
    ),
  ];
}

describe(`a commit that touches one of ${SIZE} sources on a repository`, () => {
  it('is asked for once, planned once, and said on one source alone', async () => {
    reset();
    const commit = await pushVersion(world, { index: INDEX, version: 1 });
    // The payload's own list of files is no evidence, whatever it says.
    const files = { added: [], removed: [fileOf(INDEX)], modified: [fileOf(INDEX + 1)] };
    const more = { commits: [{ id: commit, ...files }], head_commit: { id: commit, ...files } };
    expect((await deliver(hook, { commit, more })).status).toBe(202);
    await until('it is released', () => isReleased(world, INDEX, commit));
    await until('its last word is said', () => world.forge.statuses().some(({ state }) => state === 'success'));
    expect(world.git.stats().lsRefs).toBe(1);
    expect([...written]).toEqual([nameOf(INDEX)]);
    const planned = world.store.sources.all().filter(({ status }) => status.planned?.commit === commit);
    expect(planned.map(({ name }) => name)).toEqual([nameOf(INDEX)]);
    expect(contextsOf(commit)).toEqual([`hakopod/deploy/acme/production/${appOf(INDEX)}`]);
  });

  it('as the head of a pull request is asked for once, planned once, and said for one source alone', async () => {
    const head = await world.tree.propose({
      onto: main,
      refs: ['refs/pull/7/head', 'refs/heads/change-7'],
      path: fileOf(INDEX),
      text: specOf(world, { index: INDEX, version: 2 }),
      message: 'A change',
    });
    world.forge.putPull({
      ...{ forge: 'github', project: 'acme/shop', repositoryId: 4711, number: 7, state: 'open', head },
      ...{ branch: 'change-7', base: 'main', fork: false, mergeBase: main },
    });
    reset();
    // Both events that a forge sends; no source is bound to the branch of the first.
    await deliver(hook, { commit: head, ref: 'refs/heads/change-7' });
    await deliverPullRequest(
      { ...hook, repositoryId: 4711, fullName: 'acme/shop' },
      { number: 7, head, action: 'opened', delivery: '1'.repeat(32) },
    );
    const name = `${nameOf(INDEX)}.7`;
    await until('all is said', () => {
      const status = world.store.plans.cached(name)?.status;
      return status?.reports?.every(({ posted }) => posted !== undefined) === true && status.comment?.id !== undefined;
    });
    expect(world.git.stats().lsRefs).toBe(1);
    expect([...written]).toEqual([name]);
    expect(world.forge.comments()).toHaveLength(1);
    const application = { project: 'acme', environment: 'production', name: appOf(INDEX) };
    expect(contextsOf(head)).toEqual([planContext(application)]);
  });
});
