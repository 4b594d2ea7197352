import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createGithubAppTokens,
  createGithubChecks,
  createGithubCommentReader,
  createGithubCommentWriter,
  createGithubDeploymentWriter,
  createGithubHooks,
  createGithubPullRequests,
  createGithubStatusWriter,
} from '../../../src/adapters/github/index.ts';
import type { CommitSha, RefName } from '../../../src/kernel/index.ts';
import type { ForgeRepository } from '../../../src/ports/index.ts';
import { scriptedForge } from '../../support/scripted-forge.ts';

const BASE = 'https://ghe.example.com/api/v3';
const commit = 'a'.repeat(40) as CommitSha;
const repository: ForgeRepository = {
  ...{ forge: 'github', project: 'acme/shop', repositoryId: '7', token: 'canary-token' },
  apiUrl: `${BASE}/`,
};

let forge: ReturnType<typeof scriptedForge>;
let options: Parameters<typeof createGithubHooks>[0];

beforeEach(() => {
  // An App's token has no user, so the viewer is asked for.
  forge = scriptedForge('', ({ path }) => (path.endsWith('/user') ? { status: 403 } : undefined));
  options = {
    openHttp: forge.openHttp,
    clock: { now: () => new Date(0), sleep: () => Promise.resolve() },
    userAgent: 'hakopod',
    apiUrl: 'https://api.github.com',
  };
});
afterEach(() => {
  expect(forge.asked.length).toBeGreaterThan(0);
  for (const { path } of forge.asked) expect(path).toMatch(/^https:\/\/ghe\.example\.com\/api\/(v3\/|graphql$)/);
});

describe('a repository of GitHub Enterprise Server', () => {
  it('is never asked for at github.com, whatever is done with it', async () => {
    const environment = { name: 'production', url: 'https://shop.example.com' };
    const status = {
      commit,
      ref: 'refs/heads/main' as RefName,
      context: 'c',
      outcome: 'success',
      description: 'd',
    } as const;
    await createGithubStatusWriter(options).write(repository, status);
    await createGithubStatusWriter(options).latest(repository, commit, 'c');
    await createGithubPullRequests(options).read(repository, 1);
    await createGithubPullRequests(options).open(repository);
    await createGithubChecks(options).read(repository, commit, ['ci']);
    await createGithubCommentReader(options).read(repository, { number: 1, id: '2' });
    await createGithubDeploymentWriter(options).write(repository, { ...status, environment } as never);
    const hooks = createGithubHooks(options);
    await hooks.list(repository);
    await hooks.test(repository, '9');
    await hooks.remove(repository, '9');
    await hooks.deliveries(repository, '9');
    expect(forge.asked.map(({ path }) => path)).toContain(`${BASE}/repos/acme/shop/hooks/9/deliveries?per_page=20`);
  });

  it('has its GraphQL API beside the other', async () => {
    await createGithubCommentWriter(options).upsert(repository, {
      number: 1,
      marker: '<!-- m -->',
      body: '<!-- m --> b',
    });
    expect(forge.asked.map(({ path }) => path)).toEqual([`${BASE}/user`, 'https://ghe.example.com/api/graphql']);
  });

  it('mints tokens of its own Apps', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const app = { appId: '1', installationId: '2', repositoryId: '7', privateKey: pem, apiUrl: BASE };
    await createGithubAppTokens(options).mint(app, 'read');
    expect(forge.asked.map(({ path }) => path)).toEqual([`${BASE}/app/installations/2/access_tokens`]);
  });
});
