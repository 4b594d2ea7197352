import { createHmac, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shopFile } from '../../src/demo/shop.ts';
import { applicationObjects, deliver, finalOf, finals, startWorld, until, type World } from '../support/world.ts';

let world: World;
let base: string;

beforeEach(async () => {
  world = await startWorld();
  base = `http://127.0.0.1:${(await world.serve()).port}`;
});
afterEach(() => world.stop());

function file(build: number): string {
  return shopFile({ registry: world.registry.host, build, patch: false });
}

async function withSecret(): Promise<void> {
  await world.cli(['secrets', 'set', 'db-password', '--app', 'acme/production/shop'], 'correct horse\n');
}

describe('a source', () => {
  it('whose secret is missing says so and releases after it is set and synced', async () => {
    const bound = await world.bind();
    const hook = { url: `${base}${bound.path}`, secret: bound.secret };
    const commit = await world.tree.push('hakopod.toml', file(1), 'first');
    await deliver(hook, { commit });
    expect(await finalOf(world, commit)).toMatchObject({
      state: 'failure',
      description: expect.stringContaining('the secret db-password does not exist'),
    });
    expect(applicationObjects(world, 'Deployment')).toEqual([]);
    await withSecret();
    expect((await world.cli(['sources', 'sync', 'shop'])).code).toBe(0);
    await until('it is released', () => finals(world, commit).some((status) => status.state === 'success'));
  });

  it('is found by the poller alone, ignores pushes while suspended, and catches up when resumed', async () => {
    await withSecret();
    const first = await world.tree.push('hakopod.toml', file(1), 'first');
    const bound = await world.bind();
    await finalOf(world, first);
    await world.cli(['sources', 'suspend', 'acme/production/shop']);
    await until('the worker knows', () => world.store.sources.cached('acme.production.shop')?.spec.suspended === true);
    const second = await world.tree.push('hakopod.toml', file(2), 'second');
    const delivered = await deliver({ url: `${base}${bound.path}`, secret: bound.secret }, { commit: second });
    expect(delivered.status).toBe(202);
    await world.cli(['sources', 'resume', 'acme/production/shop']);
    expect(await finalOf(world, second)).toMatchObject({ state: 'success', description: 'released revision 2' });
  });

  it('that is removed revokes its grant and hook; the application runs on', async () => {
    await withSecret();
    const bound = await world.bind();
    const hook = { url: `${base}${bound.path}`, secret: bound.secret };
    const commit = await world.tree.push('hakopod.toml', file(1), 'first');
    await deliver(hook, { commit });
    await finalOf(world, commit);
    const before = applicationObjects(world, 'Deployment').length;
    expect((await world.cli(['sources', 'remove', 'shop'])).code).toBe(0);
    await until('the hook is gone', async () => (await deliver(hook, { commit })).status === 401);
    await until('the repository is gone', () =>
      world.cluster.objects().every((object) => object.kind !== 'GitSource' && object.kind !== 'GitRepository'),
    );
    expect(
      world.cluster
        .objects()
        .some((object) => object.kind === 'Secret' && object.metadata.name.startsWith('github-4711')),
    ).toBe(false);
    expect(applicationObjects(world, 'Deployment')).toHaveLength(before);
  });

  it('removed in the middle of a release ends the release and its status', async () => {
    await withSecret();
    world.cluster.setBehaviour({ migrate: { kind: 'hang' } });
    const bound = await world.bind();
    const commit = await world.tree.push('hakopod.toml', file(1), 'first');
    await deliver({ url: `${base}${bound.path}`, secret: bound.secret }, { commit });
    await until('the job runs', () => applicationObjects(world, 'Job').length === 1);
    await world.cli(['sources', 'remove', 'shop']);
    expect(await finalOf(world, commit)).toMatchObject({
      state: 'error',
      description: 'cancelled: the source was removed',
    });
    await until('the source is gone', () => world.cluster.objects().every((object) => object.kind !== 'GitSource'));
    await until('the release ended', () =>
      world.cluster
        .objects()
        .some((object) => object.kind === 'Release' && JSON.stringify(object.status).includes('"cancelled"')),
    );
  });

  it('of a GitLab project is served by token and by signing token', async () => {
    await withSecret();
    const bound = await world.bind({ forge: 'gitlab', repositoryId: '77', flags: ['--signing-token'] });
    const commit = await world.tree.push('hakopod.toml', file(1), 'first');
    const body = JSON.stringify({
      object_kind: 'push',
      ref: 'refs/heads/main',
      after: commit,
      project_id: 77,
      project: { id: 77 },
    });
    const [id, time] = [`msg_${randomBytes(8).toString('hex')}`, String(Math.floor(Date.now() / 1000))];
    const key = Buffer.from(bound.secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'x-gitlab-event': 'Push Hook',
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    };
    const answer = await fetch(`${base}${bound.path}`, { method: 'POST', body, headers });
    expect(answer.status).toBe(202);
    expect(
      await until('GitLab shows it', () =>
        world.forge.statuses().find((status) => status.commit === commit && status.state === 'success'),
      ),
    ).toMatchObject({ forge: 'gitlab' });
    const tokenOnly = await fetch(`${base}${bound.path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': bound.secret },
    });
    expect(tokenOnly.status).toBe(401);
  });
});

describe('the cluster', () => {
  it('loses what somebody added by hand to a live Deployment', async () => {
    await withSecret();
    const bound = await world.bind();
    const commit = await world.tree.push('hakopod.toml', file(1), 'first');
    await deliver({ url: `${base}${bound.path}`, secret: bound.secret }, { commit });
    await finalOf(world, commit);
    const read = (): {
      spec: { template: { spec: { containers: { name: string; securityContext?: { privileged?: boolean } }[] } } };
    } & { metadata: { namespace: string } } =>
      world.cluster.objects().find((object) => object.kind === 'Deployment' && object.metadata.name === 'api') as never;
    const live = structuredClone(read());
    live.spec.template.spec.containers.push({ name: 'miner', image: 'evil.example/miner:1' } as never);
    const [app] = live.spec.template.spec.containers;
    if (app !== undefined) app.securityContext = { ...app.securityContext, privileged: true };
    const changed = await world.api.replace(live as never);
    expect(changed.ok).toBe(true);
    expect(read().spec.template.spec.containers).toHaveLength(2);
    const { createJobQueue } = await import('../../queues/runtime/index.ts');
    const { createLog } = await import('../../src/adapters/log/index.ts');
    const queue = createJobQueue({ url: world.redis.url, prefix: 'hakopod', log: createLog('silent') });
    world.defer(() => queue.close());
    await queue.waitUntilReady(5000);
    expect((await queue.add({ queue: 'reconcile', application: 'acme.production.shop' })).ok).toBe(true);
    await until(
      'it is as we want it',
      () =>
        read().spec.template.spec.containers.length === 1 &&
        read().spec.template.spec.containers[0]?.securityContext?.privileged !== true,
    );
  });
});
