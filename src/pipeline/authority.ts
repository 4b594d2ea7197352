import { allows, LOCAL, type Principal, principalOf, type Scope } from '../access/index.ts';
import { type ApplicationKey, type DeployGrant, fail, ok, problem, type Result } from '../kernel/index.ts';
import type { Clock, IdentityCollection, KeyDirectory, KeyRecord, RoleCollection } from '../ports/index.ts';

/** Where authority is looked up: caches alone, so that it can be asked before every step. */
export type AuthorityDeps = {
  readonly keys: KeyDirectory;
  readonly identities: Pick<IdentityCollection, 'cached' | 'onChange'>;
  readonly roles: Pick<RoleCollection, 'cached' | 'onChange'>;
  readonly clock: Clock;
};

/** Whether a key may be used at this time: not revoked, not expired; a rotated one expires with its overlap (facts 9.1). */
export function isLive(key: KeyRecord, now: Date): boolean {
  return key.revokedAt === undefined && Date.parse(key.expiresAt) > now.getTime();
}

/** The principal a key makes now; `undefined` when it is not live, or its identity is gone or disabled. */
export function principalOfKey(deps: AuthorityDeps, key: KeyRecord): Principal | undefined {
  const identity = deps.identities.cached(key.identity);
  if (!isLive(key, deps.clock.now()) || identity === undefined || identity.deleting) return undefined;
  const { spec, name } = identity;
  if (spec.disabled === true) return undefined;
  return principalOf({
    identity: { name, kind: spec.kind, permissions: spec.permissions, scope: spec.scope, bindings: spec.bindings },
    key,
    customRole: (role) => deps.roles.cached(role)?.spec.permissions,
  });
}

/**
 * The authority behind something that was asked for earlier, as it is now. `authority_revoked` when the key was revoked, has expired or was
 * rotated out, or its identity is gone or disabled. What was asked for locally, with the cluster's own rights, has nothing that could be revoked.
 */
export function authorityBehind(
  deps: AuthorityDeps,
  asked: { readonly identity: string; readonly key?: string | undefined },
): Result<Principal> {
  if (asked.key === undefined)
    return asked.identity === LOCAL.identity ? ok(LOCAL) : fail(problem('authority_revoked'));
  const key = deps.keys.find(asked.key);
  const principal = key?.identity === asked.identity ? principalOfKey(deps, key) : undefined;
  return principal === undefined ? fail(problem('authority_revoked')) : ok(principal);
}

/**
 * Whether the identity that made a deploy grant may still deploy there itself (facts 4.3: its live roles are asked at every use). A grant
 * nobody's identity stands behind, made with the cluster's own rights, is its own authority.
 */
export function checkGrantOwner(
  deps: Pick<AuthorityDeps, 'identities' | 'roles'>,
  grant: DeployGrant,
  application: ApplicationKey,
): Result<void> {
  if (grant.identity === undefined || grant.identity === LOCAL.identity) return ok(undefined);
  const owner = deps.identities.cached(grant.identity);
  const refused = (message: string): Result<never> => fail(problem('grant_refused', message, { at: 'grant.owner' }));
  if (owner === undefined || owner.deleting || owner.spec.disabled === true)
    return refused('who made the grant is gone or disabled; somebody else must set it');
  const { project, environment, name } = application;
  const target: Scope = { project, environment, application: name };
  return allows(ownerOf(deps, owner), 'deployments:write', target)
    ? ok(undefined)
    : refused('who made the grant may not deploy here any more; somebody else must set it');
}

/** The identity by itself: a grant has no key, and its own list of permissions is checked by the grant's rules. */
function ownerOf(
  deps: Pick<AuthorityDeps, 'roles'>,
  { name, spec }: NonNullable<ReturnType<IdentityCollection['cached']>>,
): Principal {
  const { kind, permissions, scope, bindings } = spec;
  const { key: _, ...owner } = principalOf({
    identity: { name, kind, permissions, scope, bindings },
    key: { id: '', kind: 'machine', permissions: [], scope: {} },
    customRole: (role) => deps.roles.cached(role)?.spec.permissions,
  });
  return owner;
}
