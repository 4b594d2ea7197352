import { fail, ok, type Result } from '../kernel/index.ts';
import type { CredentialStore, ForgeRepository, GitReader, Remote, Renewal } from '../ports/index.ts';
import type { Pace } from './forge-pace.ts';

type Credentials = Pick<CredentialStore, 'forRepository'>;

/** What a token that ends is refused with. */
const REFUSED: readonly string[] = ['forge_unauthorized', 'git_unauthorized'];

/**
 * Renewing an OAuth token ends the one before at once, also under the hands of whoever works with it, and a GitHub App's ends with its
 * installation. So what is refused such a token is asked once more with the one that there is now, or fails for the reason why there is none. The credentials decide whether there is another: a refusal is no reason to renew again and again.
 */
async function otherToken(
  credentials: Credentials,
  used: { readonly renewal: Renewal | undefined; readonly token: string | undefined },
  answer: Result<unknown>,
): Promise<Result<string> | undefined> {
  const { renewal, token } = used;
  if (answer.ok || renewal === undefined || token === undefined || !REFUSED.includes(answer.problem.code))
    return undefined;
  const found = await credentials.forRepository(renewal.secret, renewal.use, token);
  if (!found.ok) return found;
  return found.value === undefined || found.value.token === token ? undefined : ok(found.value.token);
}

/** Calls to forges that are made once more when the token was renewed meanwhile. */
export function withRenewal(pace: Pace, credentials: Credentials): Pace {
  return async (repository, kind, call) => {
    const answer = await pace(repository, kind, call);
    const other = await otherToken(credentials, { renewal: repository.renewal, token: repository.token }, answer);
    if (other === undefined) return answer;
    if (!other.ok) return fail(other.problem);
    const renewed: ForgeRepository = { ...repository, token: other.value };
    return pace(renewed, kind, call);
  };
}

/** The same for a Git server. */
export function withGitRenewal(git: GitReader, credentials: Credentials): GitReader {
  async function again<T>(remote: Remote, read: (as: Remote) => Promise<Result<T>>): Promise<Result<T>> {
    const answer = await read(remote);
    const used = { renewal: remote.renewal, token: remote.credentials?.password };
    const other = await otherToken(credentials, used, answer);
    if (other === undefined || remote.credentials === undefined) return answer;
    if (!other.ok) return fail(other.problem);
    return read({ ...remote, credentials: { ...remote.credentials, password: other.value } });
  }
  return {
    listRefs: (remote, refs, signal) => again(remote, (as) => git.listRefs(as, refs, signal)),
    readFile: (request) => again(request.remote, (remote) => git.readFile({ ...request, remote })),
    commitMessage: (request) => again(request.remote, (remote) => git.commitMessage({ ...request, remote })),
    exportTree: (request) => again(request.remote, (remote) => git.exportTree({ ...request, remote })),
    changedPaths: (request) => again(request.remote, (remote) => git.changedPaths({ ...request, remote })),
  };
}
