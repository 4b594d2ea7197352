import { beforeEach, describe, expect, it } from 'vitest';
import { fail, LIMITS, ok, problem, type RefName, type RepoPath } from '../../src/kernel/index.ts';
import { jobsOfPlan, planName } from '../../src/pipeline/preview/plans.ts';
import { preview } from '../../src/pipeline/preview/preview.ts';
import { packSpec } from '../../src/pipeline/release-body.ts';
import type { PullRequest, PullRequestPlan } from '../../src/ports/index.ts';
import { parseSpec } from '../../src/spec/index.ts';
import { addSource, file, MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE } from '../support/memory.ts';

const JOB = { repository: 'github-1', number: 7 };
const NAME = planName(SOURCE, 7);

let world: Memory;

beforeEach(async () => {
  world = await memory();
  world.changed = new Set(['hakopod.toml' as RepoPath]);
  show(2);
});

/** The forge and the Git server agree that this commit is the head. */
function show(n: number, changes: Partial<PullRequest> = {}): void {
  world.pullHead = SHA(n);
  world.files.set(SHA(n), file(`registry.example.test/shop:${n}`));
  world.pull = {
    number: 7,
    state: 'open',
    head: SHA(n),
    ref: PULL,
    base: MAIN,
    branch: 'refs/heads/change' as RefName,
    fork: false,
    draft: false,
    updatedAt: world.now.toISOString(),
    mergeBase: SHA(1),
    ...changes,
  };
}

function plan(): PullRequestPlan | undefined {
  return world.plans.items.get(NAME);
}

/** What the ledger says of every head, in its order. */
function words(): readonly string[] {
  return (plan()?.status.reports ?? []).map(
    ({ commit, desired }) => `${Number.parseInt(commit, 16)} ${desired.outcome}: ${desired.description}`,
  );
}

function run(): ReturnType<typeof preview> {
  return preview(world.deps, JOB, RUN);
}

