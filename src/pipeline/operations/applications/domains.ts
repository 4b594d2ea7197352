import { fail, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type { DomainOperations, Domain as DomainView } from '../../../ports/api/index.ts';
import type { Application as ApplicationResource, DomainClaim } from '../../../ports/index.ts';
import { domainChallenge, domainToken, isDomainActive } from '../../../reconcile/index.ts';
import type { Application } from '../../../spec/index.ts';
import { checkDomain, reserveDomains } from '../../endpoints/index.ts';
import { unpackSpec } from '../../release-body.ts';
import { audited } from '../audited.ts';
import type { ReleaseDeps } from '../deployments/context.ts';
import { findApplication } from './find.ts';

/** Custom domains over the API (facts 7.5): what is on record and what proves each, and a check at once. */
export function domainOperations(deps: ReleaseDeps): DomainOperations {
  return {
    list: async (principal, { id }) => {
      const found = findApplication(deps, principal, { id, permission: 'deployments:read' });
      if (!found.ok) return found;
      const standing = await standingOf(deps, found.value);
      if (!standing.ok) return standing;
      const { claims, desired } = standing.value;
      const hosts = [...new Set([...claims.keys(), ...Object.keys(desired?.domains ?? {})])].sort();
      return ok({ items: hosts.map((host) => view(deps, standing.value, { host, claim: claims.get(host) })) });
    },
    verify: async (principal, { id, host }, info) => {
      const found = findApplication(deps, principal, { id, permission: 'deployments:write' });
      if (!found.ok) return found;
      const standing = await standingOf(deps, found.value);
      if (!standing.ok) return standing;
      const claim = await claimOf(deps, standing.value, host);
      if (!claim.ok) return claim;
      const checked = await checkDomain(deps, claim.value);
      if (!checked.ok) return checked;
      const refused = refusalOf(checked.value);
      if (refused !== undefined) return fail(refused);
      const { project, environment, name } = found.value.spec;
      const resource = { kind: 'Domain', project, environment, application: name, name: host };
      await audited(deps, { principal, info }, { action: 'domain.verify', resource });
      const queued = await deps.jobs.add({ queue: 'reconcile', application: found.value.name });
      if (!queued.ok)
        deps.log.warn('a verified domain waits for the next resync', {
          application: found.value.name,
          code: queued.problem.code,
        });
      return ok(view(deps, standing.value, { host, claim: checked.value }));
    },
  };
}

/** An application with what is on record of its domains. */
type Standing = {
  readonly application: ApplicationResource;
  readonly claims: ReadonlyMap<string, DomainClaim>;
  /** Of the newest accepted revision; `undefined` before there is one. */
  readonly desired: Application | undefined;
  readonly revision: number;
};

async function standingOf(deps: ReleaseDeps, application: ApplicationResource): Promise<Result<Standing>> {
  const claims = await deps.store.domains.ofApplication(application.name);
  if (!claims.ok) return claims;
  const releases = await deps.store.releases.ofApplication(application.name);
  if (!releases.ok) return releases;
  const [latest] = releases.value;
  const desired = latest === undefined ? ok(undefined) : unpackSpec(latest.spec.spec);
  if (!desired.ok) return desired;
  const own = claims.value.filter(({ spec }) => spec.applicationId === application.spec.id);
  return ok({
    application,
    claims: new Map(own.map((claim) => [claim.spec.host, claim])),
    desired: desired.value,
    revision: latest?.spec.revision ?? 1,
  });
}

/** The claim of a domain, made again where somebody deleted it. */
async function claimOf(deps: ReleaseDeps, standing: Standing, host: string): Promise<Result<DomainClaim>> {
  const { application, claims, desired, revision } = standing;
  const known = claims.get(host);
  if (known !== undefined) return ok(known);
  const unknown = fail(problem('not_found', 'the application has no such domain', { at: 'host' }));
  if (desired === undefined || !Object.hasOwn(desired.domains, host)) return unknown;
  const reserved = await reserveDomains(deps, { application, revision, desired });
  if (!reserved.ok) return reserved;
  const claim = await deps.store.domains.get(host);
  if (!claim.ok) return claim;
  return claim.value === undefined ? unknown : ok(claim.value);
}

function refusalOf({ status }: DomainClaim): Problem | undefined {
  if (status.code === undefined) return undefined;
  return status.code === 'dns_unavailable'
    ? problem('dns_unavailable')
    : problem('domain_not_verified', undefined, { at: 'host' });
}

function view(
  deps: ReleaseDeps,
  { application, desired }: Standing,
  { host, claim }: { readonly host: string; readonly claim: DomainClaim | undefined },
): DomainView {
  const { snapshotKey } = deps.options;
  const status = claim?.status ?? {};
  const service = desired?.domains[host];
  return {
    host,
    ...(service === undefined ? {} : { service }),
    status: isDomainActive(status) ? 'active' : 'pending',
    challenge: {
      type: 'TXT',
      ...domainChallenge(host, claim?.spec.token ?? domainToken(snapshotKey, application.spec.id, host)),
    },
    ...(status.verifiedAt === undefined ? {} : { verified_at: status.verifiedAt }),
    ...(status.checkedAt === undefined ? {} : { checked_at: status.checkedAt }),
    ...(status.code === undefined ? {} : { code: status.code }),
  };
}
