import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS, type RefName } from '../../../src/kernel/index.ts';
import { planName } from '../../../src/pipeline/preview/plans.ts';
import { preview } from '../../../src/pipeline/preview/preview.ts';
import { jobsAfterRemoval } from '../../../src/pipeline/preview-environment/index.ts';
import { isPreview } from '../../../src/pipeline/preview-environment/names.ts';
import { resync } from '../../../src/pipeline/resync.ts';
import type { Job } from '../../../src/ports/index.ts';
import { RUN, SHA, SOURCE } from '../../support/memory.ts';
import { type EnvironmentWorld, environmentWorld } from '../../support/preview-environment.ts';

const JOB: Job = { queue: 'preview', repository: 'github-1', number: 7 };

let world: EnvironmentWorld;

beforeEach(async () => {
  world = await environmentWorld();
});

/** What the custom resources alone ask for. */
async function derived(): Promise<readonly Job[]> {
  world.asked();
  expect((await resync(world.deps)).ok).toBe(true);
  return world.asked().filter(({ queue }) => queue === 'preview' || queue === 'reconcile');
}

async function ready(): Promise<string> {
  await world.look();
  await world.end('succeeded');
  await world.look();
  expect(await derived()).toEqual([]);
  return world.previews()[0]?.name ?? '';
}

describe('the time to live', () => {
  it('ends an environment, says so, and makes none for the same head again', async () => {
    const name = await ready();
    world.later(1.9);
    expect(await derived()).toEqual([]);
    world.later(0.1);
    expect(await derived()).toContainEqual(JOB);
    await world.look();
    expect(world.applications.items.get(name)?.deleting).toBe(true);
    expect(world.environment()).toMatchObject({ state: 'expired', commit: SHA(2) });
    expect(world.told()).toContain('its time has come and it is gone; a new push brings it back');
    expect(await derived()).toEqual([{ queue: 'reconcile', application: name }]);
    await world.takeDown(name);
    await world.look();
    expect(world.previews()).toEqual([]);
    expect(await derived()).toEqual([]);
  });

  it('lets a new push bring it back, once the one before has gone', async () => {
    const name = await ready();
    const { spec: { id } = {} } = world.previews()[0] ?? {};
    world.later(2);
    await world.look();
    world.show(3);
    await world.look();
    expect(world.environment()).toMatchObject({ state: 'deploying', commit: SHA(3), code: 'preview_leaving' });
    expect(world.told()).toContain('is deployed as soon as the one before has gone');
    expect(world.carried()).toHaveLength(1);
    await world.takeDown(name);
    expect(await derived()).toContainEqual(JOB);
    await world.look();
    expect(world.previews()).toHaveLength(1);
    expect(world.previews()[0]?.spec.id).not.toBe(id);
    expect(world.environment()).toMatchObject({ state: 'deploying', commit: SHA(3), revision: 1 });
  });

  it('needs neither the forge nor a source that is not suspended', async () => {
    await ready();
    world.later(2);
    await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, suspended: true } }));
    expect(await derived()).toContainEqual(JOB);
    world.pull = undefined;
    Object.assign(world.deps.pullRequests, {
      read: async () => {
        throw new Error('the forge is away');
      },
    });
    await expect(preview(world.deps, { repository: 'github-1', number: 7 }, RUN)).rejects.toThrow('away');
    expect(world.previews()[0]?.deleting).toBe(true);
    expect(world.environment()).toMatchObject({ state: 'expired' });
  });

  it('of a head that was refused meanwhile says that, and ends what ran all the same', async () => {
    await ready();
    world.show(3, {
      text: 'name = "shop"\n[services.web]\nimage = "registry.example.test/shop:3"\nport = 80\nreplicas = 3\n',
    });
    await world.look();
    expect(world.environment()).toMatchObject({ state: 'refused', commit: SHA(3) });
    expect(world.previews()[0]?.deleting).toBe(false);
    world.later(2);
    expect(await derived()).toContainEqual(JOB);
    await world.look();
    expect(world.previews()[0]?.deleting).toBe(true);
    expect(world.environment()).toMatchObject({ state: 'refused', commit: SHA(3) });
  });
});

