import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shopFile } from '../../src/demo/shop.ts';
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
let before: string;

beforeEach(async () => {
  world = await startPullWorld();
  before = everythingReleased();
});
// Whatever a pull request does, nothing that runs and no release or build may come of it.
afterEach(async () => {
  const after = everythingReleased();
  await world.stop();
  expect(after).toBe(before);
});

/** Everything in the cluster that a release could touch, as one text. */
function everythingReleased(): string {
  return JSON.stringify(
    world.cluster
      .objects()
      .filter(
        ({ kind, metadata }) => metadata.namespace?.startsWith('hp-') || kind === 'Release' || kind === 'BuildRun',
      ),
  );
}

/** Watches which Secrets are read from now on. */
function watchSecrets(): { readonly names: string[] } {
  const names: string[] = [];
  world.cluster.fault((request) => {
    if (request.resource === 'secrets') names.push(`${request.verb} ${request.name ?? '*'}`);
    return undefined;
  });
  return { names };
}

describe('a pull request', () => {
  it('gets a plan as one comment and one status', async () => {
    const head = await world.show({ text: world.file(1) });
    expect(await world.deliverPull(head, 'opened')).toBe(202);
    expect(await planStatusOf(world, head)).toMatchObject({
      state: 'success',
      description: 'plan: 1 service to change',
    });
    const comment = await commentWith(world, head);
    expect(comment.body.startsWith(MARKER)).toBe(true);
    expect(comment.body).toContain('BUILD_NUMBER');
    expect(comment.body).toContain('compared with revision 1');
    expect(comment.body).toContain('db-password');
    const plan = await planWhen(world, ({ comment: written }) => written?.id !== undefined);
    expect(plan.status).toMatchObject({ head, outcome: 'planned', grantRevision: 1, revision: 1, fork: false });
    expect(plan.spec).toMatchObject({ number: NUMBER, source: 'acme.production.shop' });
    expect(planStatuses(world, head)).toHaveLength(1);
    expect(ownComments(world)).toHaveLength(1);
  });

  it('pushed three times quickly ends with one comment, the last plan and one final status per head', async () => {
    const heads: string[] = [];
    for (const build of [1, 2, 3]) heads.push(await world.show({ text: world.file(build) }));
    const [first = '', second = '', last = ''] = heads;
    // Shuffled and doubled, as forges deliver on a bad day.
    const answers = [third(last), third(first), third(second), third(first), third(last)];
    expect(new Set(await Promise.all(answers))).toEqual(new Set([202]));
    for (const head of heads) await planStatusOf(world, head);
    await commentWith(world, last);
    expect(planStatuses(world, last)).toMatchObject([{ state: 'success', description: 'plan: 1 service to change' }]);
    for (const head of [first, second])
      expect(planStatuses(world, head)).toMatchObject([
        { state: 'error', description: `superseded by ${last.slice(0, 7)}` },
      ]);
    expect(ownComments(world)).toHaveLength(1);

    function third(head: string): Promise<number> {
      return world.deliverPull(head, 'synchronize', `delivery-${head}`);
    }
  });

  it('pushed again after its plan keeps the comment and leaves the old head its word', async () => {
    const first = await world.show({ text: world.file(1) });
    await world.deliverPull(first, 'opened');
    await commentWith(world, first);
    await planStatusOf(world, first);
    const second = await world.show({ text: world.file(2), onto: first });
    await world.deliverPull(second);
    const comment = await commentWith(world, second);
    await planStatusOf(world, second);
    expect(comment.body).not.toContain(first);
    expect(ownComments(world)).toHaveLength(1);
    expect(planStatuses(world, first)).toHaveLength(1);
  });

  it('of a fork is planned the same from the base repository, and no application secret is looked at', async () => {
    const { names } = watchSecrets();
    const head = await world.show({ text: world.file(4), fork: true });
    await world.deliverPull(head, 'opened');
    expect(await planStatusOf(world, head)).toMatchObject({ state: 'success', project: 'acme/shop' });
    const { body } = await commentWith(world, head);
    expect(body).toContain('- db-password');
    expect(body).not.toContain('missing');
    // The repository's own credentials open the forge and the base repository; nothing else was asked for, not even a list.
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => name !== 'get github-4711-credentials')).toEqual([]);
    expect(world.store.plans.all()[0]?.status.fork).toBe(true);
  });

  it('tells a branch of the repository which secrets are missing, and a fork only what is required', async () => {
    const text = world.file(1).replaceAll('db-password', 'no-such-secret');
    const own = await world.show({ text });
    await world.deliverPull(own, 'opened');
    expect((await commentWith(world, own)).body).toContain('no-such-secret (missing)');
    const forked = await world.show({ text: `${text}\n# again\n`, fork: true });
    await world.deliverPull(forked);
    const { body } = await commentWith(world, forked);
    expect(body).toContain('no-such-secret');
    expect(body).not.toContain('missing');
  });

  it('that breaks the file fails with line and column, in the status and the comment', async () => {
    const text = world.file(1).replace('port = 8080', 'port = "eighty"');
    const line = text.split('\n').findIndex((content) => content.includes('eighty')) + 1;
    const head = await world.show({ text });
    await world.deliverPull(head, 'opened');
    const status = await planStatusOf(world, head);
    expect(status.state).toBe('failure');
    expect(status.description).toContain(`services.api.port (line ${line}, column 1)`);
    expect((await commentWith(world, head)).body).toContain(`line ${line}, column 1`);

    const mended = await world.show({ text: world.file(2), onto: head });
    await world.deliverPull(mended);
    expect(await planStatusOf(world, mended)).toMatchObject({ state: 'success' });
    expect((await commentWith(world, mended)).body).not.toContain('refused');
    expect(ownComments(world)).toHaveLength(1);
  });

  it('that is no TOML, or has no file any more, is refused', async () => {
    const broken = await world.show({ text: 'name = "shop\n' });
    await world.deliverPull(broken, 'opened');
    const status = await planStatusOf(world, broken);
    expect(status.state).toBe('failure');
    expect(status.description).toContain('line 1');
    const removed = await world.show({ text: undefined });
    await world.deliverPull(removed);
    expect(await planStatusOf(world, removed)).toMatchObject({
      state: 'failure',
      description: 'refused: the file does not exist at this commit',
    });
  });

  it('that patches Kubernetes objects is refused and names the field', async () => {
    const head = await world.show({ text: shopFile({ registry: world.registry.host, build: 0, patch: true }) });
    await world.deliverPull(head, 'opened');
    const status = await planStatusOf(world, head);
    expect(status.state).toBe('failure');
    expect(status.description).toContain('services.api.kubernetes');
    expect((await commentWith(world, head)).body).toContain('services.api.kubernetes');
  });

  it('that leaves the file alone gets a success for required checks, and no comment', async () => {
    const head = await world.show({ path: 'notes.txt', text: 'nothing of interest\n' });
    await world.deliverPull(head, 'opened');
    expect(await planStatusOf(world, head)).toMatchObject({
      state: 'success',
      description: 'nothing touched: hakopod.toml is as it was',
    });
    expect(world.forge.comments()).toEqual([]);
  });

  it('is told what its own change is, not what main did meanwhile', async () => {
    const main = await world.tree.push('hakopod.toml', `${world.file(0)}\n# main went on\n`, 'main goes on');
    expect(main).not.toBe(world.main);
    const head = await world.show({ path: 'notes.txt', text: 'still nothing\n' });
    await world.deliverPull(head, 'opened');
    expect((await planStatusOf(world, head)).description).toContain('nothing touched');
  });

  it('closed: its plan goes, its comment and its words stay', async () => {
    const head = await world.show({ text: world.file(1) });
    await world.deliverPull(head, 'opened');
    await commentWith(world, head);
    await planStatusOf(world, head);
    world.forge.putPull({ ...world.pull(head), state: 'closed' });
    await world.deliverPull(head, 'closed');
    await until('the plan is gone', () => world.store.plans.all().length === 0);
    // A delivery that was late speaks of a head that has its word already.
    await world.deliverPull(head, 'synchronize', 'a-late-delivery');
    await world.quiet();
    expect(planStatuses(world, head)).toHaveLength(1);
    expect(ownComments(world)).toHaveLength(1);
    expect(world.store.plans.all()).toEqual([]);
  });

  it('closed before anybody looked: every head that was mentioned is told so, once', async () => {
    const first = await world.show({ text: world.file(1) });
    const second = await world.show({ text: world.file(2), state: 'closed' });
    await Promise.all([world.deliverPull(second, 'closed'), world.deliverPull(first, 'opened')]);
    for (const head of [first, second]) {
      await planStatusOf(world, head);
      expect(planStatuses(world, head)).toMatchObject([
        { state: 'error', description: 'cancelled: the pull request is closed' },
      ]);
    }
    await until('the plan is gone', () => world.store.plans.all().length === 0);
    expect(world.forge.comments()).toEqual([]);
  });

  it('opened again with the same head says nothing twice and has its plan back', async () => {
    const head = await world.show({ text: world.file(1) });
    await world.deliverPull(head, 'opened');
    await commentWith(world, head);
    await planStatusOf(world, head);
    world.forge.putPull({ ...world.pull(head), state: 'closed' });
    await world.deliverPull(head, 'closed');
    await until('the plan is gone', () => world.store.plans.all().length === 0);
    world.forge.putPull(world.pull(head));
    await world.deliverPull(head, 'reopened');
    const plan = await planWhen(
      world,
      ({ reports = [], comment }) => reports.some((report) => report.posted !== undefined) && comment?.id !== undefined,
    );
    expect(plan.status.head).toBe(head);
    expect(planStatuses(world, head)).toHaveLength(1);
    expect(world.forge.commentWrites()).toHaveLength(1);
  });
});
