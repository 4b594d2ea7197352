import { beforeEach, describe, expect, it } from 'vitest';
import { checkRemoteUrl } from '../../src/adapters/git/index.ts';
import { type Runtime, runCli, type Workbench } from '../../src/cli/index.ts';
import { fail, ok, problem } from '../../src/kernel/index.ts';
import { type Memory, memory } from '../support/memory.ts';

let world: Memory;
let saved: Map<string, unknown>;

beforeEach(async () => {
  world = await memory();
  saved = new Map();
});

async function run(args: readonly string[], input = ''): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  const print = (line: string): void => {
    lines.push(line);
  };
  const workbench = {
    store: world.deps.store,
    secrets: {
      set: async (_key: unknown, name: string, value: string) => {
        saved.set(name, value);
        return ok('created' as const);
      },
      delete: async () => ok(false),
      list: async () => ok([]),
    },
    credentials: {
      hasHookSecret: async (name: string) => ok(saved.has(name)),
      saveHookSecret: async (name: string, value: unknown) => {
        saved.set(name, value);
        return ok(undefined);
      },
      saveCredentials: async (name: string, value: unknown) => {
        saved.set(name, value);
        return ok(undefined);
      },
    },
    clock: world.deps.clock,
    random: world.deps.random,
    publicUrl: 'https://hakopod.example.test/',
    close: async () => undefined,
  } as unknown as Workbench;
  const runtime: Runtime = {
    version: '1.2.3',
    checkUrl: (url, local) => checkRemoteUrl(url, { local }),
    serve: async () => 0,
    demo: async () => 0,
    open: async () => ok(workbench),
    doctor: async () => [{ what: 'redis', ok: false, detail: 'does not answer' }],
  };
  const code = await runCli(runtime, { out: print, err: print, readInput: async () => input }, args);
  return { code, out: lines.join('\n') };
}

const ADD = [
  'sources',
  'add',
  'https://git.example.test/acme/blog.git',
  '--app',
  'acme/production/blog',
  '--forge',
  'github',
  '--repository-id',
  '9',
  '--slug',
  'acme/blog',
];

/** The flags of a good `sources add`, one of them changed. */
function addWith(flag: string, value: string): string[] {
  const at = ADD.indexOf(flag);
  return at < 0 ? [...ADD, flag, value] : ADD.with(at + 1, value);
}

describe('hakopod', () => {
  it('prints its version and its help', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3' });
    expect((await run(['--help'])).out).toContain('sources');
  });

  it.each([[['nonsense']], [['sources', 'add']], [['status', '--nonsense']], [ADD.slice(0, -2)]])(
    'refuses %j with exit code 2',
    async (args) => {
      expect((await run(args)).code).toBe(2);
    },
  );

  it('doctor fails when something is wrong', async () => {
    expect(await run(['doctor'])).toEqual({ code: 1, out: 'PROBLEM  redis: does not answer' });
  });
});