describe('a preview', () => {
  it('refuses patches that can not be applied, under the grant that keeps them, and shows none of their text', async () => {
    const kept = "[services.web.kubernetes]\ndeployment = 'spec: {replicas: 7777}'\n";
    world.files.set(SHA(2), file('registry.example.test/shop:2', kept));
    expect(await run()).toEqual(ok(undefined));
    expect(plan()?.status).toMatchObject({ outcome: 'refused', code: 'kubernetes_patch_refused' });
    const parsed = parseSpec(file('registry.example.test/shop:1', kept));
    if (!parsed.ok) throw new Error('a broken file');
    const spec = { application: SOURCE, applicationId: '1'.repeat(32), revision: 1, specDigest: 'x' };
    const origin = { kind: 'api', actor: 'root', identity: 'root' } as const;
    await world.releases.create({ name: `${SOURCE}.1`, spec: { ...spec, origin, spec: packSpec(parsed.application) } });
    await world.applications.updateStatus(SOURCE, ({ status }) => ({ ...status, acceptedRevision: 1 }));
    show(3);
    world.files.set(SHA(3), file('registry.example.test/shop:3', kept));
    expect(await run()).toEqual(ok(undefined));
    expect(plan()?.status).toMatchObject({ outcome: 'refused', code: 'protected_field' });
    expect(words().at(-1)).toContain('services.web.kubernetes.deployment');
    expect(JSON.stringify(plan()?.status)).not.toContain('7777');
  });

  it('records the plan, queues the status and writes the comment', async () => {
    expect(await run()).toEqual(ok(undefined));
    expect(words()).toEqual(['2 success: plan: 1 service to add']);
    expect(plan()?.status).toMatchObject({
      ...{ head: SHA(2), headRef: PULL, branch: 'refs/heads/change', fork: false, base: { ref: MAIN, commit: SHA(1) } },
      ...{ outcome: 'planned', grantRevision: 1, sourceGeneration: 1, summary: '1 service to add' },
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(world.jobs).toEqual([{ queue: 'report', plan: NAME, commit: SHA(2) }]);
    expect(world.comments).toHaveLength(1);
    expect(world.comments[0]?.body).toContain(`Commit ${SHA(2)}, compared with nothing`);
    expect(plan()?.status.comment).toMatchObject({ id: '1' });
    expect([...world.releases.items]).toEqual([]);
  });

  it('does nothing again for what it did already', async () => {
    await run();
    const writes = world.plans.writes.length;
    await run();
    expect(world.plans.writes).toHaveLength(writes);
    expect(world.comments).toHaveLength(1);
  });

  it('asks the forge about a first word before it is said, because a closed request may have heard it', async () => {
    await run();
    expect(plan()?.status.reports?.[0]?.posting).toEqual(plan()?.status.reports?.[0]?.desired);
    show(3);
    await run();
    expect(plan()?.status.reports?.[1]?.posting).toBeUndefined();
  });

  it('passes heads that were mentioned or seen and gives each one word', async () => {
    world.mentions = [
      { commit: SHA(8), at: '2026-01-01T00:00:00Z' },
      { commit: SHA(2), at: world.now.toISOString() },
    ];
    await run();
    expect(words()).toEqual([`8 superseded: superseded by ${SHA(2).slice(0, 7)}`, '2 success: plan: 1 service to add']);
    expect(world.mentions).toEqual([]);
    show(3);
    await run();
    expect(words()).toEqual([
      `8 superseded: superseded by ${SHA(2).slice(0, 7)}`,
      '2 success: plan: 1 service to add',
      '3 success: plan: 1 service to add',
    ]);
    expect(world.comments.at(-1)?.known).toBe('1');
  });

  it('waits for a head that a delivery mentioned a moment ago, and keeps the mention', async () => {
    world.mentions = [{ commit: SHA(9), at: world.now.toISOString() }];
    expect(await run()).toMatchObject({ problem: { code: 'ref_settling' } });
    expect(words()).toEqual(['2 success: plan: 1 service to add']);
    expect(world.mentions).toHaveLength(1);
  });

  it('trusts the Git server, comes again while the forge says otherwise, and not for ever', async () => {
    show(2, { head: SHA(3) });
    world.mentions = [{ commit: SHA(3), at: '2026-01-01T00:00:00Z' }];
    expect(await run()).toMatchObject({ problem: { code: 'ref_settling' } });
    expect(plan()?.status.head).toBe(SHA(2));
    world.now = new Date(world.now.getTime() + 60_000);
    expect(await run()).toEqual(ok(undefined));
    // What the forge calls the head has no last word yet; it is still expected.
    expect(words()).toEqual(['2 success: plan: 1 service to add']);
    expect(world.mentions).toHaveLength(1);
  });

  it('refuses a request whose ref the Git server does not have', async () => {
    world.pullHead = undefined;
    expect(await run()).toMatchObject({ problem: { code: 'ref_settling' } });
    expect(plan()).toBeUndefined();
    world.now = new Date(world.now.getTime() + 60_000);
    await run();
    expect(plan()?.status.code).toBe('ref_not_found');
    expect(words()).toEqual(['2 failure: refused: the ref does not exist in the repository']);
  });

  it('asks whether secrets exist for a branch of the repository, and never for a fork', async () => {
    const text = file('registry.example.test/shop:2', 'secrets = { KEY = { ref = "api-key" } }\n');
    world.files.set(SHA(2), text);
    await run();
    expect(world.askedSecrets).toEqual(['api-key']);
    expect(world.comments[0]?.body).toContain('api-key (missing)');

    world.askedSecrets.length = 0;
    show(3, { fork: true, branch: undefined });
    world.files.set(SHA(3), text);
    await run();
    expect(world.askedSecrets).toEqual([]);
    expect(world.comments[1]?.body).toContain('- api-key\n');
    expect(world.comments[1]?.body).toContain('This is a fork');
  });

  it('plans a file that builds an image and builds nothing', async () => {
    world = await memory({ buildRegistry: 'registry.example.test/builds' });
    world.changed = new Set(['hakopod.toml' as RepoPath]);
    show(2);
    world.files.set(SHA(2), 'name = "shop"\n[services.web]\nport = 8080\n[services.web.build]\ncontext = "."\n');
    expect(await run()).toEqual(ok(undefined));
    expect(plan()?.status.outcome).toBe('planned');
    expect(world.comments[0]?.body).toContain('build.context');
    expect(world.jobs.map((job) => job.queue)).toEqual(['report']);
  });

  it('compares with the branch itself when the forge names no common commit', async () => {
    show(2, { mergeBase: undefined });
    const bases: unknown[] = [];
    const { git } = world.deps;
    const changedPaths: typeof git.changedPaths = async (request) => {
      bases.push(request.base);
      return ok(new Set());
    };
    world.head = SHA(5);
    await preview({ ...world.deps, git: { ...git, changedPaths } }, JOB, RUN);
    expect(bases).toEqual([SHA(5)]);
    expect(words()).toEqual(['2 success: nothing touched: hakopod.toml is as it was']);
    expect(world.comments).toEqual([]);
  });

  it('compares with the commit both sides grew from, where the forge names it', async () => {
    const bases: unknown[] = [];
    const { git } = world.deps;
    const changedPaths: typeof git.changedPaths = async (request) => {
      bases.push(request.base);
      return ok(new Set());
    };
    world.head = SHA(5);
    await preview({ ...world.deps, git: { ...git, changedPaths } }, JOB, RUN);
    expect(bases).toEqual([SHA(1)]);
  });

  it('plans the same head again under another grant, and keeps its place in the ledger', async () => {
    await run();
    await world.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, registries: ['ghcr.io'], revision: 2 } },
    }));
    await run();
    expect(plan()?.status).toMatchObject({ outcome: 'refused', grantRevision: 2, code: 'grant_refused' });
    expect(words()).toHaveLength(1);
    expect(world.comments.at(-1)?.body).toContain('under revision 2 of the deploy grant');
  });

  it('keeps a comment true when a later head touches the file no more', async () => {
    await run();
    show(3);
    world.changed = new Set();
    await run();
    expect(plan()?.status.outcome).toBe('untouched');
    expect(world.comments.at(-1)?.body).toContain('the file is not touched');
  });

  it('comments on 20 sources of a request and tells 20 untouched ones', async () => {
    for (let n = 0; n < 25; n += 1) await addSource(world, `app${String.fromCharCode(97 + n)}`, `apps/${n}.toml`);
    world.changed = undefined;
    await run();
    expect(world.plans.items.size).toBe(26);
    expect(world.comments).toHaveLength(20);
    show(3);
    world.changed = new Set();
    world.plans.items.clear();
    await run();
    expect(world.plans.items.size).toBe(20);
  });
});

