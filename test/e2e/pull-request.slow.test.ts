import { afterEach, describe, expect, it } from 'vitest';
import { type Child, startChild } from '../support/child.ts';
import {
  commentWith,
  ownComments,
  type PullWorld,
  planStatuses,
  planStatusOf,
  startPullWorld,
} from '../support/pull-request.ts';
import { until, type World } from '../support/world.ts';

let world: PullWorld;
afterEach(() => world.stop());

const QUICK = { HAKOPOD_LEASE_SECONDS: '2', HAKOPOD_ROLES: 'worker', HAKOPOD_PULL_REQUESTS_CHECK_SECONDS: '600' };

/** Lets the worker die at its n-th write: to the plan, or to the forge. */
function killAt(last: number, worker: Child): { readonly killed: () => Promise<void> | undefined } {
  let seen = 0;
  let killed: Promise<void> | undefined;
  const count = (): void => {
    seen += 1;
    if (seen === last) killed = worker.kill('SIGKILL');
  };
  world.cluster.fault((request) => {
    if (request.resource === 'plans' && (request.verb === 'create' || request.verb === 'update')) count();
    return undefined;
  });
  world.forge.onRequest((method) => {
    if (method === 'POST' || method === 'PATCH') count();
    return undefined;
  });
  return { killed: () => killed };
}

describe('kill -9 of the worker in the middle of a pull request', () => {
  it('is followed by one final status, one comment and nothing said twice', async () => {
    let worker: Child | undefined;
    const start = async (into: World): Promise<void> => {
      worker = await startChild(into, 'worker', QUICK);
    };
    world = await startPullWorld({ startWorker: start });
    const heads: string[] = [];
    // Writes of a first head: the plan, its finding, the comment, its record, the intent of the status, the status and its record.
    for (const last of [1, 2, 3, 4, 5, 6]) {
      const head = await world.show({ text: world.file(last) });
      heads.push(head);
      const deadly = killAt(last, worker as Child);
      await world.deliverPull(head, last === 1 ? 'opened' : 'synchronize');
      await until(`the worker is killed at write ${last}`, () => deadly.killed() !== undefined);
      await deadly.killed();
      world.cluster.fault(undefined);
      world.forge.onRequest(undefined);
      await start(world);
      await planStatusOf(world, head, 60_000);
      await commentWith(world, head, 60_000);
    }
    await world.quiet();
    for (const head of heads) expect(planStatuses(world, head)).toMatchObject([{ state: 'success' }]);
    expect(ownComments(world)).toHaveLength(1);
    const texts = world.forge.commentWrites().map(({ body }) => body);
    expect(texts).toHaveLength(heads.length);
  }, 300_000);
});

describe('a forge whose webhooks are all lost', () => {
  it('is still seen to open, push and close a pull request', async () => {
    world = await startPullWorld({ checkSeconds: 2 });
    const first = await world.show({ text: world.file(1) });
    await planStatusOf(world, first, 40_000);
    await commentWith(world, first, 40_000);
    const second = await world.show({ text: world.file(2) });
    await planStatusOf(world, second, 40_000);
    await commentWith(world, second, 40_000);
    world.forge.putPull({ ...world.pull(second), state: 'merged' });
    await until('the plan is gone', () => world.store.plans.all().length === 0, 40_000);
    for (const head of [first, second]) expect(planStatuses(world, head)).toHaveLength(1);
    expect(ownComments(world)).toHaveLength(1);
  }, 180_000);
});
