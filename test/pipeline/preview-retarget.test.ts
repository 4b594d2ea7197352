import { beforeEach, describe, expect, it } from 'vitest';
import { fail, ok, problem, type RefName, type RepoPath } from '../../src/kernel/index.ts';
import { planName } from '../../src/pipeline/preview/plans.ts';
import { preview } from '../../src/pipeline/preview/preview.ts';
import { sweepRequests } from '../../src/pipeline/preview/sweep.ts';
import { report } from '../../src/pipeline/report.ts';
import type { GitRepository, Job, PullRequest } from '../../src/ports/index.ts';
import { addSource, file, MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE } from '../support/memory.ts';

const JOB = { repository: 'github-1', number: 7 };
const PREVIEW: Job = { queue: 'preview', ...JOB };
const NEXT = 'refs/heads/next' as RefName;
const OTHER = 'acme.production.site';

let world: Memory;

/** The shop is released from main and the site from next; both from the file the request changes. */
beforeEach(async () => {
  world = await memory();
  Object.assign(world.deps, {
    credentials: { ...world.deps.credentials, forRepository: async () => ok({ username: 'x', token: 'y' }) },
  });
  await world.repositories.update('github-1', ({ spec }) => ({ spec: { ...spec, credentialsSecret: 'c' } }));
  await addSource(world, 'site');
  await world.sources.update(OTHER, ({ spec }) => ({
    spec: { ...spec, ref: NEXT, grant: { ...spec.grant, refs: [NEXT] } },
  }));
  world.changed = new Set(['hakopod.toml' as RepoPath]);
  show(MAIN);
});

function show(base: RefName, changes: Partial<PullRequest> = {}): void {
  world.pullHead = SHA(2);
  world.files.set(SHA(2), file('registry.example.test/shop:2').replace('shop"', base === MAIN ? 'shop"' : 'site"'));
  world.pull = {
    ...{ number: 7, state: 'open', head: SHA(2), ref: PULL, base, fork: false, draft: false, mergeBase: SHA(1) },
    ...{ branch: 'refs/heads/change' as RefName, updatedAt: world.now.toISOString() },
    ...changes,
  };
}

async function run(): Promise<void> {
  expect(await preview(world.deps, JOB, RUN)).toEqual(ok(undefined));
}

/** Posts everything that is owed. */
async function post(): Promise<void> {
  while (world.jobs.length > 0) {
    for (const job of world.jobs.splice(0)) {
      if (job.queue === 'report') await report(world.deps, job);
      if (job.queue === 'preview') await run();
    }
  }
}

function posted(): readonly string[] {
  return world.posted.map(({ commit, context, outcome, description }) =>
    [Number.parseInt(commit, 16), context.slice(context.lastIndexOf('/') + 1), outcome, description].join(' '),
  );
}

describe('a request that goes into another branch', () => {
  it('is planned for that one, and the comment of the other says that it applies no more', async () => {
    world.mentions = [{ commit: SHA(9), at: '2026-01-01T00:00:00Z' }];
    await run();
    await post();
    show(NEXT);
    world.mentions = [{ commit: SHA(8), at: '2026-01-01T00:00:00Z' }];
    await run();
    await post();
    expect([...world.plans.items.keys()]).toEqual([planName(OTHER, 7)]);
    expect(world.plans.items.get(planName(OTHER, 7))?.status).toMatchObject({
      outcome: 'planned',
      base: { ref: NEXT },
    });
    // Every head has one last word in each context, and those that have one keep it.
    expect(posted()).toEqual([
      `9 shop superseded superseded by ${SHA(2).slice(0, 7)}`,
      '2 shop success plan: 1 service to add',
      '8 shop cancelled cancelled: the request goes into another branch now',
      `8 site superseded superseded by ${SHA(2).slice(0, 7)}`,
      '2 site success plan: 1 service to add',
    ]);
    expect(world.comments.map(({ body }) => body.split('\n').slice(0, 2).join(' '))).toEqual([
      '<!-- hakopod:plan:acme/production/shop --> ### Plan of acme/production/shop: 1 service to add',
      '<!-- hakopod:plan:acme/production/shop --> ### Plan of acme/production/shop: the request goes into another branch now',
      '<!-- hakopod:plan:acme/production/site --> ### Plan of acme/production/site: 1 service to add',
    ]);
    expect(world.comments[1]?.known).toBe('1');
  });

  it('and back is planned once more under the same marker', async () => {
    await run();
    await post();
    show(NEXT);
    await run();
    await post();
    show(MAIN);
    await run();
    await post();
    expect([...world.plans.items.keys()]).toEqual([planName(SOURCE, 7)]);
    expect(world.comments.at(-1)?.marker).toBe('<!-- hakopod:plan:acme/production/shop -->');
    expect(world.comments.at(-1)?.body).toContain('1 service to add');
    expect(posted()).toEqual(['2 shop success plan: 1 service to add', '2 site success plan: 1 service to add']);
  });

  it('that no source is bound to keeps no plan, says it once, and is tried again while the forge is away', async () => {
    await run();
    await post();
    show('refs/heads/elsewhere' as RefName);
    world.commentAnswers.push(fail(problem('forge_unavailable')));
    expect(await preview(world.deps, JOB, RUN)).toMatchObject({ problem: { code: 'forge_unavailable' } });
    expect(world.plans.items.size).toBe(1);
    await run();
    expect(world.plans.items.size).toBe(0);
    await run();
    expect(world.comments).toHaveLength(2);
  });

  it('is closed even when the forge refuses the comment', async () => {
    await run();
    await post();
    show(NEXT);
    world.commentAnswers.push(fail(problem('forge_unauthorized')));
    await run();
    expect([...world.plans.items.keys()]).toEqual([planName(OTHER, 7)]);
  });
});

describe('the list of open requests', () => {
  const repository = (): GitRepository => world.repositories.items.get('github-1') as GitRepository;
  const listed = (base: RefName, draft = false): Memory['open'] => ({
    ...{ requests: [{ number: 7, head: SHA(2), base, draft }], complete: true },
  });

  it.each([
    ['another base', listed(NEXT)],
    ['a base that no source is bound to', listed('refs/heads/elsewhere' as RefName)],
    ['a draft', listed(MAIN, true)],
  ])('finds a request that has %s by now', async (_what, open) => {
    await run();
    world.open = listed(MAIN);
    expect(await sweepRequests(world.deps, repository())).toEqual(ok([]));
    world.now = new Date(world.now.getTime() + 600_000);
    world.open = open;
    expect(await sweepRequests(world.deps, repository())).toEqual(ok([PREVIEW]));
  });
});
