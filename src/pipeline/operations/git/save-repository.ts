import { denied, type Principal } from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { CreateRepository } from '../../../ports/api/index.ts';
import type { GitRepository } from '../../../ports/index.ts';
import { derivedApiUrl } from './api-url.ts';
import type { GitDeps } from './context.ts';
import { mayManage } from './may-manage.ts';

/** Facts 4.1: 32 random bytes. */
const HOOK_SECRET_BYTES = 32;
const DEFAULT_INTERVAL_SECONDS = 60;

/** A repository somebody may add, checked as far as that goes by itself. */
export type Wanted = CreateRepository & {
  readonly scope: { readonly project: string; readonly environment: string } | undefined;
};
export type Saved = {
  readonly repository: GitRepository;
  readonly created: boolean;
  /** The hook's secret, when this made one. */
  readonly secret: string | undefined;
};

/**
 * Several sources share one repository and its one hook; it is known by the forge's immutable id. One that exists gets the new token, and is
 * nobody's but those who manage it already.
 */
export async function saveRepository(deps: GitDeps, principal: Principal, wanted: Wanted): Promise<Result<Saved>> {
  const name = `${wanted.provider}-${wanted.repository_id}`;
  const existing = await deps.store.repositories.get(name);
  if (!existing.ok) return existing;
  const { value: known } = existing;
  if (known !== undefined && !mayManage(principal, known)) return fail(denied('git:manage', known.spec.scope ?? {}));
  if (known !== undefined && known.spec.url !== wanted.url)
    return fail(problem('already_exists', 'this repository is known under another URL', { at: 'url' }));
  const credentialsSecret = `${name}-credentials`;
  const derived = known === undefined ? derivedApiUrl(wanted, deps.forgeApis) : known.spec.apiUrl;
  const apiUrl = wanted.api_url ?? derived;
  const saved = await saveCredentials(deps, credentialsSecret, { wanted, apiUrl });
  if (!saved.ok) return saved;
  const credentials = saved.value ? { credentialsSecret } : {};
  return known === undefined ? create(deps, { name, wanted, apiUrl, credentials }) : reuse(deps, known, credentials);
}

/** Keeps the token, the App's key or the OAuth grant, if there is one; answers whether there is. */
async function saveCredentials(
  deps: GitDeps,
  secretName: string,
  { wanted, apiUrl }: { readonly wanted: Wanted; readonly apiUrl: string | undefined },
): Promise<Result<boolean>> {
  const { token, app, oauth, provider, repository_id: repositoryId } = wanted;
  const at = apiUrl === undefined ? {} : { apiUrl };
  if (app !== undefined) {
    const { app_id: appId, installation_id: installationId, private_key: privateKey } = app;
    const saved = await deps.credentials.saveApp(secretName, {
      appId,
      installationId,
      privateKey,
      repositoryId,
      ...at,
    });
    return saved.ok ? ok(true) : saved;
  }
  if (oauth !== undefined) {
    const { application_id: applicationId, application_secret: applicationSecret, refresh_token: refreshToken } = oauth;
    const secret = applicationSecret === undefined ? {} : { applicationSecret };
    const saved = await deps.credentials.saveOauth(secretName, { applicationId, ...secret, refreshToken, ...at });
    return saved.ok ? ok(true) : saved;
  }
  if (token === undefined) return ok(false);
  const username = wanted.username ?? (provider === 'github' ? 'x-access-token' : 'oauth2');
  const saved = await deps.credentials.saveCredentials(secretName, { username, token });
  return saved.ok ? ok(true) : saved;
}

type Credentials = { readonly credentialsSecret?: string };

async function create(
  deps: GitDeps,
  input: {
    readonly name: string;
    readonly wanted: Wanted;
    readonly apiUrl: string | undefined;
    readonly credentials: Credentials;
  },
): Promise<Result<Saved>> {
  const { name, wanted, apiUrl, credentials } = input;
  const webhookAuth = wanted.provider === 'github' ? 'hmac' : wanted.signing_token === true ? 'signing-token' : 'token';
  const webhookSecret = `${name}-hook`;
  const secret = newHookSecret(deps, webhookAuth);
  const saved = await deps.credentials.saveHookSecret(webhookSecret, { current: secret });
  if (!saved.ok) return saved;
  const created = await deps.store.repositories.create({
    name,
    spec: {
      forge: wanted.provider,
      url: wanted.url,
      repositoryId: wanted.repository_id,
      project: wanted.repository,
      ...(apiUrl === undefined ? {} : { apiUrl }),
      ...(wanted.local === true ? { local: true } : {}),
      ...credentials,
      webhookSecret,
      webhookAuth,
      hookId: deps.random.hex(16),
      intervalSeconds: wanted.interval_seconds ?? DEFAULT_INTERVAL_SECONDS,
      ...(wanted.scope === undefined ? {} : { scope: wanted.scope }),
    },
  });
  return created.ok ? ok({ repository: created.value, created: true, secret }) : created;
}

/** A known repository keeps its hook; one whose secret was revoked meanwhile gets a new one, because the old can not be shown again. */
async function reuse(deps: GitDeps, repository: GitRepository, credentials: Credentials): Promise<Result<Saved>> {
  const webhookSecret = repository.spec.webhookSecret ?? `${repository.name}-hook`;
  const known = await deps.credentials.hasHookSecret(webhookSecret);
  if (!known.ok) return known;
  const secret = known.value ? undefined : newHookSecret(deps, repository.spec.webhookAuth);
  if (secret !== undefined) {
    const saved = await deps.credentials.saveHookSecret(webhookSecret, { current: secret });
    if (!saved.ok) return saved;
  }
  const updated = await deps.store.repositories.update(repository.name, ({ spec }) => {
    const next = { ...spec, ...credentials, webhookSecret };
    const isSame = spec.webhookSecret === webhookSecret && spec.credentialsSecret === next.credentialsSecret;
    return isSame ? undefined : { spec: next };
  });
  return updated.ok ? ok({ repository: updated.value, created: false, secret }) : updated;
}

/** A secret for the hook, as its way of proving deliveries needs it. */
export function newHookSecret(deps: Pick<GitDeps, 'random'>, auth: GitRepository['spec']['webhookAuth']): string {
  const random = deps.random.hex(HOOK_SECRET_BYTES);
  return auth === 'signing-token' ? `whsec_${Buffer.from(random, 'hex').toString('base64')}` : random;
}
