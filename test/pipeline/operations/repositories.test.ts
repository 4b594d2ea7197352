import { beforeEach, describe, expect, it } from 'vitest';
import type { CreateRepository, RequestInfo } from '../../../src/ports/api/index.ts';
import { CreateRepository as Schema } from '../../../src/ports/api/index.ts';
import { type ApiWorld, apiWorld } from '../../support/api-world.ts';
import { ADMIN, codeOf, INFO, must } from '../../support/operations.ts';

const info: RequestInfo = INFO;
const GITLAB = {
  provider: 'gitlab',
  url: 'https://gitlab.example.com/acme/shop.git',
  repository_id: '42',
  repository: 'acme/shop',
} as const;
const OAUTH = {
  application_id: 'app',
  application_secret: 'canary-application-secret',
  refresh_token: 'canary-refresh-token',
};

let world: ApiWorld;
const add = (input: CreateRepository) => world.operations.repositories.create(ADMIN, input, info);
const specOf = (name: string) => world.memory.repositories.cached(name)?.spec;

beforeEach(async () => {
  world = await apiWorld();
});

describe('a repository that an OAuth grant opens', () => {
  it('is asked for at the host it is cloned from, and shows nothing of the grant', async () => {
    const saved = must(await add({ ...GITLAB, oauth: OAUTH }));
    expect(world.kept.get('gitlab-42-credentials')).toEqual({
      applicationId: 'app',
      applicationSecret: 'canary-application-secret',
      refreshToken: 'canary-refresh-token',
      apiUrl: 'https://gitlab.example.com/api/v4',
    });
    expect(saved).toMatchObject({ token_configured: true, api_url: 'https://gitlab.example.com/api/v4' });
    const shown = [saved, specOf('gitlab-42'), must(await world.operations.audit.list(ADMIN, { limit: 100 }, info))];
    expect(JSON.stringify(shown)).not.toContain('canary');
  });

  it('needs no secret of a public application', async () => {
    const { application_secret: _none, ...open } = OAUTH;
    must(await add({ ...GITLAB, url: 'https://gitlab.com/acme/shop.git', oauth: open }));
    expect(world.kept.get('gitlab-42-credentials')).toEqual({
      applicationId: 'app',
      refreshToken: 'canary-refresh-token',
    });
  });

  it('is at GitLab, and goes without a token', async () => {
    expect(codeOf(await add({ ...GITLAB, provider: 'github', oauth: OAUTH }))).toBe('invalid_request oauth');
    expect(codeOf(await add({ ...GITLAB, oauth: OAUTH, token: 't' }))).toBe('invalid_request oauth');
    expect(world.kept.has('gitlab-42-credentials')).toBe(false);
  });

  it('is not added when the forge does not take the grant', async () => {
    const used = { ...OAUTH, refresh_token: 'canary-used' };
    expect(codeOf(await add({ ...GITLAB, oauth: used }))).toBe('oauth_grant_ended oauth');
    expect(specOf('gitlab-42')).toBeUndefined();
  });

  it('has tokens of visible ASCII, of one line', () => {
    const parses = (oauth: object) => Schema.safeParse({ ...GITLAB, oauth: { ...OAUTH, ...oauth } }).success;
    expect(parses({})).toBe(true);
    const bad = ['', 'two lines\nof it', 'a b', 'ü', 'x'.repeat(4097)];
    for (const text of bad) {
      expect(parses({ refresh_token: text })).toBe(false);
      expect(parses({ application_secret: text })).toBe(false);
    }
    expect(parses({ application_id: 'a/b' })).toBe(false);
  });
});

describe('the API of a repository that is added', () => {
  it('is at its own forge, as somebody said or as it was known', async () => {
    const url = 'https://ghe.example.com/acme/shop.git';
    const github = { provider: 'github', url, repository_id: '7', repository: 'acme/shop', token: 't' } as const;
    must(await add({ ...github, api_url: 'https://api.ghe.example.com' }));
    expect(specOf('github-7')?.apiUrl).toBe('https://api.ghe.example.com');
    const app = { app_id: '1', installation_id: '2', private_key: 'pem' };
    const { token: _none, ...known } = github;
    must(await add({ ...known, app }));
    expect(world.kept.get('github-7-credentials')).toMatchObject({ apiUrl: 'https://api.ghe.example.com' });
    must(await add({ ...github, repository_id: '8' }));
    expect(specOf('github-8')?.apiUrl).toBe('https://ghe.example.com/api/v3');
    must(await add({ ...github, repository_id: '9', url: 'https://github.com/acme/shop.git' }));
    expect(specOf('github-9')).not.toHaveProperty('apiUrl');
  });
});
