import { type DeployGrant, ok, type Result } from '../kernel/index.ts';
import type { GitSource } from '../ports/index.ts';
import type { Deps } from './context.ts';

type Conditions = GitSource['status']['conditions'];
type Condition = NonNullable<Conditions>[number];

/** Type of the condition a source has from some days before its grant expires. */
const GRANT_EXPIRING = 'GrantExpiring';

/** How a grant stands at this time; `warningMs` before its end it is expiring. */
export function grantState(grant: DeployGrant, now: Date, warningMs: number): 'valid' | 'expiring' | 'expired' {
  const left = Date.parse(grant.expiresAt) - now.getTime();
  return left <= 0 ? 'expired' : left <= warningMs ? 'expiring' : 'valid';
}

/** The warning among a source's conditions, for those who write the others anew. */
export function grantWarning(conditions: Conditions): readonly Condition[] {
  return conditions?.filter(({ type }) => type === GRANT_EXPIRING) ?? [];
}

/**
 * Says on each source whose grant ends soon, or has ended, that it does, before a push dies of it; takes it back once the grant is renewed.
 * Counts them for the metrics. Writes only what changes.
 */
export async function warnOfGrants(deps: Deps): Promise<Result<void>> {
  const counts = { valid: 0, expiring: 0, expired: 0 };
  const { grantWarningMs } = deps.options;
  for (const source of deps.store.sources.all()) {
    if (source.deleting) continue;
    counts[grantState(source.spec.grant, deps.clock.now(), grantWarningMs)] += 1;
    if (warned(source, deps.clock.now(), grantWarningMs) === undefined) continue;
    const written = await deps.store.sources.updateStatus(source.name, (current) => {
      const conditions = warned(current, deps.clock.now(), grantWarningMs);
      return conditions === undefined ? undefined : { ...current.status, conditions: [...conditions] };
    });
    if (!written.ok && written.problem.code !== 'not_found') return written;
  }
  deps.metrics.grants(counts);
  return ok(undefined);
}

/** The conditions with the warning as it should be; `undefined` when they have it. */
function warned(source: GitSource, now: Date, warningMs: number): readonly Condition[] | undefined {
  const { conditions = [] } = source.status;
  const [known] = grantWarning(conditions);
  const { expiresAt } = source.spec.grant;
  const state = grantState(source.spec.grant, now, warningMs);
  const others = conditions.filter(({ type }) => type !== GRANT_EXPIRING);
  if (state === 'valid') return known === undefined ? undefined : others;
  const reason = state === 'expired' ? 'GrantExpired' : 'GrantExpiring';
  const message = `the deploy grant ${state === 'expired' ? 'expired' : 'expires'} at ${expiresAt}; renew it with \`hakopod sources grant renew\``;
  if (known?.reason === reason && known.message === message) return undefined;
  const condition: Condition = {
    type: GRANT_EXPIRING,
    status: 'True',
    reason,
    message,
    lastTransitionTime: known?.lastTransitionTime ?? now.toISOString(),
    observedGeneration: source.generation,
  };
  return [...others, condition];
}
