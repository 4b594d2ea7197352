import { beforeEach, describe, expect, it } from 'vitest';
import { fail, problem, type RepoPath } from '../../src/kernel/index.ts';
import { plan, sync } from '../../src/pipeline/index.ts';
import { judge } from '../../src/pipeline/preview/judge.ts';
import { touchedBy } from '../../src/pipeline/preview/look.ts';
import { unpackSpec } from '../../src/pipeline/release-body.ts';
import { addSource, file, MAIN, type Memory, memory, RUN, SHA, SOURCE, said } from '../support/memory.ts';

const CANARY = 'canary-7f3a9c';
const SPEC = file('registry.example.test/shop:1', 'env_file = "web.env"\n');

let world: Memory;
beforeEach(async () => {
  world = await memory();
});

/** The bound ref moves to commit `n` with this specification and this env file, and is planned. */
async function push(n: number, env: string | undefined, text = SPEC): Promise<void> {
  world.head = SHA(n);
  world.files.set(SHA(n), text);
  if (env !== undefined) world.files.set(`${SHA(n)}:web.env`, env);
  await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
  expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
}

function released(revision: number) {
  const unpacked = unpackSpec(world.releases.items.get(`${SOURCE}.${revision}`)!.spec.spec);
  if (!unpacked.ok) throw new Error(unpacked.problem.message);
  return unpacked.value.services.web!;
}

function refOf(revision: number, key: string): string {
  const secret = released(revision).secrets[key]!;
  return 'ref' in secret ? secret.ref : '';
}

async function pullRequest(n: number, fork: boolean) {
  const source = world.sources.items.get(SOURCE)!;
  const remote = { url: 'https://git.example.test/acme/shop.git' } as Parameters<typeof judge>[1]['remote'];
  const base = { base: MAIN, baseCommit: undefined, mergeBase: undefined };
  const verdict = await judge(world.deps, { source, remote, head: SHA(n), ...base, fork, signal: RUN.signal });
  if (!verdict.ok) throw new Error(verdict.problem.message);
  return verdict.value;
}

describe('a push with an env file', () => {
  it('releases its variables, and stores what is sensitive before', async () => {
    await push(1, `MODE=fast\nAPI_TOKEN=${CANARY}`);
    expect(said(world, SHA(1))).toBe('pending: deploying revision 1');
    expect(released(1).env).toEqual({ MODE: 'fast' });
    expect(Object.keys(released(1).secrets)).toEqual(['API_TOKEN']);
    expect([...world.imported]).toEqual([[refOf(1, 'API_TOKEN'), CANARY]]);
    expect(world.askedSecrets).toEqual([]);
  });

  it('shows the value nowhere but in the secret', async () => {
    await push(1, `API_TOKEN=${CANARY}`);
    const { imported: _values, files: _files, deps: _deps, ...rest } = world;
    const everything = JSON.stringify(rest, (_key, value) =>
      value instanceof Map || value instanceof Set ? [...value] : value,
    );
    expect(everything).toContain(refOf(1, 'API_TOKEN'));
    expect(everything).not.toContain(CANARY);
    expect(JSON.stringify(released(1))).not.toContain(CANARY);
  });

  it('names a secret by its value: the same stays, another is another, and the key counts', async () => {
    await push(1, 'API_TOKEN=one');
    await push(2, '# again\nAPI_TOKEN=one');
    await push(3, 'API_TOKEN=two');
    expect(refOf(1, 'API_TOKEN')).toBe(refOf(2, 'API_TOKEN'));
    expect(refOf(3, 'API_TOKEN')).not.toBe(refOf(1, 'API_TOKEN'));
    const first = refOf(1, 'API_TOKEN');
    world = await memory({ snapshotKey: 'another' });
    await push(1, 'API_TOKEN=one');
    expect(refOf(1, 'API_TOKEN')).not.toBe(first);
  });

  it('accepts nothing when the secrets can not be stored', async () => {
    Object.assign(world.deps.secrets, { addImported: async () => fail(problem('secret_limit')) });
    await push(1, 'API_TOKEN=one');
    expect(world.releases.items.size).toBe(0);
    expect(said(world, SHA(1))).toContain('an application has at most 100 secrets');
  });

  it('plans a commit that changes the env file alone', async () => {
    await push(1, 'MODE=fast');
    expect(world.sources.items.get(SOURCE)?.status.envFiles).toEqual(['web.env']);
    world.changed = new Set(['web.env' as RepoPath]);
    await push(2, 'MODE=slow');
    expect(released(2).env).toEqual({ MODE: 'slow' });
    world.changed = new Set(['other.env' as RepoPath]);
    await push(3, 'MODE=slower');
    expect(world.releases.items.size).toBe(2);
  });

  it('keeps what it watches when it is cut off after the acceptance', async () => {
    const { updateStatus } = world.applications;
    Object.assign(world.applications, { updateStatus: async () => fail(problem('cluster_unavailable')) });
    world.head = SHA(1);
    world.files.set(SHA(1), SPEC);
    world.files.set(`${SHA(1)}:web.env`, 'A=b');
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(false);
    Object.assign(world.applications, { updateStatus });
    expect((await plan(world.deps, { source: SOURCE }, RUN)).ok).toBe(true);
    expect(world.releases.items.size).toBe(1);
    expect(world.sources.items.get(SOURCE)?.status.envFiles).toEqual(['web.env']);
  });

  it('refuses a missing one by the field that names it, and plans again when it comes', async () => {
    await push(1, undefined);
    expect(said(world, SHA(1))).toMatch(
      /^failure: .*services\.web\.env_file \(line 5, column 1\): the file does not exist$/,
    );
    expect(world.sources.items.get(SOURCE)?.status.planned?.code).toBe('env_file_missing');
    world.changed = new Set(['web.env' as RepoPath]);
    await push(2, 'A=b');
    expect(released(1).env).toEqual({ A: 'b' });
  });

  it.each(['symlink_refused', 'not_a_file', 'binary_file', 'lfs_pointer'] as const)(
    'refuses one that is %s',
    async (code) => {
      world.unreadable.set('web.env', problem(code));
      await push(1, 'A=b');
      expect(world.sources.items.get(SOURCE)?.status.planned?.code).toBe(code);
      expect(said(world, SHA(1))).toContain('services.web.env_file');
      expect(world.releases.items.size).toBe(0);
    },
  );

  it('tries again when it can not be read now', async () => {
    world.unreadable.set('web.env', problem('git_unavailable'));
    world.head = SHA(1);
    world.files.set(SHA(1), SPEC);
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect(await plan(world.deps, { source: SOURCE }, RUN)).toMatchObject({ problem: { code: 'git_unavailable' } });
  });

  it('reads it from the folder of the specification', async () => {
    await addSource(world, 'blog', 'apps/blog/hakopod.toml');
    const text = SPEC.replace('"shop"', '"blog"').replace('web.env', 'env/web.env');
    world.head = SHA(1);
    world.files.set(`${SHA(1)}:apps/blog/hakopod.toml`, text);
    world.files.set(`${SHA(1)}:apps/blog/env/web.env`, 'A=b');
    await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN);
    expect((await plan(world.deps, { source: 'acme.production.blog' }, RUN)).ok).toBe(true);
    expect(world.releases.items.size).toBe(1);
    expect(world.sources.items.get('acme.production.blog')?.status.envFiles).toEqual(['apps/blog/env/web.env']);
  });

  it('tells the line of a mistake and no word of it', async () => {
    await push(1, `A=b\n${CANARY} ${CANARY}`);
    expect(said(world, SHA(1))).toContain('line 2 of the env file does not begin with a variable name');
    expect(JSON.stringify(world.sources.items.get(SOURCE))).not.toContain(CANARY);
  });
});

