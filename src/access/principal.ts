import type { Permission } from './permissions.ts';
import { type BoundRole, boundRole, type RoleBinding } from './roles.ts';
import { ANYWHERE, type Scope } from './scope.ts';

/** What an identity holds by itself and through its roles. */
export type Holding = {
  readonly permissions: readonly Permission[];
  readonly scope: Scope;
  readonly roles: readonly BoundRole[];
};

/** The part of a key that decides. */
export type KeyHolding = {
  readonly id: string;
  readonly kind: 'machine' | 'cli';
  readonly permissions: readonly Permission[];
  readonly scope: Scope;
};

/** Who acts: an identity, through one of its keys or, with the cluster's own rights, locally. Made again at every use, never kept. */
export type Principal = {
  readonly identity: string;
  readonly kind: 'person' | 'machine' | 'local';
  readonly holds: Holding;
  /** Absent only for `local`. */
  readonly key?: KeyHolding;
};

/**
 * Whoever may write the control namespace with a kubeconfig is an administrator already: the custom resources are the database. What they
 * do through the command line is checked against nothing and audited under this name.
 */
export const LOCAL: Principal = {
  identity: 'local',
  kind: 'local',
  holds: { permissions: ['admin', 'kubernetes:patch', 'pods:exec'], scope: ANYWHERE, roles: [] },
};

/** Puts a principal together from what is on record now. */
export function principalOf(input: {
  readonly identity: {
    readonly name: string;
    readonly kind: 'person' | 'machine';
    readonly permissions: readonly Permission[];
    readonly scope: Scope;
    readonly bindings: readonly RoleBinding[];
  };
  readonly key: KeyHolding;
  /** The permissions of a custom role; `undefined` when there is none of that name. */
  readonly customRole: (name: string) => readonly Permission[] | undefined;
}): Principal {
  const { identity, key, customRole } = input;
  return {
    identity: identity.name,
    kind: identity.kind,
    holds: {
      permissions: identity.permissions,
      scope: identity.scope,
      roles: identity.bindings.map((binding) => boundRole(binding, customRole)),
    },
    key: { id: key.id, kind: key.kind, permissions: key.permissions, scope: key.scope },
  };
}
