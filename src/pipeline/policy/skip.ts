import { asksToSkip } from '../../grant/index.ts';
import { type CommitSha, ok, type Result } from '../../kernel/index.ts';
import type { GitSource, Remote } from '../../ports/index.ts';
import type { Deps, Run } from '../context.ts';

/**
 * Whether the commit's message asks that it is not deployed. A person who asks for the commit after it was skipped (`sources sync`) means
 * it, and a commit that was planned once is not skipped any more.
 */
export async function isSkipped(
  deps: Deps,
  { source, commit, remote }: { readonly source: GitSource; readonly commit: CommitSha; readonly remote: Remote },
  run: Run,
): Promise<Result<boolean>> {
  const { planned, seen } = source.status;
  const wasPlanned = planned?.commit === commit && planned.outcome !== 'skipped';
  const isAsked = planned?.commit === commit && planned.request !== seen?.request;
  if (wasPlanned || isAsked) return ok(false);
  const message = await deps.git.commitMessage({ remote, commit, signal: run.signal });
  if (message.ok) return ok(asksToSkip(message.value));
  // What is wrong with the commit itself is told by who reads its file.
  return message.problem.kind === 'rejected' ? ok(false) : message;
}
