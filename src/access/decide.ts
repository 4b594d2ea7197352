import { NAMED_ONLY, names, PERMISSIONS, type Permission } from './permissions.ts';
import type { Principal } from './principal.ts';
import { covers, isUnscoped, type Scope } from './scope.ts';

/**
 * Whether a principal may do something to a target (facts 9.3): the key's scope and the identity's both reach it, the key has the permission,
 * and the identity is an administrator, has it, or has a role in the target's project that grants it.
 */
export function allows(principal: Principal, permission: Permission, target: Scope): boolean {
  return keyAllows(principal, permission, target) && identityAllows(principal, permission, target);
}

/** An administrator of the installation: `admin` on both sides, neither scoped (facts 9.3). */
export function isAdmin(principal: Principal): boolean {
  return allows(principal, 'admin', {});
}

/** What of the list of permissions a principal may use on a target. */
export function allowedOn(principal: Principal, target: Scope): readonly Permission[] {
  return PERMISSIONS.filter((permission) => allows(principal, permission, target));
}

/**
 * Whether a principal may see that a project or an environment exists: some permission reaches it or something inside it.
 */
export function sees(principal: Principal, target: Scope): boolean {
  const { key, holds } = principal;
  if (key !== undefined && !touches(key.scope, target)) return false;
  if (!touches(holds.scope, target)) return false;
  if (target.project === undefined) return true;
  return holds.permissions.length > 0 || holds.roles.some((role) => role.project === target.project);
}

/**
 * Repositories, their credentials and first bindings (facts 9.3): an administrator, or a key that reaches the whole environment and is either
 * a machine's with `git:manage` or a project administrator's with `deployments:write`.
 */
export function canManageGit(principal: Principal, target: Scope): boolean {
  if (isAdmin(principal)) return true;
  const { key, holds } = principal;
  if (target.project === undefined || target.environment === undefined) return false;
  if (key === undefined || key.scope.application !== undefined) return false;
  const environment = { project: target.project, environment: target.environment };
  if (key.kind === 'machine' && allows(principal, 'git:manage', environment)) return true;
  const isProjectAdmin = holds.roles.some(
    ({ project, role }) => project === target.project && role === 'project-admin',
  );
  return isProjectAdmin && allows(principal, 'deployments:write', environment);
}

/** Attaching a repository to an application, or approving another one (facts 9.3). */
export function canBindGit(principal: Principal, target: Scope): boolean {
  return canManageGit(principal, target) && allows(principal, 'deployments:write', target);
}

/**
 * Preview environments (facts 4.9): whoever may deploy to the whole environment and is an administrator of the installation or the project, or
 * a machine whose key is of exactly this environment.
 */
export function canManagePreviews(
  principal: Principal,
  target: Required<Pick<Scope, 'project' | 'environment'>>,
): boolean {
  const environment = { project: target.project, environment: target.environment };
  if (!allows(principal, 'deployments:write', environment)) return false;
  if (isAdmin(principal)) return true;
  const { key, holds } = principal;
  const isExact = key?.scope.project === target.project && key?.scope.environment === target.environment;
  if (key?.kind === 'machine' && isExact) return true;
  return holds.roles.some(({ project, role }) => project === target.project && role === 'project-admin');
}

/** The identity's half of the rule alone: what its keys can be given. */
export function holds(principal: Principal, permission: Permission, target: Scope): boolean {
  return identityAllows(principal, permission, target);
}

function keyAllows({ key }: Principal, permission: Permission, target: Scope): boolean {
  if (key === undefined) return true;
  if (!covers(key.scope, target)) return false;
  return names(key.permissions, permission) || (key.permissions.includes('admin') && !NAMED_ONLY.includes(permission));
}

function identityAllows({ holds }: Principal, permission: Permission, target: Scope): boolean {
  if (!covers(holds.scope, target)) return false;
  if (holds.permissions.includes('admin') || names(holds.permissions, permission)) return true;
  return holds.roles.some((role) => role.project === target.project && names(role.permissions, permission));
}

/** Whether a holder's scope and a target have anything in common. */
function touches(holder: Scope, target: Scope): boolean {
  if (isUnscoped(holder)) return true;
  const parts = ['project', 'environment', 'application'] as const;
  return parts.every(
    (part) => holder[part] === undefined || target[part] === undefined || holder[part] === target[part],
  );
}
