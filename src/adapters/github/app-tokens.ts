import { createHash, createPrivateKey, sign } from 'node:crypto';
import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
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
/**
 * How long a refusal is believed. Whatever waits for a token asks again and again, and each status that is owed asks too; GitHub hears one
 * question in that time, and work goes on that soon after an installation is back.
 */
const REFUSED_MS = 30_000;

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
/** What every App with any permission on repositories has. */
const LEAST: Permissions = { metadata: 'read' };

type Kept = { readonly answer: Result<string>; readonly since: number; readonly until: number };

/**
 * Tokens of a GitHub App's installation, limited to one repository and the permissions of one use (REST API, apps). They stay in this process
 * until shortly before their end, and nowhere else. GitHub answers 403 for an installation that is suspended, 404 for one that is gone, 401
 * where the App itself is not known, and 422 both for a repository the installation does not include and for permissions it was not given.
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
    return call({ ...itself, ...at }, async (_target, request) => {
      const { data } = await request('POST /app/installations/{installation_id}/access_tokens', {
        installation_id: Number(app.installationId),
        repository_ids: [Number(app.repositoryId)],
        permissions,
      });
      return InstallationToken.parse(data);
    });
  }

  /** The first set of permissions that the App was given; what it was not given is refused as a whole. */
  async function fetchFirst(app: AppCredentials, use: TokenUse): Promise<Result<InstallationToken>> {
    for (const permissions of PERMISSIONS[use]) {
      const fetched = await fetchToken(app, permissions);
      if (fetched.ok || fetched.problem.code !== 'forge_rejected') return fetched;
    }
    // A token that may see that the repository exists is made, and thrown away, for every repository the installation includes.
    const least = await fetchToken(app, LEAST);
    if (!least.ok && least.problem.code !== 'forge_rejected') return least;
    return fail(
      least.ok
        ? problem('forge_unauthorized', 'the GitHub App was not given the permission this needs')
        : problem('installation_repository'),
    );
  }

  async function mint(app: AppCredentials, use: TokenUse): Promise<Kept> {
    const now = options.clock.now().getTime();
    const fetched = await fetchFirst(app, use);
    if (!fetched.ok) {
      const p = refusal(fetched.problem);
      return { answer: fail(p), since: now, until: p.kind === 'rejected' ? now + REFUSED_MS : now };
    }
    const { token, expires_at: expires } = fetched.value;
    const end = Date.parse(expires);
    if (!(end - now > LEAST_LIFE_MS)) return { answer: fail(problem('forge_unavailable')), since: now, until: now };
    return { answer: ok(token), since: now, until: end - SPARE_MS };
  }

  return {
    async mint(app, use, refused) {
      const whole = installationKey(app);
      const key = `${whole} ${app.repositoryId} ${use}`;
      const now = options.clock.now().getTime();
      const known = [whole, key].map((one) => kept.get(one)).find((one) => one !== undefined && one.until > now);
      if (known !== undefined && !isStale(known, refused, now)) return known.answer;
      const minted = await mint(app, use);
      if (minted.until <= now) return minted.answer;
      if (kept.size >= KEPT) kept.clear();
      kept.set(isOfInstallation(minted.answer) ? whole : key, minted);
      return minted.answer;
    },
    stop,
  };
}

/** A token that was taken until now and is not any more; one just made is refused for what it asks, which another one would be too. */
function isStale({ answer, since }: Kept, refused: string | undefined, now: number): boolean {
  return answer.ok && answer.value === refused && now - since >= REFUSED_MS;
}

/** What GitHub's refusals to make a token mean; all others stay what they are. */
function refusal(p: Problem): Problem {
  const { cause } = p;
  switch (p.code) {
    case 'forge_not_found':
      return problem('installation_gone', undefined, { cause });
    case 'forge_unauthorized':
      return statusOf(cause) === 403
        ? problem('installation_suspended', undefined, { cause })
        : statusOf(cause) === 401
          ? problem('forge_unauthorized', 'GitHub does not know the App, or its private key is another', { cause })
          : p;
    default:
      return p;
  }
}

function statusOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'status' in cause ? cause.status : undefined;
}

/** True for what is the same for every repository of the installation. */
function isOfInstallation(answer: Result<string>): boolean {
  return !answer.ok && ['installation_suspended', 'installation_gone'].includes(answer.problem.code);
}

/** The private key by its digest only: another key asks anew. */
function installationKey({ apiUrl, appId, installationId, privateKey }: AppCredentials): string {
  return [apiUrl ?? '', appId, installationId, createHash('sha256').update(privateKey).digest('hex')].join(' ');
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
