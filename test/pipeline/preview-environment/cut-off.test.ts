import { describe, expect, it } from 'vitest';
import { fail, problem, type Result } from '../../../src/kernel/index.ts';
import { preview } from '../../../src/pipeline/preview/preview.ts';
import { resync } from '../../../src/pipeline/resync.ts';
import type { Job } from '../../../src/ports/index.ts';
import { RUN, SHA } from '../../support/memory.ts';
import { type EnvironmentWorld, environmentWorld } from '../../support/preview-environment.ts';

type Call = (...input: readonly never[]) => Promise<Result<unknown>>;
const WRITES = ['create', 'update', 'updateStatus', 'delete', 'add', 'addAll', 'addImported', 'upsert'];

/** Lets the `n`th write fail, before or after it was done, like a worker that is killed there. Answers how many were counted. */
function cutAt(world: EnvironmentWorld, n: number, moment: 'before' | 'after'): () => number {
  let count = 0;
  const { store, jobs, secrets, comments } = world.deps;
  const parts = [store.applications, store.releases, store.plans, store.sources, jobs, secrets, comments] as unknown[];
  for (const part of parts as Record<string, Call>[])
    for (const name of WRITES) {
      const call = part[name];
      if (call === undefined) continue;
      part[name] = async (...input) => {
        count += 1;
        if (count !== n) return call(...input);
        if (moment === 'after') await call(...input);
        return fail(problem('cluster_unavailable'));
      };
    }
  return () => count;
}

/** Redis is lost, too: only what the custom resources and the forge's next delivery say goes on. */
async function goOn(world: EnvironmentWorld): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    // Whoever held the comment is gone by then.
    world.later(0.01);
    world.asked();
    await resync(world.deps);
    const jobs = world.asked();
    for (const job of jobs.filter((one): one is Job & { queue: 'reconcile' } => one.queue === 'reconcile')) {
      const application = world.applications.items.get(job.application);
      if (application?.spec.preview === undefined) continue;
      if (application.deleting) await world.takeDown(application.name);
      else await world.end('succeeded');
    }
    for (const job of jobs) if (job.queue === 'report') await posted(world, job);
    // The forge is asked for its open requests now and then; a request without a plan is looked at then.
    if (round === 0 || jobs.some(({ queue }) => queue === 'preview')) await world.look();
  }
}

async function posted(world: EnvironmentWorld, job: Job): Promise<void> {
  if (!('plan' in job)) return;
  await world.plans.updateStatus(job.plan, ({ status }) => ({
    ...status,
    reports: status.reports?.map((report) => ({ ...report, posted: report.desired })),
  }));
}

const STORIES = {
  'its beginning': async (_world: EnvironmentWorld) => undefined,
  'a new head': async (world: EnvironmentWorld) => {
    await world.look();
    await goOn(world);
    world.show(3);
  },
  'its expiry': async (world: EnvironmentWorld) => {
    await world.look();
    await goOn(world);
    world.later(3);
  },
  'the end of the request': async (world: EnvironmentWorld) => {
    await world.look();
    await goOn(world);
    world.show(2, { state: 'closed' });
  },
} satisfies Record<string, (world: EnvironmentWorld) => Promise<unknown>>;

/** What must be so in the end, without what depends on how often something was tried. */
function outcome(world: EnvironmentWorld): unknown {
  return {
    applications: world.previews().map(({ name, deleting, status }) => ({ name, deleting, phase: status.phase })),
    commits: world.carried().map(({ spec }) => spec.origin.commit),
    environment: { ...world.environment(), expiresAt: undefined },
    comment: world.plan()?.status.comment?.id === undefined ? undefined : world.told().replace(/ at \d\d:\d\d UTC/, ''),
    plan: world.plan()?.status.outcome,
  };
}

describe.each(Object.entries(STORIES))('a worker that is killed at any write of %s', (_name, begin) => {
  it.each(['before', 'after'] as const)('comes to the same end (%s the write)', async (moment) => {
    const whole = await environmentWorld();
    await begin(whole);
    const writes = cutAt(whole, 0, moment);
    await whole.look();
    const steps = writes();
    expect(steps).toBeGreaterThan(2);
    await goOn(whole);
    const wanted = outcome(whole);
    for (let n = 1; n <= steps; n += 1) {
      const world = await environmentWorld();
      await begin(world);
      cutAt(world, n, moment);
      await preview(world.deps, { repository: 'github-1', number: 7 }, RUN);
      await goOn(world);
      expect(outcome(world), `write ${n}`).toEqual(wanted);
    }
  });
});

it('the stories end where they should', async () => {
  const ends = await Promise.all(
    Object.values(STORIES).map(async (begin) => {
      const world = await environmentWorld();
      await begin(world);
      await world.look();
      await goOn(world);
      return [world.environment()?.state, world.environment()?.commit, world.previews().length] as const;
    }),
  );
  expect(ends).toEqual([
    ['ready', SHA(2), 1],
    ['ready', SHA(3), 1],
    ['expired', SHA(2), 0],
    [undefined, undefined, 0],
  ]);
});
