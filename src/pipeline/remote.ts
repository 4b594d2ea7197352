import { ok, type Result } from '../kernel/index.ts';
import type { CredentialStore, ForgeRepository, GitRepository, Remote, Renewal, TokenUse } from '../ports/index.ts';
import type { Deps } from './context.ts';

/** Where to read the repository, with the credentials it has now. `local` counts only where the installation allows it. */
export async function remoteOf(
  repository: GitRepository,
  deps: Pick<Deps, 'credentials' | 'options'>,
): Promise<Result<Remote>> {
  const { url, local, credentialsSecret } = repository.spec;
  const base = { url, local: local === true && deps.options.localRepositories };
  if (credentialsSecret === undefined) return ok(base);
  const found = await deps.credentials.forRepository(credentialsSecret, 'read');
  if (!found.ok) return found;
  if (found.value === undefined) return ok(base);
  const { username, token: password, renewable } = found.value;
  return ok({ ...base, credentials: { username, password }, ...renewalOf(renewable, credentialsSecret, 'read') });
}

/** Where to write the repository's statuses, or with another use to its webhooks, with the token it has now. */
export async function forgeOf(
  repository: GitRepository,
  credentials: CredentialStore,
  use: TokenUse = 'report',
): Promise<Result<ForgeRepository>> {
  const { forge, project, repositoryId, apiUrl, credentialsSecret } = repository.spec;
  const base = { forge, project, repositoryId, ...(apiUrl === undefined ? {} : { apiUrl }) };
  if (credentialsSecret === undefined) return ok(base);
  const found = await credentials.forRepository(credentialsSecret, use);
  if (!found.ok) return found;
  if (found.value === undefined) return ok(base);
  const { token, installation, renewable } = found.value;
  return ok({
    ...base,
    token,
    ...(installation === undefined ? {} : { installation }),
    ...renewalOf(renewable, credentialsSecret, use),
  });
}

function renewalOf(renewable: true | undefined, secret: string, use: TokenUse): { readonly renewal?: Renewal } {
  return renewable ? { renewal: { secret, use } } : {};
}
