import type { Result } from '../../../kernel/index.ts';
import type { AuditRetention, Clock } from '../../../ports/index.ts';

const DAY_MS = 86_400_000;

/** Forgets changes beyond the number and the age that are kept; answers how many. */
export function retainAudit(
  deps: { readonly audit: AuditRetention; readonly clock: Clock },
  keep: { readonly records: number; readonly days: number },
): Promise<Result<number>> {
  const since = new Date(deps.clock.now().getTime() - keep.days * DAY_MS);
  return deps.audit.prune({ records: keep.records, since });
}
