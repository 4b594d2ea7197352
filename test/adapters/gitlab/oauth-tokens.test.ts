import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitlabOauthTokens } from '../../../src/adapters/gitlab/index.ts';
import { openHttpClient } from '../../../src/adapters/http/index.ts';
import type { OauthGrant } from '../../../src/ports/index.ts';
import { type OauthForge, startOauthForge } from '../../support/oauth-forge.ts';

let forge: OauthForge;
let tokens: ReturnType<typeof createGitlabOauthTokens>;
let grant: OauthGrant;

beforeEach(async () => {
  forge = await startOauthForge();
  tokens = createGitlabOauthTokens({
    openHttp: openHttpClient,
    clock: { now: () => new Date(0), sleep: () => Promise.resolve() },
    userAgent: 'hakopod/1.2.3',
  });
  grant = {
    applicationId: 'app',
    applicationSecret: 'canary-application-secret',
    refreshToken: 'canary-refresh-0',
    apiUrl: forge.apiUrl,
  };
});
afterEach(async () => {
  await tokens.stop();
  await forge.close();
});

const refused = async () => {
  const answer = await tokens.refresh(grant);
  // Nothing that is secret gets out, not even to the log.
  expect(JSON.stringify(answer)).not.toContain('canary');
  return answer.ok ? 'ok' : answer.problem;
};

describe('tokens of an OAuth grant', () => {
  it('are exchanged at the host of the API, with everything secret in the body', async () => {
    expect(await tokens.refresh(grant)).toEqual({
      ok: true,
      value: {
        accessToken: 'canary-access-1',
        refreshToken: 'canary-refresh-1',
        lifetimeMs: 7_200_000,
        scopes: ['api', 'read_repository'],
      },
    });
    const [asked] = forge.asked;
    expect(asked?.path).toBe('POST /oauth/token');
    expect(Object.fromEntries(asked?.form ?? [])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'canary-refresh-0',
      client_id: 'app',
      client_secret: 'canary-application-secret',
    });
    expect(asked?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(JSON.stringify(asked?.headers)).not.toContain('canary');
  });

  it.each([1e13, 1e300])('live no longer than time can say, whatever the forge answers (%d s)', async (seconds) => {
    forge.fields = { expires_in: seconds };
    const answer = await tokens.refresh(grant);
    const lifetimeMs = answer.ok ? answer.value.lifetimeMs : Number.NaN;
    // The refresh token is used up: what came for it must be possible to keep.
    expect(lifetimeMs).toBe(86_400_000);
  });

  it('need no secret of an application that is public', async () => {
    const open = await startOauthForge({ isPublic: true });
    const { applicationSecret: _none, ...rest } = grant;
    expect(await tokens.refresh({ ...rest, apiUrl: `${open.apiUrl}/` })).toMatchObject({ ok: true });
    expect(open.asked[0]?.form.has('client_secret')).toBe(false);
    await open.close();
  });

  it('live two hours where GitLab does not say, and keep the refresh token where none comes back', async () => {
    forge.fields = { expires_in: null, refresh_token: undefined, scope: undefined };
    expect(await tokens.refresh(grant)).toEqual({
      ok: true,
      value: { accessToken: 'canary-access-1', refreshToken: 'canary-refresh-0', lifetimeMs: 7_200_000 },
    });
  });

  it('are gone for good with a refresh token that was used', async () => {
    await tokens.refresh(grant);
    expect(await refused()).toMatchObject({
      code: 'oauth_grant_ended',
      kind: 'rejected',
      message: expect.stringContaining('`hakopod repos add`'),
    });
  });

  it('are not had by an application that is not known', async () => {
    grant = { ...grant, applicationSecret: 'canary-other' };
    expect(await refused()).toMatchObject({
      code: 'forge_unauthorized',
      message: expect.stringContaining('application'),
    });
  });

  it('are asked for nowhere else: a redirect is refused', async () => {
    forge.trouble.push('redirect');
    expect(await refused()).toMatchObject({ code: 'forge_rejected', message: expect.stringContaining('API URL') });
    expect(forge.asked.map(({ path }) => path)).toEqual(['POST /oauth/token']);
  });

  it('are asked for again after trouble that passes', async () => {
    forge.trouble.push('echo', '502', 'html', '429', 'lost-answer');
    expect(await refused()).toMatchObject({ code: 'forge_unavailable', kind: 'transient' });
    expect(await refused()).toMatchObject({ code: 'forge_unavailable', kind: 'transient' });
    expect(await refused()).toMatchObject({ code: 'forge_unavailable' });
    expect(await refused()).toMatchObject({ code: 'forge_rate_limited', afterMs: 8000 });
    expect(await refused()).toMatchObject({ code: 'forge_unavailable' });
  });
});