describe('a preview that is cut off', () => {
  it('writes the comment with the next run when the forge did not answer', async () => {
    world.commentAnswers.push(fail(problem('forge_unavailable')));
    expect(await run()).toMatchObject({ problem: { code: 'forge_unavailable' } });
    expect(jobsOfPlan(world.deps, plan() as PullRequestPlan)).toContainEqual({ queue: 'preview', ...JOB });
    expect(await run()).toEqual(ok(undefined));
    expect(world.comments).toHaveLength(1);
    expect(jobsOfPlan(world.deps, plan() as PullRequestPlan)).not.toContainEqual({ queue: 'preview', ...JOB });
  });

  it('does not write a comment another worker is writing, but does when that one is gone', async () => {
    world.commentAnswers.push(fail(problem('forge_unavailable')));
    await run();
    const writingSince = world.now.toISOString();
    await world.plans.updateStatus(NAME, ({ status }) => ({ ...status, comment: { ...status.comment, writingSince } }));
    const before = plan();
    expect(await run()).toMatchObject({ problem: { kind: 'waiting', code: 'lease_held', afterMs: 20_000 } });
    expect(plan()).toEqual(before);
    expect(world.comments).toEqual([]);
    world.now = new Date(world.now.getTime() + 20_000);
    expect(await run()).toEqual(ok(undefined));
    expect(world.comments).toHaveLength(1);
  });

  it('leaves the plan alone when the file could not be read, and says nothing final', async () => {
    const readFile = async () => fail(problem('git_unavailable'));
    const done = await preview({ ...world.deps, git: { ...world.deps.git, readFile } }, JOB, RUN);
    expect(done).toMatchObject({ problem: { code: 'git_unavailable' } });
    expect(words()).toEqual([]);
    expect(jobsOfPlan(world.deps, plan() as PullRequestPlan)).toEqual([{ queue: 'preview', ...JOB }]);
  });
});

describe('the number of plans', () => {
  async function fill(count: number, outcome: 'planned' | 'untouched'): Promise<void> {
    const application = { project: 'acme', environment: 'production', name: 'shop' };
    for (let n = 0; n < count; n += 1) {
      const name = `other.${n + 100}`;
      await world.plans.create({
        name,
        spec: { repository: 'github-1', source: SOURCE, application, number: n + 100 },
      });
      await world.plans.updateStatus(name, () => ({ outcome, head: SHA(50) }));
    }
  }

  it('is limited per repository: the status says so, nothing is read or commented', async () => {
    await fill(LIMITS.openPlans, 'planned');
    const readFile = async () => {
      throw new Error('was read');
    };
    await preview({ ...world.deps, git: { ...world.deps.git, readFile } }, JOB, RUN);
    expect(plan()?.status).toMatchObject({ outcome: 'limited', code: 'too_many_plans' });
    expect(words()[0]).toContain('failure: refused: this repository has as many planned pull requests');
    expect(world.comments).toEqual([]);
    // One closed: there is room again.
    world.plans.items.delete('other.100');
    await run();
    expect(plan()?.status.outcome).toBe('planned');
  });

  it('counts no untouched ones, but is bounded by them in the end', async () => {
    await fill(LIMITS.openPlans * 10, 'untouched');
    expect(await run()).toEqual(ok(undefined));
    expect(plan()).toBeUndefined();
    world.plans.items.delete('other.100');
    await run();
    expect(plan()?.status.outcome).toBe('planned');
  });
});
