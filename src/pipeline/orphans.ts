import { ok, type Result } from '../kernel/index.ts';
import type { GitSource } from '../ports/index.ts';
import { describeOutcome } from '../status/index.ts';
import type { Deps } from './context.ts';
import { isFinal, isOwed, reportsOf, withReport } from './ledger.ts';

/** True for a source with an open commit whose application somebody deleted: no release will ever end it. */
export function isOrphaned(deps: Deps, source: GitSource): boolean {
  const isOpen = reportsOf(source).some((report) => !isFinal(report));
  return isOpen && deps.store.applications.cached(source.name) === undefined;
}

/**
 * Ends a source's open commits as cancelled, because their application or release was deleted behind our back. Nothing else would ever give
 * them a final word.
 */
export async function cancelOpen(deps: Deps, source: string): Promise<Result<void>> {
  const now = deps.clock.now();
  const written = await deps.store.sources.updateStatus(source, (current) => {
    const open = reportsOf(current).filter((report) => !isFinal(report));
    if (open.length === 0) return undefined;
    const cancelled = describeOutcome({ kind: 'cancelled' });
    const reports = open.reduce((all, { commit }) => withReport(all, commit, cancelled, now), [...reportsOf(current)]);
    return { ...current.status, reports };
  });
  if (!written.ok) return written.problem.code === 'not_found' ? ok(undefined) : written;
  const owed = reportsOf(written.value).filter(isOwed);
  return deps.jobs.addAll(owed.map(({ commit }) => ({ queue: 'report', source, commit }) as const));
}