describe('sources add', () => {
  it('grants, makes a webhook secret and shows it this once', async () => {
    const added = await run([...ADD, '--token-stdin'], 'token-canary\n');
    expect(added.code).toBe(0);
    expect(added.out).toContain('webhook URL: https://hakopod.example.test/hooks/');
    expect(added.out).not.toContain('token-canary');
    expect(saved.get('github-9-credentials')).toEqual({ username: 'x-access-token', token: 'token-canary' });
    expect(world.sources.items.get('acme.production.blog')?.spec.grant).toMatchObject({
      refs: ['refs/heads/main'],
      path: 'hakopod.toml',
      domains: [],
      permissions: ['deployments:read', 'deployments:write'],
    });
    const again = await run(addWith('--app', 'acme/production/other'));
    expect(again.out).toContain('unchanged');
    expect([...world.repositories.items.keys()]).toContain('github-9');
  });

  it('does not add the same application twice', async () => {
    await run(ADD);
    expect(await run(ADD)).toMatchObject({ code: 4, out: expect.stringContaining('already_exists') });
  });

  it('does not touch the token of a repository it then refuses', async () => {
    await run([...ADD, '--token-stdin'], 'good\n');
    const other = ADD.with(2, 'https://git.example.test/acme/other.git').with(4, 'acme/production/other');
    expect((await run([...other, '--token-stdin'], 'bad\n')).code).toBe(4);
    expect(saved.get('github-9-credentials')).toMatchObject({ token: 'good' });
  });

  it('shows a new webhook secret when the old one was revoked meanwhile', async () => {
    await run(ADD);
    saved.delete('github-9-hook');
    const again = await run(addWith('--app', 'acme/production/other'));
    expect(again.out).toContain('shown once');
    expect(saved.has('github-9-hook')).toBe(true);
  });

  it('narrows the grant by flags', async () => {
    await run([...ADD, '--domain', 'blog.example.com', '--registry', 'ghcr.io', '--max-services', '3', '--days', '7']);
    expect(world.sources.items.get('acme.production.blog')?.spec.grant).toMatchObject({
      domains: ['blog.example.com'],
      registries: ['ghcr.io'],
      limits: { services: 3 },
      expiresAt: '2026-06-08T00:00:00.000Z',
    });
  });

  it.each([
    ['--app', 'blog'],
    ['--app', 'acme/Production/blog'],
    ['--branch', '../main'],
    ['--branch', '-x'],
    ['--path', '../hakopod.toml'],
    ['--path', 'hakopod.json'],
    ['--repository-id', 'acme'],
    ['--slug', 'blog'],
    ['--interval', '1'],
    ['--days', 'soon'],
    ['--days', '0'],
    ['--max-services', '-1'],
    ['--max-replicas', 'many'],
    ['--max-services', 'ten'],
    ['--registry', ''],
    ['--domain', 'https://x y'],
    ['--api-url', 'ftp://x'],
    ['--build-arg', 'A B'],
  ])('refuses %s %s, naming the flag, and writes nothing', async (flag, value) => {
    const refused = await run(addWith(flag, value));
    expect(refused.code).toBe(2);
    expect(refused.out).toContain(flag);
    expect(world.sources.items.has('acme.production.blog')).toBe(false);
    expect(saved.size).toBe(0);
  });

  it.each([
    'git@github.com:acme/blog.git',
    'http://git.example.test/x.git',
    'https://user:canary@git.example.test/x.git',
    'file:///etc',
    'ext::sh -c id',
  ])('refuses the URL %s', async (url) => {
    const refused = await run(ADD.with(2, url));
    expect(refused.code).toBe(2);
    expect(refused.out).not.toContain('canary');
    expect(saved.size).toBe(0);
  });
});

describe('secrets', () => {
  it('takes the value from standard input and drops one newline', async () => {
    expect((await run(['secrets', 'set', 'db', '--app', 'acme/production/shop'], 'canary\n')).out).toBe(
      'secret db created; releases from now on use it',
    );
    expect(saved.get('db')).toBe('canary');
  });

  it('refuses a bad name and says when there is nothing to delete', async () => {
    expect((await run(['secrets', 'set', 'DB', '--app', 'acme/production/shop'], 'x')).code).toBe(2);
    expect(await run(['secrets', 'delete', 'db', '--app', 'acme/production/shop'])).toMatchObject({
      code: 2,
      out: expect.stringContaining('there is no secret of this name'),
    });
  });
});

describe('a source named by a person', () => {
  it('is found by its short name, and an unknown one is an error', async () => {
    expect((await run(['sources', 'show', 'shop'])).code).toBe(0);
    expect((await run(['sources', 'show', 'acme/production/shop', '--json'])).code).toBe(0);
    expect(await run(['sources', 'show', 'nothing'])).toMatchObject({
      code: 2,
      out: expect.stringContaining('[not_found]'),
    });
  });

  it('reports what the cluster says', async () => {
    Object.assign(world.sources, { update: async () => fail(problem('forbidden')) });
    expect((await run(['sources', 'suspend', 'shop'])).code).toBe(3);
    Object.assign(world.sources, { update: async () => fail(problem('cluster_unavailable')) });
    expect((await run(['sources', 'suspend', 'shop'])).code).toBe(1);
  });
});

describe('sources renew', () => {
  it('gives the grant a new revision and a new end', async () => {
    expect((await run(['sources', 'renew', 'shop', '--days', '30'])).code).toBe(0);
    expect(world.sources.items.get('acme.production.shop')?.spec.grant).toMatchObject({
      revision: 2,
      expiresAt: '2026-07-01T00:00:00.000Z',
    });
    expect(await run(['sources', 'renew', 'shop', '--days', '0'])).toMatchObject({
      code: 2,
      out: expect.stringContaining('--days'),
    });
  });
});
