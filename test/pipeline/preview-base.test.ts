import { beforeEach, describe, expect, it } from 'vitest';
import { fail, ok, problem, type RefName, type RepoPath } from '../../src/kernel/index.ts';
import { planTextOf } from '../../src/pipeline/preview/plan-page.ts';
import { jobsOfPlan, planName } from '../../src/pipeline/preview/plans.ts';
import { preview } from '../../src/pipeline/preview/preview.ts';
import { packSpec } from '../../src/pipeline/release-body.ts';
import type { Application, GitSource, PullRequest, PullRequestPlan } from '../../src/ports/index.ts';
import { parseSpec, specDigest } from '../../src/spec/index.ts';
import { file, MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE } from '../support/memory.ts';

const JOB = { repository: 'github-1', number: 7 };
const NAME = planName(SOURCE, 7);
const DIFFERS = "- The base branch's file is not what is deployed: ";

let world: Memory;

beforeEach(async () => {
  world = await memory();
  world.changed = new Set(['hakopod.toml' as RepoPath]);
  world.files.set(SHA(1), file('registry.example.test/shop:1'));
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

/** A revision that was accepted with this file. */
async function accept(
  revision: number,
  text: string,
  status: Partial<Application['status']> = { phase: 'healthy', gitRevision: revision },
): Promise<void> {
  const parsed = parseSpec(text);
  if (!parsed.ok) throw new Error('a broken file');
  const { application } = parsed;
  const digest = { specDigest: specDigest(application), spec: packSpec(application) };
  const origin = { kind: 'git', actor: 'git', source: SOURCE } as const;
  await world.releases.create({
    name: `${SOURCE}.${revision}`,
    spec: { application: SOURCE, applicationId: '1'.repeat(32), revision, origin, ...digest },
  });
  await world.applications.updateStatus(SOURCE, (current) => ({
    ...current.status,
    acceptedRevision: revision,
    ...status,
  }));
}

type Planned = NonNullable<GitSource['status']['planned']>;

async function planned(outcome: Planned['outcome'], more: Partial<GitSource['status']> = {}): Promise<void> {
  const at = world.now.toISOString();
  await world.sources.updateStatus(SOURCE, ({ status }) => ({
    ...status,
    seen: { commit: SHA(1), generation: 1, at },
    planned: { commit: SHA(1), grantRevision: 1, outcome, at },
    ...more,
  }));
}

async function run(deps = world.deps): Promise<string> {
  expect(await preview(deps, JOB, RUN)).toEqual(ok(undefined));
  return world.comments.at(-1)?.body ?? '';
}

/** The sentences between the summary and the details. */
function notes(body: string): readonly string[] {
  const lines = body.split('\n');
  const first = lines.findIndex((line) => line.startsWith('- '));
  return first === 3 ? lines.slice(3, lines.indexOf('', 3)) : [];
}

function plan(): PullRequestPlan {
  return world.plans.items.get(NAME) as PullRequestPlan;
}

function compared(answers: Readonly<Record<string, ReadonlySet<RepoPath> | undefined>>): Memory['deps'] {
  const { git } = world.deps;
  const changedPaths: typeof git.changedPaths = async ({ base, head }) =>
    ok(`${base} ${head}` in answers ? answers[`${base} ${head}`] : world.changed);
  return { ...world.deps, git: { ...git, changedPaths } };
}

describe('a plan against what its base branch has', () => {
  it('says nothing where the base branch is what is deployed', async () => {
    await accept(1, file('registry.example.test/shop:1'));
    await planned('accepted');
    const body = await run();
    expect(notes(body)).toEqual([]);
    expect(body).toContain('compared with revision 1');
  });

  it('says that a file is new', async () => {
    world.files.delete(SHA(1));
    expect(notes(await run())).toEqual(['- The base branch does not have this file yet; merging adds it.']);
    show(3, { fork: true, branch: undefined });
    expect(notes(await run())).toEqual(['- The base branch does not have this file yet; merging adds it.']);
  });

  it.each([
    ['queued', 'Revision 1 is not deployed yet; it is still being released.'],
    ['failed', 'Revision 1 is not what is deployed: its release failed.'],
    ['cancelled', 'Revision 1 is not what is deployed: its release was cancelled.'],
  ] as const)('says that the accepted revision is %s', async (phase, text) => {
    await accept(1, file('registry.example.test/shop:1'), { phase, gitRevision: 1 });
    await planned('accepted');
    expect(notes(await run())).toEqual([`- ${text}`]);
  });

  it('says which revision was put back', async () => {
    await accept(2, file('registry.example.test/shop:1'), { phase: 'recovered', revision: 1, gitRevision: 2 });
    await planned('accepted');
    expect(notes(await run())).toEqual([
      '- Revision 2 is not what is deployed: its release failed, and revision 1 was put back.',
    ]);
  });

  const waiting = (what: 'approval' | 'check' | 'freeze'): Partial<GitSource['status']> => ({
    waiting: {
      ...{ commit: SHA(1), digest: 'x', grantRevision: 1, for: what },
      ...{ since: world.now.toISOString(), lookAt: world.now.toISOString() },
    },
  });
  it.each([
    ['waiting', 'it waits for an approval.', () => waiting('approval')],
    ['waiting', 'it waits for a check.', () => waiting('check')],
    ['waiting', 'it waits for a freeze to end.', () => waiting('freeze')],
    ['refused', 'it was refused.', () => ({})],
    ['held', 'a release that somebody made over the API holds it back.', () => ({})],
    ['skipped', 'its commit asks not to be released.', () => ({})],
    ['accepted', 'it differs from revision 1.', () => ({})],
    [
      'accepted',
      'it was not planned yet.',
      () => ({ seen: { commit: SHA(9), generation: 1, at: world.now.toISOString() } }),
    ],
  ] as const)('says that a base branch that was %s: %s', async (outcome, text, more) => {
    await accept(1, file('registry.example.test/shop:0'));
    await planned(outcome, more());
    expect(notes(await run())).toEqual([`${DIFFERS}${text}`]);
  });

  it('says that somebody deployed something else over the API, and that the base branch is not valid', async () => {
    await accept(4, file('registry.example.test/shop:0'), { phase: 'healthy', gitRevision: 3 });
    await planned('accepted');
    expect(notes(await run())).toEqual([`${DIFFERS}somebody made revision 4 over the API.`]);
    world.files.set(SHA(1), 'name = ');
    show(3);
    expect(notes(await run())).toEqual([`${DIFFERS}it is not valid.`]);
  });

  it('tells a fork nothing of releases and policies', async () => {
    await accept(1, file('registry.example.test/shop:0'), { phase: 'failed', gitRevision: 1 });
    await planned('refused');
    show(2, { fork: true, branch: undefined });
    expect(notes(await run())).toEqual([]);
    expect(plan().status.standing).toBe('1');
  });

  it('waits for a Git server that does not answer, and says nothing of what it may not read', async () => {
    const { git } = world.deps;
    const reading = (code: 'git_unavailable' | 'symlink_refused'): Memory['deps'] => ({
      ...world.deps,
      git: { ...git, readFile: async (file) => (file.commit === SHA(1) ? fail(problem(code)) : git.readFile(file)) },
    });
    expect(await preview(reading('git_unavailable'), JOB, RUN)).toMatchObject({ problem: { code: 'git_unavailable' } });
    expect(notes(await run(reading('symlink_refused')))).toEqual([]);
  });
});

describe('a head that is behind its base branch', () => {
  const BEHIND = '- The head is behind the base branch';
  beforeEach(async () => {
    await accept(1, file('registry.example.test/shop:1'));
    await planned('accepted');
    world.files.set(SHA(5), file('registry.example.test/shop:1'));
    world.head = SHA(5);
  });

  it.each([
    [new Set<RepoPath>(), `${BEHIND}, which did not change the file since.`],
    [
      new Set(['hakopod.toml' as RepoPath]),
      `${BEHIND}, which changed the file since: what a merge gives may have another plan. Update the branch to see it.`,
    ],
    [undefined, `${BEHIND}; whether that changed the file since could not be compared.`],
  ])('says whether that changed the file, case %#', async (changed, text) => {
    expect(notes(await run(compared({ [`${SHA(1)} ${SHA(5)}`]: changed })))).toEqual([text]);
    show(3, { fork: true, branch: undefined });
    expect(notes(await run(compared({ [`${SHA(1)} ${SHA(5)}`]: changed })))).toEqual([text]);
  });

  it('counts the env files that the head names', async () => {
    const asked: (readonly RepoPath[])[] = [];
    const { git } = world.deps;
    world.files.set(SHA(2), `env_file = "shop.env"\n${file('registry.example.test/shop:2')}`);
    world.files.set(`${SHA(2)}:shop.env`, 'MODE=fast\n');
    const changedPaths: typeof git.changedPaths = async ({ base, head, paths }) => {
      if (base === SHA(1) && head === SHA(5)) asked.push(paths);
      return ok(world.changed);
    };
    await run({ ...world.deps, git: { ...git, changedPaths } });
    expect(asked).toEqual([['hakopod.toml', 'shop.env']]);
  });

  it('says nothing when the forge names no common commit', async () => {
    show(2, { mergeBase: undefined });
    expect(notes(await run())).toEqual([]);
  });
});

describe('a plan', () => {
  it('without the file is refused like a push is, and says that nothing goes', async () => {
    await accept(1, file('registry.example.test/shop:1'));
    world.files.delete(SHA(2));
    const body = await run();
    expect(plan().status).toMatchObject({ outcome: 'refused', code: 'file_not_found' });
    expect(notes(body)[0]).toContain('Merging it removes nothing that runs; revision 1 stays');
    expect(body).toContain('compared with nothing that runs');
  });

  it('of a draft is a plan that says so, until it is none', async () => {
    show(2, { draft: true });
    const draft = '- This request is a draft; it is planned like any other.';
    expect(notes(await run())).toContain(draft);
    expect(plan().status).toMatchObject({ outcome: 'planned', draft: true });
    show(2);
    expect(notes(await run())).not.toContain(draft);
    expect(plan().status).toMatchObject({ draft: false });
    expect(plan().status.reports).toHaveLength(1);
  });

  it('is made anew when another revision is accepted, once that is released', async () => {
    await accept(1, file('registry.example.test/shop:1'));
    await planned('accepted');
    await run();
    const again = { queue: 'preview', ...JOB } as const;
    expect(jobsOfPlan(world.deps, plan())).not.toContainEqual(again);
    await accept(2, file('registry.example.test/shop:2'), { phase: 'queued', gitRevision: 2 });
    expect(jobsOfPlan(world.deps, plan())).not.toContainEqual(again);
    await world.applications.updateStatus(SOURCE, ({ status }) => ({ ...status, phase: 'healthy' }));
    expect(jobsOfPlan(world.deps, plan())).toContainEqual(again);
    world.files.set(SHA(1), file('registry.example.test/shop:2'));
    const body = await run();
    expect(body).toContain('compared with revision 2');
    expect(plan().status).toMatchObject({ outcome: 'unchanged', revision: 2 });
    expect(jobsOfPlan(world.deps, plan())).not.toContainEqual(again);
    await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, suspended: true } }));
    await accept(3, file('registry.example.test/shop:3'));
    expect(jobsOfPlan(world.deps, plan())).not.toContainEqual(again);
  });

  it('is kept whole for its page, without a value of env, and the comment links there', async () => {
    world = await memory({ publicUrl: 'https://hakopod.example.com/' });
    world.changed = new Set(['hakopod.toml' as RepoPath]);
    show(2);
    world.files.set(SHA(2), file('registry.example.test/shop:2', 'env = { MODE = "canary" }\n'));
    const body = await run();
    expect(body).toContain(`[The whole plan](<https://hakopod.example.com/plans/${NAME}>) is for people with a key.`);
    const text = planTextOf(plan()) ?? '';
    expect(text).toContain('Plan: 1 service to add');
    expect(text).toContain('+ env.MODE');
    expect(text).not.toContain('canary');
  });
});
