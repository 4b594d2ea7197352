import type { Permission } from './permissions.ts';

/** A named set of permissions that an identity gets in one project. */
export type RoleDefinition = { readonly description: string; readonly permissions: readonly Permission[] };

/** The roles every installation has; a custom role can not take their names. */
export const BUILT_IN_ROLES: Readonly<Record<string, RoleDefinition>> = {
  admin: {
    description: 'everything in the installation; held by an identity, not bound per project',
    permissions: ['admin', 'kubernetes:patch'],
  },
  'project-admin': {
    description: 'everything inside its project',
    permissions: [
      'deployments:read',
      'deployments:write',
      'logs:read',
      'git:manage',
      'applications:manage',
      'secrets:write',
      'kubernetes:patch',
      'pods:exec',
    ],
  },
  developer: {
    description: 'deploys and reads logs',
    permissions: ['deployments:read', 'deployments:write', 'logs:read'],
  },
  viewer: { description: 'reads applications, plans and releases', permissions: ['deployments:read'] },
};

/** A role an identity has in a project. */
export type RoleBinding = { readonly project: string; readonly role: string };

/** A role bound in one project, with what it grants there now. */
export type BoundRole = RoleBinding & { readonly permissions: readonly Permission[] };

/**
 * What a binding grants. A role nobody defines grants nothing. `admin` never comes from a project's binding: an administrator is an identity
 * whose own permissions say so.
 */
export function boundRole(
  binding: RoleBinding,
  custom: (name: string) => readonly Permission[] | undefined,
): BoundRole {
  const definition = Object.hasOwn(BUILT_IN_ROLES, binding.role) ? BUILT_IN_ROLES[binding.role] : undefined;
  const permissions = (definition?.permissions ?? custom(binding.role) ?? []).filter((held) => held !== 'admin');
  return { project: binding.project, role: binding.role, permissions };
}