describe('an environment goes', () => {
  it('when the request is closed while it is deployed; the plan waits for its end', async () => {
    await world.look();
    const [{ name } = { name: '' }] = world.previews();
    world.show(2, { state: 'closed' });
    await world.look();
    expect(world.applications.items.get(name)?.deleting).toBe(true);
    expect(world.plan()?.status.closed).toBe(true);
    for (const report of world.plan()?.status.reports ?? []) Object.assign(report, { posted: report.desired });
    await world.plans.updateStatus(planName(SOURCE, 7), ({ status }) => ({
      ...status,
      reports: status.reports?.map((report) => ({ ...report, posted: report.desired })),
    }));
    await world.look();
    expect(world.plan()).toBeDefined();
    expect(await derived()).toEqual(expect.arrayContaining([JOB, { queue: 'reconcile', application: name }]));
    await world.takeDown(name);
    await world.look();
    expect(world.plan()).toBeUndefined();
    expect(await derived()).toEqual([]);
  });

  it('when the source wants none any more, and comes back when it does', async () => {
    const name = await ready();
    await world.want(undefined);
    expect(await derived()).toContainEqual(JOB);
    await world.look();
    expect(world.applications.items.get(name)?.deleting).toBe(true);
    expect(world.environment()).toBeUndefined();
    expect(world.told()).not.toContain('Preview environment');
    await world.takeDown(name);
    await world.look();
    expect(await derived()).toEqual([]);
    await world.want(5);
    await world.look();
    expect(world.previews()).toHaveLength(1);
  });

  it('when its source is removed, or added again under the name', async () => {
    const name = await ready();
    const source = world.sources.items.get(SOURCE);
    world.sources.items.delete(SOURCE);
    world.plans.items.clear();
    expect(await derived()).toEqual([JOB]);
    if (source !== undefined) world.sources.items.set(SOURCE, { ...source, uid: 'another' });
    expect(await derived()).toContainEqual(JOB);
    await world.look();
    expect(world.applications.items.get(name)?.deleting).toBe(true);
    const others = world.previews().filter((one) => one.name !== name);
    expect(others).toHaveLength(1);
    expect(others[0]?.spec.preview?.sourceUid).toBe('another');
  });

  it('when the request goes into another branch', async () => {
    await ready();
    world.show(2, { base: 'refs/heads/other' as RefName });
    await world.look();
    expect(world.previews()[0]?.deleting).toBe(true);
  });

  it('when somebody deletes it, and is not made again for that head', async () => {
    const name = await ready();
    world.applications.items.delete(name);
    expect(await derived()).toContainEqual(JOB);
    await world.look();
    expect(world.previews()).toEqual([]);
    expect(world.environment()).toMatchObject({ state: 'removed', commit: SHA(2) });
    expect(world.told()).toContain('it was removed; a new push brings it back');
    expect(await derived()).toEqual([]);
    world.show(3);
    await world.look();
    expect(world.previews()).toHaveLength(1);
  });

  it('and another application, whatever it is named, never does', async () => {
    await ready();
    const others = [...world.applications.items.values()].filter((one) => !isPreview(one));
    world.sources.items.clear();
    world.plans.items.clear();
    await world.look();
    for (const { name } of others) expect(world.applications.items.get(name)?.deleting).toBe(false);
  });
});

describe('a project', () => {
  async function fill(): Promise<void> {
    for (const number of [1, 2, 3]) await world.look(number);
    expect(world.previews()).toHaveLength(LIMITS.previewsPerProject);
  }

  it('has at most three environments, also while one is on its way out; the fourth gets the first place that is free', async () => {
    await fill();
    await world.look(4);
    expect(world.previews()).toHaveLength(3);
    expect(world.environment(4)).toMatchObject({ state: 'limited', code: 'preview_limit', commit: SHA(2) });
    expect(world.told()).toContain('has none, because the project has as many as are allowed');
    const [first] = world.previews();
    await world.want(2);
    await world.applications.delete(first?.name ?? '', first?.uid ?? '');
    await world.look(4);
    expect(world.environment(4)).toMatchObject({ state: 'limited' });
    if (first === undefined || !isPreview(first)) throw new Error('there is none');
    expect(jobsAfterRemoval(world.deps, first)).toContainEqual({ ...JOB, number: 4 });
    await world.takeDown(first.name);
    expect(await derived()).toContainEqual({ ...JOB, number: 4 });
    await world.look(4);
    expect(world.environment(4)).toMatchObject({ state: 'deploying' });
    expect(world.previews()).toHaveLength(3);
  });

  it('gives its last place to one of two that come at once', async () => {
    for (const number of [1, 2]) await world.look(number);
    const { previewsOf } = world.deps.store;
    let tries = 0;
    // Both have counted before either creates, if nothing keeps them from it.
    const meet = async (): Promise<void> => {
      tries += 1;
      for (let turn = 0; turn < 500 && tries < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    Object.assign(world.deps, {
      leases: {
        acquire: async (name: string) => {
          const lease = await world.held.acquire(name);
          if (!lease.ok) tries += 1;
          return lease;
        },
      },
      store: {
        ...world.deps.store,
        previewsOf: async (project: string) => {
          const there = await previewsOf(project);
          await meet();
          return there;
        },
      },
    });
    const looks = [3, 4].map((number) => preview(world.deps, { repository: 'github-1', number }, RUN));
    const [one, other] = await Promise.all(looks);
    expect([one?.ok, other?.ok].sort()).toEqual([false, true]);
    const waiting = one?.ok === false ? one.problem : other?.ok === false ? other.problem : undefined;
    expect(waiting).toMatchObject({ kind: 'waiting', code: 'lease_held' });
    expect(world.previews()).toHaveLength(3);
    // Whoever waits has planned its head all the same.
    expect([3, 4].map((number) => world.plan(number)?.status.outcome)).toEqual(['planned', 'planned']);
    for (const number of [3, 4]) await world.look(number);
    expect(world.previews()).toHaveLength(3);
    expect([3, 4].map((number) => world.environment(number)?.state).sort()).toEqual(['deploying', 'limited']);
  });
});
