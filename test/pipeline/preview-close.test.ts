import { beforeEach, describe, expect, it } from 'vitest';
import { fail, ok, problem, type RefName, type RepoPath } from '../../src/kernel/index.ts';
import { poll } from '../../src/pipeline/poll.ts';
import { planName } from '../../src/pipeline/preview/plans.ts';
import { preview } from '../../src/pipeline/preview/preview.ts';
import { sweepRequests } from '../../src/pipeline/preview/sweep.ts';
import { report } from '../../src/pipeline/report.ts';
import { resync } from '../../src/pipeline/resync.ts';
import type { GitRepository, Job, PullRequest } from '../../src/ports/index.ts';
import { file, MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE } from '../support/memory.ts';

const JOB = { repository: 'github-1', number: 7 };
const NAME = planName(SOURCE, 7);
const PREVIEW: Job = { queue: 'preview', ...JOB };

let world: Memory;

beforeEach(async () => {
  world = await memory();
  world.changed = new Set(['hakopod.toml' as RepoPath]);
  Object.assign(world.deps, {
    credentials: { ...world.deps.credentials, forRepository: async () => ok({ username: 'x', token: 'y' }) },
  });
  await world.repositories.update('github-1', ({ spec }) => ({ spec: { ...spec, credentialsSecret: 'c' } }));
  show(2);
});

function show(n: number, changes: Partial<PullRequest> = {}): void {
  world.pullHead = SHA(n);
  world.files.set(SHA(n), file(`registry.example.test/shop:${n}`));
  world.pull = {
    ...{ number: 7, state: 'open', head: SHA(n), ref: PULL, base: MAIN, fork: false, draft: false },
    ...{ mergeBase: SHA(1), branch: 'refs/heads/change' as RefName, updatedAt: world.now.toISOString() },
    ...changes,
  };
}

function run(): ReturnType<typeof preview> {
  return preview(world.deps, JOB, RUN);
}

/** Posts everything the plan owes. */
async function post(): Promise<void> {
  for (const job of world.jobs.splice(0)) if (job.queue === 'report') await report(world.deps, job);
}

function repository(): GitRepository {
  return world.repositories.items.get('github-1') as GitRepository;
}

function posted(): readonly string[] {
  return world.posted.map(({ commit, outcome }) => `${Number.parseInt(commit, 16)} ${outcome}`);
}

describe('a closed request', () => {
  it('takes its plan along at once when all is said', async () => {
    await run();
    await post();
    show(2, { state: 'closed' });
    world.mentions = [{ commit: SHA(2), at: world.now.toISOString() }];
    expect(await run()).toEqual(ok(undefined));
    expect(world.plans.items.size).toBe(0);
    expect(world.mentions).toEqual([]);
    expect(posted()).toEqual(['2 success']);
  });

  it('keeps its plan until the forge heard its last words', async () => {
    world.mentions = [{ commit: SHA(9), at: world.now.toISOString() }];
    await run();
    show(2, { state: 'closed' });
    await run();
    expect(world.plans.items.get(NAME)?.status.closed).toBe(true);
    await post();
    expect(posted()).toEqual(['2 success', '9 cancelled']);
    // The last report asks for the request once more, and then the plan goes.
    expect(world.jobs).toContainEqual(PREVIEW);
    await run();
    expect(world.plans.items.size).toBe(0);
  });

  it('that was never planned answers for the heads that were mentioned, once', async () => {
    show(2, { state: 'closed' });
    const mentions = [
      { commit: SHA(2), at: world.now.toISOString() },
      { commit: SHA(3), at: world.now.toISOString() },
    ];
    world.mentions = mentions;
    await run();
    await post();
    await run();
    expect(posted()).toEqual(['2 cancelled', '3 cancelled']);
    expect(world.plans.items.size).toBe(0);
    world.mentions = mentions;
    await run();
    await post();
    expect(posted()).toEqual(['2 cancelled', '3 cancelled']);
  });

  it('that the forge does not know any more is closed too', async () => {
    await run();
    await post();
    world.pull = undefined;
    await run();
    expect(world.plans.items.size).toBe(0);
  });

  it('is left alone while the forge does not answer', async () => {
    await run();
    const read = async () => fail(problem('forge_unavailable'));
    const deps = { ...world.deps, pullRequests: { ...world.deps.pullRequests, read } };
    expect(await preview(deps, JOB, RUN)).toMatchObject({ problem: { code: 'forge_unavailable' } });
    expect(world.plans.items.get(NAME)?.status.closed).toBeUndefined();
  });

  it('needs no forge when its source was removed', async () => {
    await run();
    await post();
    await world.sources.delete(SOURCE, 'uid');
    const read = async () => fail(problem('forge_unauthorized'));
    const deps = { ...world.deps, pullRequests: { ...world.deps.pullRequests, read } };
    await preview(deps, JOB, RUN);
    expect(world.plans.items.size).toBe(0);
    expect(world.jobs).toContainEqual({ queue: 'plan', source: SOURCE });
  });
});

