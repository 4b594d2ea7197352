import { createPrivateKey } from 'node:crypto';
import { fail, type Manifest, ok, problem, type Result } from '../../kernel/index.ts';
import type {
  AppCredentials,
  AppTokens,
  Clock,
  Cluster,
  CredentialStore,
  Log,
  OauthTokens,
  RepositoryAccess,
  TokenUse,
} from '../../ports/index.ts';
import { HOOK_SECRET } from './labels.ts';
import { createOauthAccess } from './oauth-access.ts';
import { grantIn } from './oauth-secret.ts';
import { changeSecret, removeSecret, saveSecret, secretRef, secretValue } from './secret-objects.ts';

/**
 * Credentials of repositories (`username`, `token`, or what a GitHub App or an OAuth grant needs) and of webhooks (`current`, `previous`) as Secrets of the control namespace.
 * A Secret somebody else made is read but never changed or removed (`not_owned`).
 */
export function createCredentialStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** For repositories that a GitHub App opens. */
  readonly appTokens?: AppTokens;
  /** For repositories that an OAuth grant opens. */
  readonly oauth?: { readonly tokens: OauthTokens; readonly clock: Clock; readonly log: Log };
}): CredentialStore {
  const { cluster, namespace, appTokens } = options;
  const oauth = options.oauth === undefined ? undefined : createOauthAccess({ cluster, ...options.oauth });

  /** A token of a suspended installation is refused wherever it is used; asking for another one says why. */
  async function appAccess(app: AppCredentials, use: TokenUse, refused?: string): Promise<Result<RepositoryAccess>> {
    const minted =
      appTokens === undefined ? fail(problem('forge_unauthorized')) : await appTokens.mint(app, use, refused);
    if (!minted.ok) return minted;
    return ok({ username: 'x-access-token', token: minted.value, installation: app.installationId, renewable: true });
  }

  /** The limits are the grant's, whichever token it has at the time. */
  async function oauthAccess(secretName: string, refused: string | undefined): Promise<Result<RepositoryAccess>> {
    if (oauth === undefined) return fail(problem('forge_unauthorized'));
    const access = await oauth.token(secretRef(namespace, secretName), refused);
    if (!access.ok) return access;
    return ok({ username: 'oauth2', token: access.value, installation: secretName, renewable: true });
  }

  return {
    forRepository: async (secretName, use, refused) => {
      const read = await cluster.get(secretRef(namespace, secretName));
      if (!read.ok) return read;
      if (read.value === undefined) return ok(undefined);
      const app = appOf(read.value);
      if (app !== undefined) return appAccess(app, use, refused);
      return grantIn(read.value) === undefined ? tokenAccess(read.value) : oauthAccess(secretName, refused);
    },
    saveCredentials: async (secretName, value) => {
      if (value.username === '' || value.token === '')
        return fail(problem('invalid_secret', 'username and token may not be empty'));
      const { username, token } = value;
      const saved = await saveSecret(cluster, secretRef(namespace, secretName), {
        data: { username, token },
        labels: {},
      });
      return saved.ok ? ok(undefined) : saved;
    },
    saveApp: async (secretName, app) => {
      if (!canSign(app.privateKey))
        return fail(
          problem('invalid_secret', 'the private key has to be an RSA key of at least 2048 bits, as PEM', {
            at: 'app.private_key',
          }),
        );
      const saved = await saveSecret(cluster, secretRef(namespace, secretName), {
        data: {
          ...{ 'app-id': app.appId, 'installation-id': app.installationId, 'private-key': app.privateKey },
          'repository-id': app.repositoryId,
          ...(app.apiUrl === undefined ? {} : { 'api-url': app.apiUrl }),
        },
        labels: {},
      });
      return saved.ok ? ok(undefined) : saved;
    },
    saveOauth: async (secretName, grant) =>
      oauth === undefined ? fail(problem('forge_unauthorized')) : oauth.save(secretRef(namespace, secretName), grant),
    hasHookSecret: async (secretName) => {
      const read = await cluster.get(secretRef(namespace, secretName));
      if (!read.ok) return read;
      return ok(read.value !== undefined && secretValue(read.value, 'current') !== undefined);
    },
    hookSecret: async (secretName) => {
      const read = await cluster.get(secretRef(namespace, secretName));
      if (!read.ok) return read;
      const current = read.value === undefined ? undefined : secretValue(read.value, 'current');
      if (read.value === undefined || current === undefined) return ok(undefined);
      const previous = secretValue(read.value, 'previous');
      return ok(previous === undefined ? { current } : { current, previous });
    },
    dropPreviousHookSecret: async (secretName, current) => {
      const changed = await changeSecret(cluster, secretRef(namespace, secretName), (secret) => {
        const isSame = secretValue(secret, 'current') === current && secretValue(secret, 'previous') !== undefined;
        return ok(isSame ? { data: { current }, labels: { [HOOK_SECRET]: 'true' } } : undefined);
      });
      return changed.ok ? ok(undefined) : changed;
    },
    saveHookSecret: async (secretName, value) => {
      const { current, previous } = value;
      if (current === '' || previous === '')
        return fail(problem('invalid_secret', 'the secret of a webhook may not be empty'));
      const saved = await saveSecret(cluster, secretRef(namespace, secretName), {
        data: previous === undefined ? { current } : { current, previous },
        labels: { [HOOK_SECRET]: 'true' },
      });
      return saved.ok ? ok(undefined) : saved;
    },
    remove: async (secretName) => {
      const removed = await removeSecret(cluster, secretRef(namespace, secretName));
      return removed.ok ? ok(undefined) : removed;
    },
  };
}

function tokenAccess(secret: Manifest): Result<RepositoryAccess> {
  const username = secretValue(secret, 'username');
  const token = secretValue(secret, 'token');
  if (username === undefined || token === undefined)
    return fail(problem('invalid_secret', 'the credentials of the repository need the keys username and token'));
  return ok({ username, token });
}

/** A GitHub App's credentials, when the Secret holds them. */
function appOf(secret: Manifest): AppCredentials | undefined {
  const [appId, installationId, privateKey, repositoryId] = (
    ['app-id', 'installation-id', 'private-key', 'repository-id'] as const
  ).map((key) => secretValue(secret, key));
  if (appId === undefined || installationId === undefined || privateKey === undefined || repositoryId === undefined)
    return undefined;
  const apiUrl = secretValue(secret, 'api-url');
  return { appId, installationId, privateKey, repositoryId, ...(apiUrl === undefined ? {} : { apiUrl }) };
}

/** GitHub's keys are RSA; a shorter one than 2048 bits is none of them (facts 4.1). */
function canSign(pem: string): boolean {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
  } catch {
    return false;
  }
}
