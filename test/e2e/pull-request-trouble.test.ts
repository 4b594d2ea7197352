import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import {
  commentWith,
  MARKER,
  NUMBER,
  ownComments,
  type PullWorld,
  planStatuses,
  planStatusOf,
  planWhen,
  startPullWorld,
} from '../support/pull-request.ts';
import { until } from '../support/world.ts';

let world: PullWorld;
afterEach(() => world.stop());

const SOMEBODY = 77;

describe('the comment of a pull request', () => {
  it('of somebody else with our marker is never touched', async () => {
    world = await startPullWorld();
    const head = await world.show({});
    const forged = world.forge.addComment({
      ...{ forge: 'github', project: 'acme/shop', number: NUMBER, author: SOMEBODY },
      body: `${MARKER}\nall is well, merge me`,
    });
    await world.deliverPull(head, 'opened');
    const ours = await commentWith(world, head);
    expect(ours.id).not.toBe(forged.id);
    expect(world.forge.comments().find((comment) => comment.id === forged.id)).toEqual(forged);
  });

  it('is found again by its marker when its id was lost, and not beside another of ours', async () => {
    world = await startPullWorld();
    const other = world.forge.addComment({
      ...{ forge: 'github', project: 'acme/shop', number: NUMBER, author: 1001 },
      body: 'something else this user said',
    });
    for (let n = 0; n < 35; n += 1)
      world.forge.addComment({
        ...{ forge: 'github', project: 'acme/shop', number: NUMBER, author: SOMEBODY },
        body: 'hm',
      });
    const mine = world.forge.addComment({
      ...{ forge: 'github', project: 'acme/shop', number: NUMBER, author: 1001 },
      body: `${MARKER}\nan older plan`,
    });
    const head = await world.show({});
    await world.deliverPull(head, 'opened');
    expect((await commentWith(world, head)).id).toBe(mine.id);
    expect(world.forge.comments().find((comment) => comment.id === other.id)).toEqual(other);
  });

  it('that a person deleted is written again with the next head', async () => {
    world = await startPullWorld();
    const first = await world.show({});
    await world.deliverPull(first, 'opened');
    const gone = await commentWith(world, first);
    await world.quiet();
    world.forge.removeComment(gone.id);
    const second = await world.show({ text: world.file(2) });
    await world.deliverPull(second);
    expect((await commentWith(world, second)).id).not.toBe(gone.id);
    expect(ownComments(world)).toHaveLength(1);
  });

  it('is written once when the forge breaks off after writing it', async () => {
    world = await startPullWorld();
    const head = await world.show({});
    let isArmed = true;
    world.forge.onRequest((method, path) => {
      if (!isArmed || method !== 'POST' || !path.endsWith(`/issues/${NUMBER}/comments`)) return undefined;
      isArmed = false;
      return 'lost';
    });
    await world.deliverPull(head, 'opened');
    await planWhen(world, ({ comment }) => comment?.id !== undefined);
    expect(isArmed).toBe(false);
    expect(ownComments(world)).toHaveLength(1);
    expect(world.forge.commentWrites()).toHaveLength(1);
  });

  it('that the forge refuses costs the status nothing and is not tried for ever', async () => {
    world = await startPullWorld();
    world.forge.onRequest((_method, path) => (path.includes('/issues/') ? 403 : undefined));
    const head = await world.show({});
    await world.deliverPull(head, 'opened');
    expect(await planStatusOf(world, head)).toMatchObject({ state: 'success' });
    const plan = await planWhen(world, ({ comment }) => comment?.undeliverable !== undefined);
    expect(plan.status.comment?.undeliverable).toBe('forge_unauthorized');
    await world.quiet();
    expect(ownComments(world)).toEqual([]);
  });
});

