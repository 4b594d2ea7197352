import { type CommitSha, fail, ok, problem, type Result } from '../../kernel/index.ts';
import { loadOne } from './read-file.ts';
import type { Repository } from './repository.ts';

/** Bytes of a message that are read. */
const MESSAGE_BYTES = 64 * 1024;

/** What a commit says: all behind its headers, which end with the first empty line (git-commit-tree(1)). */
export async function commitMessageAt(
  repository: Repository,
  commit: CommitSha,
  signal: AbortSignal,
): Promise<Result<string>> {
  const loaded = await loadOne(repository, { kind: 'commit', oids: [commit], commits: [commit] }, signal);
  if (!loaded.ok) return loaded;
  const { type, data } = loaded.value;
  if (type !== 'commit') return fail(problem('commit_not_found', 'the id is not that of a commit'));
  const end = data.indexOf('\n\n');
  return ok(end < 0 ? '' : data.toString('utf8', end + 2, end + 2 + MESSAGE_BYTES));
}
