import { type DeployGrant, fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { Grant, SetGrant } from '../../../ports/api/index.ts';
import type { GitSource } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import type { By, GitDeps } from './context.ts';
import { bindRefusal, findSource, resourceOf } from './find-source.ts';
import { grantView } from './view.ts';

const DAY_MS = 86_400_000;
/** Facts 4.3. */
const LIFETIME_DAYS = 90;

type Choice = {
  readonly [Field in 'domains' | 'registries' | 'build_args' | 'limits' | 'pull_requests' | 'days']?:
    | SetGrant[Field]
    | undefined;
};

/** The grant with what somebody chose of it; what is not named stays. */
export function withChoice(grant: DeployGrant, choice: Choice, now: Date): DeployGrant {
  const { domains, registries, build_args: buildArgs, limits, pull_requests: pullRequests, days } = choice;
  return {
    ...grant,
    ...(domains === undefined ? {} : { domains: [...domains] }),
    ...(registries === undefined ? {} : { registries: [...registries] }),
    ...(buildArgs === undefined ? {} : { buildArgs: [...buildArgs] }),
    ...(limits === undefined ? {} : { limits: limitsOf(limits) }),
    ...(pullRequests === undefined ? {} : { pullRequests }),
    ...(days === undefined ? {} : { expiresAt: inDays(now, days) }),
  };
}

function limitsOf(limits: NonNullable<SetGrant['limits']>): DeployGrant['limits'] {
  const { services, replicas, cpu_millis: cpuMillis, memory_bytes: memoryBytes } = limits;
  return {
    ...(services === undefined ? {} : { services }),
    ...(replicas === undefined ? {} : { replicas }),
    ...(cpuMillis === undefined ? {} : { cpuMillis }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  };
}

function inDays(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString();
}

/** Changes a grant at the revision somebody saw; it is then theirs, and as strong as they are. */
export function setGrant(deps: GitDeps, by: By, input: SetGrant & { readonly id: string }): Promise<Result<Grant>> {
  return change(deps, by, {
    id: input.id,
    action: 'grant.set',
    expected: input.expected_revision,
    next: (grant) => withChoice(grant, input, deps.clock.now()),
  });
}

/** Grants the same for so many days from now. */
export function renewGrant(
  deps: GitDeps,
  by: By,
  input: { readonly id: string; readonly days?: number | undefined },
): Promise<Result<Grant>> {
  return change(deps, by, {
    id: input.id,
    action: 'grant.renew',
    expected: undefined,
    next: (grant) => ({ ...grant, expiresAt: inDays(deps.clock.now(), input.days ?? LIFETIME_DAYS) }),
  });
}

type Wanted = {
  readonly id: string;
  readonly action: string;
  readonly expected: number | undefined;
  readonly next: (grant: DeployGrant) => DeployGrant;
};

async function change(deps: GitDeps, by: By, wanted: Wanted): Promise<Result<Grant>> {
  const found = await findSource(deps, wanted.id, (target) => bindRefusal(by.principal, target));
  if (!found.ok) return found;
  let isStale = false;
  const written = await deps.store.sources.update(wanted.id, ({ spec }): { spec: GitSource['spec'] } | undefined => {
    const { grant } = spec;
    isStale = wanted.expected !== undefined && wanted.expected !== grant.revision;
    if (isStale) return undefined;
    const owner = by.principal.identity;
    return {
      spec: { ...spec, grant: { ...wanted.next(grant), owner, identity: owner, revision: grant.revision + 1 } },
    };
  });
  if (!written.ok) return written;
  if (isStale) return fail(problem('conflict', 'the grant has another revision than expected'));
  const { grant } = written.value.spec;
  const sides = { before: found.value.spec.grant, after: grant };
  await audited(deps, by, { action: wanted.action, resource: resourceOf(written.value), ...sides });
  return ok(grantView(deps, grant));
}
