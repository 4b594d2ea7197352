import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { OauthExchange, OauthGrant, OauthTokens } from '../../ports/index.ts';
import { type GitlabApiOptions, gitlabHost } from './api.ts';
import { AnswerError, ExchangeError } from './client.ts';
import { gitlabProblem } from './problems.ts';
import { OauthAnswer, OauthRefusal } from './schema.ts';

/** Facts 4.1: one call takes at most 15 s. */
const DEADLINE_MS = 15_000;
const MAX_BYTES = 64 * 1024;
/** GitLab's access tokens live two hours (OAuth provider, access token expiration); where it does not say, no longer is assumed. */
const LIFETIME_SECONDS = 7200;
/** None is believed to live longer: it is renewed earlier than it has to be, and its end is a time that can be written down. */
const MAX_LIFETIME_SECONDS = 86_400;

/**
 * Exchanges refresh tokens at GitLab's `/oauth/token` (OAuth 2.0 identity provider API), which is at the same host as its API and nowhere
 * else; redirects are refused. Nothing of the answer but the tokens leaves this file, for the body is made of secrets.
 */
export function createGitlabOauthTokens(options: GitlabApiOptions): OauthTokens & { stop(): Promise<void> } {
  const http = options.openHttp({
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
  });
  return {
    async refresh(grant): Promise<Result<OauthExchange>> {
      const outcome = await http.send({
        method: 'POST',
        url: `${gitlabHost(grant.apiUrl ?? options.apiUrl)}/oauth/token`,
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          'user-agent': options.userAgent,
        },
        body: formOf(grant),
        maxBytes: MAX_BYTES,
        timeoutMs: options.timeoutMs ?? DEADLINE_MS,
      });
      const context = { now: options.clock.now(), token: grant.refreshToken };
      if (!outcome.ok) return fail(gitlabProblem(new ExchangeError(outcome.failure), context));
      const { status, headers, body } = outcome.response;
      const answer = parse(body);
      if (status === 200) return exchangeOf(answer, grant);
      return fail(refusalOf(status, answer) ?? gitlabProblem(new AnswerError({ status, headers, body: {} }), context));
    },
    stop: () => http.close(),
  };
}

function formOf({ applicationId, applicationSecret, refreshToken }: OauthGrant): string {
  return new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: applicationId,
    ...(applicationSecret === undefined ? {} : { client_secret: applicationSecret }),
  }).toString();
}

/** An answer without a new refresh token leaves the old one valid (RFC 6749, section 6). */
function exchangeOf(answer: unknown, grant: OauthGrant): Result<OauthExchange> {
  const read = OauthAnswer.safeParse(answer);
  if (!read.success)
    return fail(problem('forge_unavailable', undefined, { cause: 'not an answer to a token request' }));
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = read.data;
  return ok({
    accessToken,
    refreshToken: refreshToken ?? grant.refreshToken,
    lifetimeMs: Math.min(seconds ?? LIFETIME_SECONDS, MAX_LIFETIME_SECONDS) * 1000,
    ...(scope === undefined || scope === null ? {} : { scopes: scope.split(' ') }),
  });
}

/** Words of RFC 6749, section 5.2; `undefined` for an answer that is none of them. */
function refusalOf(status: number, answer: unknown): Problem | undefined {
  if (status !== 400 && status !== 401) return undefined;
  const read = OauthRefusal.safeParse(answer);
  if (!read.success) return undefined;
  const cause = { status, error: read.data.error };
  if (read.data.error === 'invalid_grant') return problem('oauth_grant_ended', undefined, { cause });
  return problem('forge_unauthorized', 'the forge does not know the OAuth application, or its secret is another', {
    cause,
  });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
