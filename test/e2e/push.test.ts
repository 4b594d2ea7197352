import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shopFile } from '../../src/demo/shop.ts';
import { applicationObjects, deliver, finalOf, finals, startWorld, until, type World } from '../support/world.ts';

let world: World;
let hook: { url: string; secret: string };

beforeEach(async () => {
  world = await startWorld();
  const serving = await world.serve();
  await world.cli(['secrets', 'set', 'db-password', '--app', 'acme/production/shop'], 'correct horse\n');
  const bound = await world.bind();
  hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
});
afterEach(() => world.stop());

function file(build: number, patch = false): string {
  return shopFile({ registry: world.registry.host, build, patch });
}

describe('a push', () => {
  it('becomes running services and a success status', async () => {
    const commit = await world.tree.push('hakopod.toml', file(1), 'first');
    expect((await deliver(hook, { commit })).status).toBe(202);
    expect(await finalOf(world, commit)).toMatchObject({ state: 'success', description: 'released revision 1' });
    expect(
      applicationObjects(world, 'Deployment')
        .map((object) => object.metadata.name)
        .sort(),
    ).toEqual(['api', 'web']);
    expect(applicationObjects(world, 'Job')).toHaveLength(1);
    const status = await world.cli(['status', 'acme/production/shop']);
    expect(status.out).toContain('healthy, revision 1');
  });

  it('that patches Kubernetes objects is refused, names the field and writes nothing to the cluster', async () => {
    const first = await world.tree.push('hakopod.toml', file(1), 'first');
    await deliver(hook, { commit: first });
    await finalOf(world, first);
    const before = JSON.stringify(
      world.cluster.objects().filter((object) => object.metadata.namespace?.startsWith('hp-')),
    );
    const second = await world.tree.push('hakopod.toml', file(1, true), 'patch');
    await deliver(hook, { commit: second });
    const status = await finalOf(world, second);
    expect(status.state).toBe('failure');
    expect(status.description).toContain('services.api.kubernetes');
    expect(
      JSON.stringify(world.cluster.objects().filter((object) => object.metadata.namespace?.startsWith('hp-'))),
    ).toBe(before);
  });

  it('delivered shuffled and doubled with nineteen others ends at the twentieth, one final status each', async () => {
    const commits: string[] = [];
    for (let build = 1; build <= 20; build += 1)
      commits.push(await world.tree.push('hakopod.toml', file(build), `build ${build}`));
    const deliveries = commits.flatMap((commit) => [
      { commit, id: `delivery-${commit}` },
      { commit, id: `delivery-${commit}` },
    ]);
    // A fixed shuffle: the same order on each run.
    deliveries.sort((a, b) => (a.commit.slice(8) < b.commit.slice(8) ? -1 : 1));
    const answers = await Promise.all(deliveries.map((delivery) => deliver(hook, delivery)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
    for (const commit of commits) await finalOf(world, commit);
    const last = commits.at(-1) ?? '';
    await until('the last is released', () => finals(world, last).some((status) => status.state === 'success'));
    await until('nothing is queued', async () => (await world.store.releases.ofApplication('acme.production.shop')).ok);
    expect(commits.map((commit) => finals(world, commit).length)).toEqual(commits.map(() => 1));
    const api = applicationObjects(world, 'Deployment').find((object) => object.metadata.name === 'api');
    expect(JSON.stringify(api)).toContain('"value":"20"');
  });
});
