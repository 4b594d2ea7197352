import { isSamePlan } from '../../grant/index.ts';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { type GitSource, REQUESTED_AT } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { currentWait } from './waiting.ts';

/** Who approves which plan, and how. */
export type Approval = {
  readonly source: string;
  readonly commit: string;
  /** The digest somebody saw; absent when the commit alone is named. */
  readonly digest?: string | undefined;
  readonly by: string;
  readonly via: 'api' | 'cli' | 'comment';
};

/**
 * Approves the plan a source waits with, and asks for the ref once more. `conflict` for any other plan: what was approved is exactly this
 * commit, specification and grant revision (DESIGN invariant 10), also when another commit comes in the next moment. Approving twice is
 * the same as once.
 */
export async function approve(
  deps: Pick<Deps, 'store' | 'clock'>,
  { source, commit, digest, by, via }: Approval,
): Promise<Result<GitSource>> {
  const at = deps.clock.now().toISOString();
  let refused: string | undefined;
  let isKnown = false;
  const written = await deps.store.sources.updateStatus(source, (current) => {
    const waiting = currentWait(current);
    const { approval, seen } = current.status;
    isKnown =
      approval?.commit === commit &&
      seen?.commit === commit &&
      (digest === undefined || approval.digest === digest) &&
      (waiting === undefined || isSamePlan(approval, waiting));
    if (isKnown) return undefined;
    refused =
      waiting === undefined || waiting.for !== 'approval'
        ? 'no plan of this source waits for an approval'
        : waiting.commit !== commit || (digest !== undefined && waiting.digest !== digest)
          ? 'another plan waits for an approval by now; look at it first'
          : undefined;
    if (waiting === undefined || refused !== undefined) return undefined;
    const plan = { commit: waiting.commit, digest: waiting.digest, grantRevision: waiting.grantRevision };
    return { ...current.status, approval: { ...plan, by, via, at } };
  });
  if (!written.ok) return written;
  if (!isKnown && refused !== undefined) return fail(problem('conflict', refused));
  if (isKnown && currentWait(written.value) === undefined) return written;
  const asked = await deps.store.sources.update(source, ({ annotations }) => ({
    annotations: { ...annotations, [REQUESTED_AT]: at },
  }));
  return asked.ok ? ok(asked.value) : asked;
}