describe('a pull request', () => {
  it('survives a Redis that was emptied before anything was done', async () => {
    world = await startPullWorld();
    world.forge.onRequest((_method, path) => (path.includes('/pulls/') ? 503 : undefined));
    const head = await world.show({});
    await world.deliverPull(head, 'opened');
    const client = new Redis(world.redis.url);
    await client.flushall();
    client.disconnect();
    world.forge.onRequest(undefined);
    // Nothing but the forge's own list knows of it now; the next look at that is made due.
    await world.store.repositories.updateStatus('github-4711', ({ status }) => ({
      ...status,
      pullRequestsAt: undefined,
    }));
    expect(await planStatusOf(world, head, 15_000)).toMatchObject({ state: 'success' });
    await commentWith(world, head);
    expect(planStatuses(world, head)).toHaveLength(1);
  });

  it('survives a Redis that was emptied while its words were not posted yet', async () => {
    world = await startPullWorld();
    world.forge.onRequest((method) => (method === 'POST' ? 503 : undefined));
    const head = await world.show({});
    await world.deliverPull(head, 'opened');
    await planWhen(world, ({ outcome }) => outcome === 'planned');
    const client = new Redis(world.redis.url);
    await client.flushall();
    client.disconnect();
    world.forge.onRequest(undefined);
    expect(await planStatusOf(world, head, 15_000)).toMatchObject({ state: 'success' });
    await commentWith(world, head, 15_000);
    await world.quiet();
    expect(planStatuses(world, head)).toHaveLength(1);
    expect(ownComments(world)).toHaveLength(1);
  });

  it('whose head the forge knows before the Git server is planned at what the Git server shows, then again', async () => {
    world = await startPullWorld();
    const first = await world.show({ text: world.file(1) });
    const second = await world.show({ text: world.file(2), onto: first });
    await world.moveHead(first);
    await world.deliverPull(second, 'opened');
    await commentWith(world, first);
    await world.moveHead(second);
    await commentWith(world, second);
    await planStatusOf(world, second);
    expect(planStatuses(world, first).length).toBeLessThanOrEqual(1);
    expect(planStatuses(world, second)).toMatchObject([{ state: 'success' }]);
  });

  it('that wants to be merged elsewhere now has no plan here any more, and is cancelled once', async () => {
    world = await startPullWorld();
    const head = await world.show({});
    await world.deliverPull(head, 'opened');
    await commentWith(world, head);
    world.forge.putPull({ ...world.pull(head), base: 'next' });
    await world.deliverPull(head);
    await until('the plan is gone', () => world.store.plans.all().length === 0);
    expect(planStatuses(world, head)).toHaveLength(1);
  });

  it('is planned anew when the grant is another one', async () => {
    world = await startPullWorld();
    const head = await world.show({});
    await world.deliverPull(head, 'opened');
    await commentWith(world, 'under revision 1 of the deploy grant');
    await world.store.sources.update('acme.production.shop', ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, limits: { services: 1 }, revision: 2 } },
    }));
    expect((await commentWith(world, 'under revision 2 of the deploy grant')).body).toContain(
      'the grant allows 1 services',
    );
    await until('the head fails now', () => planStatuses(world, head).at(-1)?.state === 'failure');
  });

  it('of a source that plans none, or is removed, leaves no plan behind', async () => {
    world = await startPullWorld();
    const head = await world.show({});
    await world.deliverPull(head, 'opened');
    await commentWith(world, head);
    await world.store.sources.update('acme.production.shop', ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, pullRequests: 'none', revision: 2 } },
    }));
    await until('the plan is gone', () => world.store.plans.all().length === 0);
    await world.store.sources.update('acme.production.shop', ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, pullRequests: 'plan', revision: 3 } },
    }));
    await world.deliverPull(head);
    await planWhen(world, ({ comment }) => comment?.id !== undefined);
    const removed = await world.cli(['sources', 'remove', 'acme/production/shop']);
    expect(removed.code, removed.out).toBe(0);
    await until('the plan is gone again', () => world.store.plans.all().length === 0, 30_000);
    await until('the source is gone', () => world.store.sources.all().length === 0, 30_000);
    expect(planStatuses(world, head)).toHaveLength(1);
    expect(ownComments(world)).toHaveLength(1);
  }, 90_000);
});