describe('what finds a request without a delivery', () => {
  it('is the poll, for a head that moved', async () => {
    world.open = { requests: [{ number: 7, draft: false, head: SHA(2), base: MAIN }], complete: true };
    await run();
    await poll(world.deps, { repository: 'github-1' }, RUN);
    expect(world.jobs).not.toContainEqual(PREVIEW);
    world.pullHead = SHA(3);
    await poll(world.deps, { repository: 'github-1' }, RUN);
    expect(world.jobs).toContainEqual(PREVIEW);
  });

  it('is the list of open requests, for an opening and a closing that nobody heard of', async () => {
    world.open = { requests: [{ number: 7, draft: false, head: SHA(2), base: MAIN }], complete: true };
    expect(await sweepRequests(world.deps, repository())).toEqual(ok([PREVIEW]));
    await run();
    // Not again before the interval is over, and nothing when all is known.
    expect(await sweepRequests(world.deps, repository())).toEqual(ok([]));
    world.now = new Date(world.now.getTime() + 600_000);
    expect(await sweepRequests(world.deps, repository())).toEqual(ok([]));
    world.open = { requests: [], complete: true };
    world.now = new Date(world.now.getTime() + 600_000);
    expect(await sweepRequests(world.deps, repository())).toEqual(ok([PREVIEW]));
  });

  it('asks for nothing about branches no source is bound to', async () => {
    world.open = { requests: [{ number: 7, draft: false, head: SHA(2), base: 'refs/heads/other' }], complete: true };
    expect(await sweepRequests(world.deps, repository())).toEqual(ok([]));
  });

  it('looks at 20 plans when the list is too long to tell', async () => {
    const application = { project: 'acme', environment: 'production', name: 'shop' };
    for (let n = 1; n <= 30; n += 1)
      await world.plans.create({
        name: `${SOURCE}.${n}`,
        spec: { repository: 'github-1', source: SOURCE, application, number: n },
      });
    world.open = { requests: [], complete: false };
    const found = await sweepRequests(world.deps, repository());
    expect(found.ok && found.value).toHaveLength(20);
  });

  it('takes a forge that does not answer as no news, and asks again an interval later', async () => {
    const pullRequests = { ...world.deps.pullRequests, open: async () => fail(problem('forge_unavailable')) };
    expect(await sweepRequests({ ...world.deps, pullRequests }, repository())).toEqual(ok([]));
    expect(repository().status.pullRequestsAt).toBe(world.now.toISOString());
  });

  it('is the resync, for everything a plan still owes', async () => {
    await run();
    world.jobs.length = 0;
    await resync(world.deps);
    expect(world.jobs).toContainEqual({ queue: 'report', plan: NAME, commit: SHA(2) });
    expect(world.jobs).not.toContainEqual(PREVIEW);
    await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, grant: { ...spec.grant, revision: 2 } } }));
    world.jobs.length = 0;
    await resync(world.deps);
    expect(world.jobs).toContainEqual(PREVIEW);
  });
});
