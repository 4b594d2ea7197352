import { createHash, createPrivateKey, sign } from 'node:crypto';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { AppCredentials, AppTokens, TokenUse } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi } from './api.ts';
import { InstallationToken } from './schema.ts';

/** Facts 4.1: the clocks may differ by a minute, and an App's own token lives at most ten. */
const ISSUED_SECONDS_AGO = 60;
const EXPIRES_SECONDS = 9 * 60;
const KEY_BITS = 2048;
/** A token that ends sooner is not used again: the work it was fetched for has to end before it does. */
const SPARE_MS = 10 * 60 * 1000;
/** Facts 4.1: GitHub's answer has to be good for more than that. */
const LEAST_LIFE_MS = 10_000;
const KEPT = 1000;

type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** Asked for in this order: an App that was not given everything still reports. */
const PERMISSIONS: Readonly<Record<TokenUse, readonly Permissions[]>> = {
  read: [{ contents: 'read' }],
  report: [
    { statuses: 'write', pull_requests: 'write', contents: 'read', deployments: 'write', checks: 'read' },
    { statuses: 'write', pull_requests: 'write', contents: 'read' },
    { statuses: 'write' },
  ],
  hooks: [{ repository_hooks: 'write' }],
};

type Kept = { readonly token: string; readonly until: number };

/**
 * Tokens of a GitHub App's installation, limited to one repository and the permissions of one use (REST API, apps). They stay in this process
 * until shortly before their end, and nowhere else.
 */
export function createGithubAppTokens(options: GithubApiOptions): AppTokens & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options);
  const kept = new Map<string, Kept>();

  async function fetchToken(app: AppCredentials, permissions: Permissions): Promise<Result<InstallationToken>> {
    const jwt = appToken(app, options.clock.now());
    if (!jwt.ok) return jwt;
    // The call names no repository: the App itself makes it.
    const itself = {
      forge: 'github',
      project: 'app/itself',
      repositoryId: app.repositoryId,
      token: jwt.value,
    } as const;
    const at = app.apiUrl === undefined ? {} : { apiUrl: app.apiUrl };
    const answer = await call({ ...itself, ...at }, async (_target, request) => {
      const { data } = await request('POST /app/installations/{installation_id}/access_tokens', {
        installation_id: Number(app.installationId),
        repository_ids: [Number(app.repositoryId)],
        permissions,
      });
      return InstallationToken.parse(data);
    });
    return answer.ok || !GONE.includes(answer.problem.code) ? answer : fail(noInstallation(answer.problem.cause));
  }

  /** The first set of permissions that the App was given; what it was not given is refused as a whole. */
  async function fetchFirst(app: AppCredentials, use: TokenUse): Promise<Result<InstallationToken>> {
    for (const permissions of PERMISSIONS[use]) {
      const fetched = await fetchToken(app, permissions);
      if (fetched.ok || fetched.problem.code !== 'forge_rejected') return fetched;
    }
    return fail(problem('forge_unauthorized', 'the GitHub App was not given the permission this needs'));
  }

  return {
    async mint(app, use) {
      const key = keyOf(app, use);
      const now = options.clock.now().getTime();
      const known = kept.get(key);
      if (known !== undefined && known.until > now) return ok(known.token);
      const fetched = await fetchFirst(app, use);
      if (!fetched.ok) return fetched;
      const { token, expires_at: expires } = fetched.value;
      const end = Date.parse(expires);
      if (!(end - now > LEAST_LIFE_MS)) return fail(problem('forge_unavailable'));
      if (kept.size >= KEPT) kept.clear();
      kept.set(key, { token, until: end - SPARE_MS });
      return ok(token);
    },
    stop,
  };
}

const GONE: readonly string[] = ['forge_unauthorized', 'forge_not_found'];

function noInstallation(cause: unknown) {
  return problem('forge_unauthorized', 'the GitHub App, or its installation, is suspended or gone', { cause });
}

/** The private key by its digest only: another key asks anew. */
function keyOf({ privateKey, ...app }: AppCredentials, use: TokenUse): string {
  const digest = createHash('sha256').update(privateKey).digest('hex');
  return [app.apiUrl ?? '', app.appId, app.installationId, app.repositoryId, use, digest].join(' ');
}

/** Proves to be the App: a JSON Web Token, signed RS256. */
function appToken({ appId, privateKey }: AppCredentials, now: Date): Result<string> {
  try {
    const key = createPrivateKey(privateKey);
    if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < KEY_BITS)
      return fail(unusable());
    const seconds = Math.floor(now.getTime() / 1000);
    const claims = { iat: seconds - ISSUED_SECONDS_AGO, exp: seconds + EXPIRES_SECONDS, iss: appId };
    const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return ok(`${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`);
  } catch {
    return fail(unusable());
  }
}

function unusable() {
  return problem(
    'invalid_secret',
    'the private key of a GitHub App has to be an RSA key of at least 2048 bits, as PEM',
  );
}
