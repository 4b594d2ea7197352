import { ok, type Result } from '../../kernel/index.ts';
import type { DomainClaim } from '../../ports/index.ts';
import { domainChallenge, isDomainDue, nextDomainState } from '../../reconcile/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Deps } from '../context.ts';

type CheckDeps = Pick<Deps, 'store' | 'dns' | 'clock'>;

/** Reads the records of one claim's challenge and puts on record how the domain stands then. */
export async function checkDomain({ store, dns, clock }: CheckDeps, claim: DomainClaim): Promise<Result<DomainClaim>> {
  const { name, value } = domainChallenge(claim.spec.host, claim.spec.token);
  const records = await dns.txt(name);
  const now = clock.now();
  return store.domains.updateStatus(claim.name, (current) =>
    // Let go and made again by somebody else: these records are not the answer to their challenge.
    current.uid === claim.uid ? { ...nextDomainState(current.status, { value, records, now }) } : undefined,
  );
}

/**
 * Looks again at the domains of an application that is at rest, where it is time to: a pending one may be verified by now, and the record of a
 * verified one may be gone. Those that `desired` names, all it holds without. What can not be read changes nothing.
 */
export async function recheckDomains(
  deps: CheckDeps,
  { application, id, desired }: { readonly application: string; readonly id: string; readonly desired?: Application },
): Promise<Result<void>> {
  if (desired !== undefined && Object.keys(desired.domains).length === 0) return ok(undefined);
  const claims = await deps.store.domains.ofApplication(application);
  if (!claims.ok) return claims;
  const due = claims.value.filter(
    ({ spec, status }) =>
      spec.applicationId === id &&
      (desired === undefined || Object.hasOwn(desired.domains, spec.host)) &&
      isDomainDue(status, deps.clock.now()),
  );
  const checked = await Promise.all(due.map((claim) => checkDomain(deps, claim)));
  const failed = checked.find((one) => !one.ok && one.problem.code !== 'not_found');
  return failed === undefined || failed.ok ? ok(undefined) : failed;
}
