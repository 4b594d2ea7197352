import { ok, type Result } from '../../kernel/index.ts';
import type { GitSource } from '../../ports/index.ts';
import { describeOutcome } from '../../status/index.ts';
import type { Deps } from '../context.ts';
import { reportsOf, withReport } from '../ledger.ts';
import { currentWait } from './waiting.ts';

/**
 * Ends the plan that a suspended source waits with: nobody judges it any more, so its commit would be pending for as long as people leave it
 * suspended. Resuming plans the ref anew.
 */
export async function endWait(deps: Pick<Deps, 'store' | 'clock' | 'jobs'>, source: GitSource): Promise<Result<void>> {
  const waiting = currentWait(source);
  if (waiting === undefined) return ok(undefined);
  const written = await deps.store.sources.updateStatus(source.name, (current) => {
    if (current.spec.suspended !== true || currentWait(current)?.commit !== waiting.commit) return undefined;
    const told = describeOutcome({ kind: 'source_suspended' });
    const reports = withReport(reportsOf(current), waiting.commit, told, deps.clock.now());
    return { ...current.status, waiting: undefined, approval: undefined, reports };
  });
  if (!written.ok) return written.problem.code === 'not_found' ? ok(undefined) : written;
  return deps.jobs.add({ queue: 'report', source: source.name, commit: waiting.commit });
}
