import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowedOn,
  allows,
  BUILT_IN_ROLES,
  canBindGit,
  canManageGit,
  canManagePreviews,
  covers,
  isAdmin,
  LOCAL,
  PERMISSIONS,
  type Permission,
  type Principal,
  principalOf,
  type Scope,
  sees,
} from '../../src/access/index.ts';

const SHOP = { project: 'acme', environment: 'production', application: 'shop' };
const PRODUCTION = { project: 'acme', environment: 'production' };

function principal(input: {
  key?: readonly Permission[];
  keyScope?: Scope;
  keyKind?: 'machine' | 'cli';
  identity?: readonly Permission[];
  identityScope?: Scope;
  roles?: readonly string[];
  project?: string;
}): Principal {
  return principalOf({
    identity: {
      name: 'ada',
      kind: 'person',
      permissions: input.identity ?? [],
      scope: input.identityScope ?? {},
      bindings: (input.roles ?? []).map((role) => ({ project: input.project ?? 'acme', role })),
    },
    key: {
      id: 'a'.repeat(32),
      kind: input.keyKind ?? 'machine',
      permissions: input.key ?? [],
      scope: input.keyScope ?? {},
    },
    customRole: (name) => (name === 'operator' ? ['logs:read', 'admin'] : undefined),
  });
}

