import { beforeEach, describe, expect, it } from 'vitest';
import { type CommitSha, fail, ok, problem, type RefName, type RepoPath, type Result } from '../../src/kernel/index.ts';
import { type Pace, withGitRenewal, withRenewal } from '../../src/pipeline/index.ts';
import { forgeOf, remoteOf } from '../../src/pipeline/remote.ts';
import type {
  CredentialStore,
  ForgeRepository,
  GitReader,
  GitRepository,
  Remote,
  RepositoryAccess,
} from '../../src/ports/index.ts';

let access: Result<RepositoryAccess | undefined>;
let refused: (string | undefined)[];
let used: (string | undefined)[];
/** Tokens that are taken. */
let good: string[];

beforeEach(() => {
  access = ok({ username: 'oauth2', token: 'new', installation: 'secret', renewable: true });
  [refused, used, good] = [[], [], ['new']];
});

const credentials = {
  forRepository: async (name: string, use: string, token?: string) => {
    refused.push(`${name} ${use} ${token}`);
    return access;
  },
} as unknown as CredentialStore;

const unpaced: Pace = (repository, _kind, call) => call(repository);
const forge: ForgeRepository = { forge: 'gitlab', project: 'acme/shop', repositoryId: '42', token: 'old' };
const renewable: ForgeRepository = { ...forge, renewal: { secret: 'secret', use: 'report' } };

async function call({ token }: ForgeRepository): Promise<Result<string>> {
  used.push(token);
  return good.includes(token ?? '') ? ok(`as ${token}`) : fail(problem('forge_unauthorized'));
}

describe('a call to a forge with a token that ends', () => {
  const pace = withRenewal(unpaced, credentials);

  it('is made once more with the token that replaced it meanwhile', async () => {
    expect(await pace(renewable, 'write', call)).toEqual(ok('as new'));
    expect([used, refused]).toEqual([['old', 'new'], ['secret report old']]);
  });

  it('is not repeated for a token that does not end, for none, or for another refusal', async () => {
    expect(await pace(forge, 'read', call)).toMatchObject({ problem: { code: 'forge_unauthorized' } });
    const { token: _none, ...none } = renewable;
    expect(await pace(none, 'read', call)).toMatchObject({ problem: { code: 'forge_unauthorized' } });
    const missing = async () => fail(problem('forge_not_found'));
    expect(await pace(renewable, 'read', missing)).toMatchObject({ problem: { code: 'forge_not_found' } });
    expect(refused).toEqual([]);
  });

  it('is refused when there is no other token, once more at most, and says what renewing said', async () => {
    access = ok({ username: 'oauth2', token: 'old', renewable: true });
    expect(await pace(renewable, 'read', call)).toMatchObject({ problem: { code: 'forge_unauthorized' } });
    expect(used).toEqual(['old']);
    access = ok({ username: 'oauth2', token: 'bad', renewable: true });
    expect(await pace(renewable, 'read', call)).toMatchObject({ problem: { code: 'forge_unauthorized' } });
    expect(used).toEqual(['old', 'old', 'bad']);
    access = fail(problem('oauth_grant_ended'));
    expect(await pace(renewable, 'read', call)).toMatchObject({ problem: { code: 'oauth_grant_ended' } });
    access = ok(undefined);
    expect(await pace(renewable, 'read', call)).toMatchObject({ problem: { code: 'forge_unauthorized' } });
  });
});

describe('reading from a Git server with a token that ends', () => {
  const answer = async ({ credentials: sent }: Remote): Promise<Result<never>> => {
    used.push(sent?.password);
    return good.includes(sent?.password ?? '') ? ok(undefined as never) : fail(problem('git_unauthorized'));
  };
  const git = withGitRenewal(
    {
      listRefs: answer,
      readFile: ({ remote }) => answer(remote),
      commitMessage: ({ remote }) => answer(remote),
      exportTree: ({ remote }) => answer(remote),
      changedPaths: ({ remote }) => answer(remote),
    },
    credentials,
  );
  const remote: Remote = {
    url: 'https://gitlab.com/acme/shop.git',
    local: false,
    credentials: { username: 'oauth2', password: 'old' },
    renewal: { secret: 'secret', use: 'read' },
  };
  const commit = 'a'.repeat(40) as CommitSha;
  const path = 'hakopod.toml' as RepoPath;
  const calls: Readonly<Record<keyof GitReader, (at: Remote) => Promise<Result<unknown>>>> = {
    listRefs: (at) => git.listRefs(at, ['refs/heads/main' as RefName]),
    readFile: (at) => git.readFile({ remote: at, commit, path, maxBytes: 1 }),
    commitMessage: (at) => git.commitMessage({ remote: at, commit }),
    exportTree: (at) => git.exportTree({ remote: at, commit, path: '.', into: '', maxBytes: 1, maxFiles: 1 }),
    changedPaths: (at) => git.changedPaths({ remote: at, base: commit, head: commit, paths: [path] }),
  };

  it.each(Object.entries(calls))('is tried once more with the new one: %s', async (_name, read) => {
    expect((await read(remote)).ok).toBe(true);
    expect(used).toEqual(['old', 'new']);
    const { renewal: _none, ...fixed } = remote;
    expect(await read(fixed)).toMatchObject({ problem: { code: 'git_unauthorized' } });
    expect(used).toEqual(['old', 'new', 'old']);
  });
});

describe('what is called as a repository', () => {
  const repository = {
    name: 'gitlab-42',
    spec: {
      forge: 'gitlab',
      url: 'https://gitlab.com/acme/shop.git',
      project: 'acme/shop',
      credentialsSecret: 'secret',
    },
  } as unknown as GitRepository;
  const deps = { credentials, options: { localRepositories: false } } as Parameters<typeof remoteOf>[1];

  it('says where its token may be replaced, when it can be', async () => {
    expect(await remoteOf(repository, deps)).toMatchObject({
      value: { credentials: { username: 'oauth2', password: 'new' }, renewal: { secret: 'secret', use: 'read' } },
    });
    expect(await forgeOf(repository, credentials)).toMatchObject({
      value: { token: 'new', renewal: { secret: 'secret', use: 'report' } },
    });
    access = ok({ username: 'u', token: 't' });
    const [remote, forge] = [await remoteOf(repository, deps), await forgeOf(repository, credentials)];
    expect(remote.ok && remote.value).not.toHaveProperty('renewal');
    expect(forge.ok && forge.value).not.toHaveProperty('renewal');
  });
});
