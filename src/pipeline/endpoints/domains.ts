import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { Application as ApplicationResource, DomainClaim } from '../../ports/index.ts';
import { domainChallenge, domainToken, isDomainActive } from '../../reconcile/index.ts';
import { type Application, formatPath } from '../../spec/index.ts';
import type { Deps } from '../context.ts';

/** The revision that wants its domains. */
type Reserving = {
  readonly application: ApplicationResource;
  readonly revision: number;
  readonly desired: Application;
};

type DomainDeps = Pick<Deps, 'store' | 'options' | 'dns'>;

/**
 * Why an application can not have the custom domains it names: another one holds them, or they lie under the application domain, whose names
 * the installation gives out itself. One that another application holds without proof is whose record says so. `id` is the application's,
 * when it has one. Reads only.
 */
export async function domainRefusals(
  deps: DomainDeps,
  asked: { readonly id: string | undefined; readonly application: Application },
): Promise<Result<readonly Problem[]>> {
  const answers = await Promise.all(
    Object.keys(asked.application.domains)
      .sort()
      .map(async (host): Promise<Result<Problem | undefined>> => {
        if (isGivenOut(deps, host))
          return ok(taken(host, 'is under the application domain, whose names the installation gives out itself'));
        const claim = await deps.store.domains.get(host);
        if (!claim.ok) return claim;
        if (claim.value === undefined || claim.value.spec.applicationId === asked.id) return ok(undefined);
        return heldBy(deps, claim.value, asked.id);
      }),
  );
  return answers.reduce<Result<readonly Problem[]>>((all, one) => {
    if (!all.ok) return all;
    if (!one.ok) return one;
    return one.value === undefined ? all : ok([...all.value, one.value]);
  }, ok([]));
}

function isGivenOut({ options: { appDomain } }: DomainDeps, host: string): boolean {
  return appDomain !== undefined && (host === appDomain || host.endsWith(`.${appDomain}`));
}

function taken(host: string, message?: string): Problem {
  return problem('domain_taken', message, { at: formatPath(['domains', host]) });
}

/**
 * Why another application's claim keeps a domain from the application `id`; `undefined` when it does not. A claim outlives its application
 * when somebody deletes that by hand; then it holds nothing. Nor does one without proof hold a domain against whoever can prove that it is
 * theirs: naming a stranger's domain first must not keep it from them.
 */
async function heldBy(
  deps: DomainDeps,
  claim: DomainClaim,
  id: string | undefined,
): Promise<Result<Problem | undefined>> {
  const { host, application, applicationId } = claim.spec;
  const holder = await deps.store.applications.get(application);
  if (!holder.ok) return holder;
  if (holder.value?.spec.id !== applicationId) return ok(undefined);
  if (isDomainActive(claim.status)) return ok(taken(host));
  const first =
    'another application waits for it; release this one without it, to be told the record that proves whose it is';
  if (id === undefined) return ok(taken(host, first));
  const { name, value } = domainChallenge(host, domainToken(deps.options.snapshotKey, id, host));
  const records = await deps.dns.txt(name);
  const isProven = records.ok && records.value.some((record) => record.trim() === value);
  const proof = `another application waits for it; it is yours once a TXT record ${name} says ${value}`;
  return ok(isProven ? undefined : taken(host, proof));
}

/**
 * Reserves the custom domains of a revision for its application, before the revision is on record (facts 6.2). Can be repeated. `domain_taken`
 * when another application was faster; what this one reserved until then goes with the next release that does not name it.
 */
export async function reserveDomains(deps: DomainDeps, wanted: Reserving): Promise<Result<void>> {
  for (const host of Object.keys(wanted.desired.domains).sort()) {
    const reserved = await reserve(deps, wanted, host);
    if (!reserved.ok) return reserved;
  }
  return ok(undefined);
}

/** A claim may be let go or made by somebody else in between; it is looked at again then. */
const TRIES = 3;

async function reserve(deps: DomainDeps, wanted: Reserving, host: string): Promise<Result<void>> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const claim = await deps.store.domains.get(host);
    if (!claim.ok) return claim;
    const taken = await take(deps, wanted, { host, claim: claim.value });
    if (!taken.ok || taken.value === 'reserved') return taken.ok ? ok(undefined) : taken;
  }
  return fail(problem('conflict'));
}

/** One move towards a claim of ours; `again` when it has to be looked at anew. */
async function take(
  deps: DomainDeps,
  wanted: Reserving,
  { host, claim }: { readonly host: string; readonly claim: DomainClaim | undefined },
): Promise<Result<'reserved' | 'again'>> {
  const { domains } = deps.store;
  const { application, revision } = wanted;
  const applicationId = application.spec.id;
  if (claim === undefined) {
    const token = domainToken(deps.options.snapshotKey, applicationId, host);
    const spec = { host, application: application.name, applicationId, token, revision };
    return reserved(await domains.create({ name: host, spec }), 'already_exists');
  }
  if (claim.spec.applicationId === applicationId)
    return reserved(
      await domains.update(host, ({ spec }) =>
        spec.revision >= revision ? undefined : { spec: { ...spec, revision } },
      ),
      'not_found',
    );
  const held = await heldBy(deps, claim, applicationId);
  if (!held.ok) return held;
  if (held.value !== undefined) return fail(held.value);
  const dropped = await domains.release(claim);
  return dropped.ok || dropped.problem.code === 'conflict' ? ok('again') : dropped;
}

function reserved(written: Result<DomainClaim>, raced: Problem['code']): Result<'reserved' | 'again'> {
  if (written.ok) return ok('reserved');
  return written.problem.code === raced ? ok('again') : written;
}

/** The custom domains of an application that may lead somewhere now. */
export async function activeDomains(
  { store }: Pick<Deps, 'store'>,
  application: ApplicationResource,
  desired: Application,
): Promise<Result<readonly string[]>> {
  if (Object.keys(desired.domains).length === 0) return ok([]);
  const claims = await store.domains.ofApplication(application.name);
  if (!claims.ok) return claims;
  return ok(
    claims.value
      .filter(({ spec, status }) => spec.applicationId === application.spec.id && isDomainActive(status))
      .map(({ spec }) => spec.host)
      .filter((host) => Object.hasOwn(desired.domains, host)),
  );
}

/**
 * Lets go of what a revision that is released does not name any more. Claims that a newer revision was accepted with stay, and so does one that
 * is renewed in this very moment.
 */
export async function dropDomains(
  { store }: Pick<Deps, 'store'>,
  released: {
    readonly application: string;
    readonly id: string;
    readonly revision: number;
    readonly desired: Application;
  },
): Promise<Result<void>> {
  const claims = await store.domains.ofApplication(released.application);
  if (!claims.ok) return claims;
  for (const claim of claims.value) {
    const { host, revision, applicationId } = claim.spec;
    const isOld = applicationId !== released.id || revision <= released.revision;
    if (!isOld || (applicationId === released.id && Object.hasOwn(released.desired.domains, host))) continue;
    const dropped = await store.domains.release(claim);
    if (!dropped.ok && dropped.problem.code !== 'conflict') return dropped;
  }
  return ok(undefined);
}

/** Lets go of every domain of an application that is removed. */
export async function forgetDomains({ store }: Pick<Deps, 'store'>, application: string): Promise<Result<void>> {
  const claims = await store.domains.ofApplication(application);
  if (!claims.ok) return claims;
  for (const claim of claims.value) {
    const dropped = await store.domains.release(claim);
    if (!dropped.ok) return dropped;
  }
  return ok(undefined);
}