describe('the decision rule', () => {
  const rows: readonly (readonly [string, Principal, Permission, Scope, boolean])[] = [
    ['key and identity have it', principal({ key: ['logs:read'], identity: ['logs:read'] }), 'logs:read', SHOP, true],
    ['the key lacks it', principal({ key: ['logs:read'], identity: ['admin'] }), 'deployments:read', SHOP, false],
    ['the identity lacks it', principal({ key: ['logs:read'] }), 'logs:read', SHOP, false],
    ['an administrator', principal({ key: ['logs:read'], identity: ['admin'] }), 'logs:read', SHOP, true],
    ['a role in the project', principal({ key: ['logs:read'], roles: ['developer'] }), 'logs:read', SHOP, true],
    [
      'a role in another project',
      principal({ key: ['logs:read'], roles: ['developer'], project: 'other' }),
      'logs:read',
      SHOP,
      false,
    ],
    ['a role that lacks it', principal({ key: ['logs:read'], roles: ['viewer'] }), 'logs:read', SHOP, false],
    ['a custom role', principal({ key: ['logs:read'], roles: ['operator'] }), 'logs:read', SHOP, true],
    ['a role nobody defines', principal({ key: ['logs:read'], roles: ['nothing'] }), 'logs:read', SHOP, false],
    ['a role of a prototype', principal({ key: ['logs:read'], roles: ['constructor'] }), 'logs:read', SHOP, false],
    [
      "the key's own project",
      principal({ key: ['logs:read'], keyScope: { project: 'acme' }, identity: ['admin'] }),
      'logs:read',
      SHOP,
      true,
    ],
    [
      "outside the key's environment",
      principal({ key: ['logs:read'], keyScope: { project: 'acme', environment: 'staging' }, identity: ['admin'] }),
      'logs:read',
      SHOP,
      false,
    ],
    [
      "outside the identity's scope",
      principal({ key: ['logs:read'], identity: ['logs:read'], identityScope: { project: 'other' } }),
      'logs:read',
      SHOP,
      false,
    ],
    [
      "a target wider than the key's scope",
      principal({ key: ['logs:read'], keyScope: SHOP, identity: ['admin'] }),
      'logs:read',
      PRODUCTION,
      false,
    ],
    [
      'writing deployments writes secrets',
      principal({ key: ['deployments:write'], identity: ['admin'] }),
      'secrets:write',
      SHOP,
      true,
    ],
    [
      'writing secrets writes no deployment',
      principal({ key: ['secrets:write'], identity: ['admin'] }),
      'deployments:write',
      SHOP,
      false,
    ],
    [
      'writing is not reading',
      principal({ key: ['deployments:write'], identity: ['admin'] }),
      'deployments:read',
      SHOP,
      false,
    ],
    ['admin on a key is a wildcard', principal({ key: ['admin'], identity: ['admin'] }), 'git:manage', SHOP, true],
    [
      'but no patch',
      principal({ key: ['admin'], identity: ['admin', 'kubernetes:patch'] }),
      'kubernetes:patch',
      SHOP,
      false,
    ],
    ['and no exec', principal({ key: ['admin'], identity: ['admin', 'pods:exec'] }), 'pods:exec', SHOP, false],
    [
      'named beside admin',
      principal({ key: ['admin', 'kubernetes:patch'], identity: ['admin'] }),
      'kubernetes:patch',
      SHOP,
      true,
    ],
    [
      'a named patch without the identity',
      principal({ key: ['kubernetes:patch'], roles: ['developer'] }),
      'kubernetes:patch',
      SHOP,
      false,
    ],
    [
      'a project administrator patches',
      principal({ key: ['kubernetes:patch'], roles: ['project-admin'] }),
      'kubernetes:patch',
      SHOP,
      true,
    ],
    ['no key at all', LOCAL, 'pods:exec', SHOP, true],
  ];
  it.each(rows)('%s', (_, who, permission, target, expected) => {
    expect(allows(who, permission, target)).toBe(expected);
  });

  it('makes an administrator only of admin on both sides, neither scoped', () => {
    const both = { key: ['admin'], identity: ['admin'] } as const;
    expect(isAdmin(principal(both))).toBe(true);
    expect(isAdmin(principal({ ...both, keyScope: { project: 'acme' } }))).toBe(false);
    expect(isAdmin(principal({ ...both, identityScope: { project: 'acme' } }))).toBe(false);
    expect(isAdmin(principal({ key: ['admin'] }))).toBe(false);
    expect(isAdmin(principal({ key: ['logs:read'], identity: ['admin'] }))).toBe(false);
    expect(isAdmin(principal({ key: ['admin'], roles: ['admin'] }))).toBe(false);
    expect(isAdmin(LOCAL)).toBe(true);
  });

  it('never takes admin from a role bound to a project', () => {
    for (const role of [...Object.keys(BUILT_IN_ROLES), 'operator'])
      expect(allows(principal({ key: ['admin'], roles: [role] }), 'admin', SHOP)).toBe(false);
  });

  it('lets repositories be managed by machine keys that say so and by project administrators', () => {
    const machine = {
      key: ['git:manage', 'deployments:write'],
      identity: ['git:manage', 'deployments:write'],
    } as const;
    expect(canManageGit(principal({ ...machine, keyScope: PRODUCTION }), SHOP)).toBe(true);
    expect(canBindGit(principal({ ...machine, keyScope: PRODUCTION }), SHOP)).toBe(true);
    expect(canManageGit(principal({ ...machine, keyScope: PRODUCTION, keyKind: 'cli' }), SHOP)).toBe(false);
    expect(canManageGit(principal({ ...machine, keyScope: SHOP }), SHOP)).toBe(false);
    expect(canManageGit(principal({ ...machine, keyScope: PRODUCTION }), { project: 'acme' })).toBe(false);
    const lead = {
      key: ['deployments:write'],
      roles: ['project-admin'],
      keyScope: PRODUCTION,
      keyKind: 'cli',
    } as const;
    expect(canManageGit(principal(lead), SHOP)).toBe(true);
    expect(canBindGit(principal(lead), SHOP)).toBe(true);
    expect(canManageGit(principal({ ...lead, roles: ['developer'] }), SHOP)).toBe(false);
    expect(canManageGit(principal({ ...lead, key: ['logs:read'] }), SHOP)).toBe(false);
    expect(canManageGit(principal({ key: ['admin'], identity: ['admin'] }), {})).toBe(true);
    expect(canBindGit(principal({ key: ['git:manage'], identity: ['git:manage'], keyScope: PRODUCTION }), SHOP)).toBe(
      false,
    );
  });

  it('lets preview environments be managed by project administrators and machine keys of exactly the environment', () => {
    const machine = { key: ['deployments:write'], identity: ['deployments:write'], keyScope: PRODUCTION } as const;
    const may = (who: Parameters<typeof principal>[0]): boolean => canManagePreviews(principal(who), PRODUCTION);
    expect(may(machine)).toBe(true);
    expect(may({ ...machine, keyKind: 'cli' })).toBe(false);
    expect(may({ ...machine, keyScope: SHOP })).toBe(false);
    expect(may({ ...machine, keyScope: { project: 'acme' } })).toBe(false);
    expect(may({ ...machine, keyScope: {} })).toBe(false);
    expect(may({ ...machine, key: ['deployments:read'] })).toBe(false);
    expect(may({ ...machine, identity: [] })).toBe(false);
    const lead = { key: ['deployments:write'], roles: ['project-admin'], keyKind: 'cli' } as const;
    expect(may(lead)).toBe(true);
    expect(may({ ...lead, keyScope: SHOP })).toBe(false);
    expect(may({ ...lead, project: 'other' })).toBe(false);
    expect(may({ ...lead, roles: ['developer'] })).toBe(false);
    expect(may({ key: ['admin'], identity: ['admin'], keyKind: 'cli' })).toBe(true);
    expect(canManagePreviews(LOCAL, PRODUCTION)).toBe(true);
  });

  it('shows a project to whoever reaches something in it', () => {
    const scoped = principal({ key: ['logs:read'], keyScope: SHOP, roles: ['developer'] });
    expect(sees(scoped, { project: 'acme' })).toBe(true);
    expect(sees(scoped, PRODUCTION)).toBe(true);
    expect(sees(scoped, { project: 'acme', environment: 'staging' })).toBe(false);
    expect(sees(scoped, { project: 'other' })).toBe(false);
    expect(sees(principal({ key: ['logs:read'], roles: ['developer'] }), { project: 'other' })).toBe(false);
    expect(sees(principal({ key: ['logs:read'], identity: ['logs:read'] }), { project: 'other' })).toBe(true);
    expect(sees(LOCAL, { project: 'other' })).toBe(true);
  });
});

