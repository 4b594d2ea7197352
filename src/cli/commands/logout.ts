import { parseKey } from '../../access/index.ts';
import { RevokedKey } from '../../ports/api/index.ts';
import { createClient } from '../client/api.ts';
import { type Login, readLogin, removeLogin } from '../client/login-file.ts';
import { httpTransport } from '../client/transport.ts';
import type { Cli } from '../session.ts';

/** Somebody waits, and the login is forgotten whatever the server says. */
const PATIENCE = { headMs: 5_000, requestMs: 10_000 };

/**
 * Ends the key of the login, as far as the server can be reached, and forgets the login either way: what stays behind is said, because that key
 * opens the API until it expires.
 */
export async function logout({ terminal, runtime }: Pick<Cli, 'terminal' | 'runtime'>): Promise<void> {
  const { loginFile } = runtime.clientEnvironment();
  const read = await readLogin(loginFile);
  const left = read.ok ? read.value && (await endKey(read.value)) : read.problem.message;
  if (!(await removeLogin(loginFile))) return terminal.out('there was no login');
  terminal.out('logged out');
  if (left !== undefined)
    terminal.err(`its key was not revoked, so it works until it expires or an administrator revokes it: ${left}`);
}

/** Revokes the key with itself. Answers why it may still work; `undefined` when it does not. */
async function endKey({ url, key }: Login): Promise<string | undefined> {
  const parsed = parseKey(key);
  const way = httpTransport(url, key, PATIENCE);
  if (parsed === undefined) return 'it is no key';
  if (!way.ok) return way.problem.message;
  const ended = await createClient(way.value).call({
    method: 'DELETE',
    path: `/keys/${parsed.id}`,
    answer: RevokedKey,
  });
  // A key that opens nothing any more has expired or was revoked before.
  return ended.ok || ended.problem.code === 'unauthorized' ? undefined : ended.problem.message;
}