describe('a pull request with an env file', () => {
  it('counts its secrets as there, and stores nothing', async () => {
    world.files.set(SHA(2), SPEC);
    world.files.set(`${SHA(2)}:web.env`, `A=b\nAPI_TOKEN=${CANARY}`);
    const verdict = await pullRequest(2, false);
    expect(verdict.outcome).toBe('planned');
    expect(verdict.text).not.toContain('missing');
    expect(world.askedSecrets).toEqual([]);
    expect(world.imported.size).toBe(0);
    // What a preview environment is made from stays with the worker; everything else is shown to people.
    const { desired, ...shown } = verdict;
    expect(desired?.parsed.imported.map(({ value }) => value)).toEqual([CANARY]);
    expect(JSON.stringify(shown)).not.toContain(CANARY);
  });

  it('is unchanged when the values are the accepted ones; a fork learns nothing of the kind', async () => {
    await push(1, `API_TOKEN=${CANARY}`);
    world.files.set(SHA(2), SPEC);
    for (const value of [CANARY, 'another']) {
      world.files.set(`${SHA(2)}:web.env`, `API_TOKEN=${value}`);
      expect((await pullRequest(2, false)).outcome).toBe(value === CANARY ? 'unchanged' : 'planned');
    }
    const forks = [];
    for (const value of [CANARY, 'another']) {
      world.files.set(`${SHA(2)}:web.env`, `API_TOKEN=${value}`);
      forks.push(await pullRequest(2, true));
    }
    expect(forks[0]).toEqual(forks[1]);
  });

  it('is planned when it changes the env file alone', async () => {
    await push(1, 'A=b');
    const source = world.sources.items.get(SOURCE)!;
    const look = async (path: string) => {
      world.changed = new Set([path as RepoPath]);
      const remote = { url: 'https://git.example.test/acme/shop.git' } as Parameters<typeof touchedBy>[1];
      return touchedBy(world.deps, remote, { base: SHA(1), head: SHA(2), sources: [source], signal: RUN.signal });
    };
    expect(await look('web.env')).toMatchObject({ value: [{ name: SOURCE }] });
    expect(await look('other.env')).toMatchObject({ value: [] });
  });
});