const name = fc.constantFrom('a', 'b');
const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant({}),
  fc.record({ project: name }),
  fc.record({ project: name, environment: name }),
  fc.record({ project: name, environment: name, application: name }),
);
const permissions = fc.subarray([...PERMISSIONS]);
const anyone = fc.record({
  key: permissions,
  keyScope: scope,
  keyKind: fc.constantFrom('machine' as const, 'cli' as const),
  identity: permissions,
  identityScope: scope,
  roles: fc.subarray([...Object.keys(BUILT_IN_ROLES), 'operator']),
  project: name,
});

describe('properties of the decision rule', () => {
  it('allows nothing more under a narrower scope or with fewer permissions', () => {
    fc.assert(
      fc.property(anyone, scope, permissions, scope, (who, narrower, fewer, target) => {
        fc.pre(covers(who.keyScope, narrower));
        const before = allowedOn(principal(who), target);
        const kept = who.key.filter((held) => fewer.includes(held));
        for (const less of [
          principal({ ...who, keyScope: narrower }),
          principal({ ...who, key: kept }),
          principal({ ...who, identity: who.identity.filter((held) => fewer.includes(held)) }),
          principal({ ...who, roles: [] }),
        ])
          for (const permission of allowedOn(less, target)) expect(before).toContain(permission);
      }),
    );
  });

  it('allows on the whole only what it allows on each part', () => {
    fc.assert(
      fc.property(anyone, scope, scope, (who, whole, part) => {
        fc.pre(covers(whole, part));
        const inside = allowedOn(principal(who), part);
        for (const permission of allowedOn(principal(who), whole)) expect(inside).toContain(permission);
      }),
    );
  });

  it('gives patches and exec to no key that does not name them, and nothing to an identity that holds nothing', () => {
    fc.assert(
      fc.property(anyone, scope, (who, target) => {
        const allowed = allowedOn(principal(who), target);
        for (const named of ['kubernetes:patch', 'pods:exec'] as const)
          if (!who.key.includes(named)) expect(allowed).not.toContain(named);
        expect(allowedOn(principal({ ...who, identity: [], roles: [] }), target)).toEqual([]);
        expect(allowedOn(principal({ ...who, key: [] }), target)).toEqual([]);
      }),
    );
  });

  it('calls nobody an administrator who may not everything that needs no naming', () => {
    fc.assert(
      fc.property(anyone, scope, (who, target) => {
        const held = principal(who);
        if (!isAdmin(held)) return;
        for (const permission of PERMISSIONS)
          if (permission !== 'kubernetes:patch' && permission !== 'pods:exec')
            expect(allows(held, permission, target)).toBe(true);
      }),
    );
  });
});
