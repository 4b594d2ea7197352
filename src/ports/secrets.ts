import type { ApplicationKey, Result } from '../kernel/index.ts';
import type { AppCredentials, TokenUse } from './app-tokens.ts';
import type { OauthGrant } from './oauth-tokens.ts';

/** Application-scoped secrets: Kubernetes Secrets `env-<scope>-<name>` in the control namespace (facts 6.6). */
export interface SecretStore {
  /** Creates or replaces. `invalid_secret` for an empty, NUL-holding or over 64 KiB value; `secret_limit` past 100. */
  set(application: ApplicationKey, name: string, value: string): Promise<Result<'created' | 'replaced'>>;
  /** As `set`, but `secret_exists` when there is one of the name. */
  create(application: ApplicationKey, name: string, value: string): Promise<Result<{ readonly updatedAt: string }>>;
  /** As `set`, but `not_found` when there is none of the name. */
  replace(application: ApplicationKey, name: string, value: string): Promise<Result<{ readonly updatedAt: string }>>;
  /**
   * Creates the secrets of env files that do not exist yet, marked as such. Their names follow from their values, so what exists stays as
   * it is, and counts as written now. Problems as for `set`.
   */
  addImported(
    application: ApplicationKey,
    secrets: readonly { readonly ref: string; readonly value: string }[],
  ): Promise<Result<void>>;
  /**
   * Deletes the secrets of env files that are not in `kept`, and tells how many. One that was written within the last hour stays: a release
   * that refers to it may be about to be accepted.
   */
  pruneImported(application: ApplicationKey, kept: ReadonlySet<string>): Promise<Result<number>>;
  /** Names and times only. */
  list(application: ApplicationKey): Promise<Result<readonly { readonly name: string; readonly updatedAt: string }[]>>;
  /** False when there was none. */
  delete(application: ApplicationKey, name: string): Promise<Result<boolean>>;
  /** The names of `names` that do not exist; reads no values. A failing cluster is a problem, never "missing". */
  missing(application: ApplicationKey, names: readonly string[]): Promise<Result<readonly string[]>>;
  /** All values in one read before anything is written; `missing_secrets` names what is absent. */
  snapshot(application: ApplicationKey, names: readonly string[]): Promise<Result<ReadonlyMap<string, string>>>;
}

/** What opens a repository. */
export type RepositoryAccess = {
  readonly username: string;
  readonly token: string;
  readonly installation?: string;
  /** The token ends, and another can end it sooner: one that is refused may have been replaced. */
  readonly renewable?: true;
};

/** Which credentials, and for what, another token is asked of when one was refused. */
export type Renewal = { readonly secret: string; readonly use: TokenUse };

/** Credentials of repositories and webhooks, kept in Secrets of the control namespace. */
export interface CredentialStore {
  /**
   * What opens the repository at its Git server and forge; `undefined` when the repository has none. Of a GitHub App it is a token minted for
   * this use, anew when it was `refused`, and `installation` names whose limits it has. Of an OAuth grant it is an access token, renewed when it is due, or when it is
   * `refused`, which a server did not take: `oauth_grant_ended` when it can not be renewed any more.
   */
  forRepository(secretName: string, use: TokenUse, refused?: string): Promise<Result<RepositoryAccess | undefined>>;
  saveCredentials(
    secretName: string,
    value: { readonly username: string; readonly token: string },
  ): Promise<Result<void>>;
  /** Instead of a token. `invalid_secret` for a key that can sign for no App. */
  saveApp(secretName: string, app: AppCredentials): Promise<Result<void>>;
  /**
   * Instead of a token. Its refresh token is used at once, and what the forge answered is kept; a forge that is away is asked later.
   * `oauth_grant_ended` and `forge_unauthorized` for a grant it does not take, `invalid_secret` for one that may not do what is needed.
   */
  saveOauth(secretName: string, grant: OauthGrant): Promise<Result<void>>;
  /** Whether the hook has a secret; its value is not told. */
  hasHookSecret(secretName: string): Promise<Result<boolean>>;
  /** The hook's secrets, to enter them at the forge; `undefined` when it has none. Not for anybody's eyes. */
  hookSecret(secretName: string): Promise<Result<{ readonly current: string; readonly previous?: string } | undefined>>;
  /** Lets `current` alone be valid, if it still is the current one. Idempotent. */
  dropPreviousHookSecret(secretName: string, current: string): Promise<Result<void>>;
  /** Saves a hook's secret (`previous` valid beside it during rotation). */
  saveHookSecret(
    secretName: string,
    value: { readonly current: string; readonly previous?: string },
  ): Promise<Result<void>>;
  remove(secretName: string): Promise<Result<void>>;
}

/** What the receiver needs to judge a delivery, from a watch's cache: no call to anything. */
export interface HookDirectory {
  /** False until the first list of repositories and of hook secrets is complete; the receiver then answers 503. */
  readonly ready: boolean;
  /** `undefined` when no repository has this hook id or it has no secret. */
  find(hookId: string): HookEntry | undefined;
}

export type HookEntry = {
  readonly repository: string;
  readonly forge: 'github' | 'gitlab';
  readonly auth: 'hmac' | 'token' | 'signing-token';
  readonly repositoryId: string;
  /** One or two; all are valid. */
  readonly secrets: readonly string[];
};
