import {
  allowedOn,
  allows,
  canManageGit,
  isAdmin,
  PERMISSIONS,
  type Principal,
  type Scope,
} from '../../../access/index.ts';
import { ok } from '../../../kernel/index.ts';
import type { MeOperations } from '../../../ports/api/index.ts';
import type { PeopleDeps } from './context.ts';
import { keyView } from './new-key.ts';

/** Who asks, and what they may do within the scope they have (facts 7.9). */
export function meOperations(deps: Pick<PeopleDeps, 'keys'>): MeOperations {
  return {
    show: async (principal) => {
      const key = principal.key === undefined ? undefined : deps.keys.find(principal.key.id);
      const scope = scopeOf(principal);
      const places = placesOf(principal, scope);
      const held = new Set(places.flatMap((place) => allowedOn(principal, place)));
      return ok({
        identity: principal.identity,
        kind: principal.kind,
        ...(key === undefined ? {} : { key: keyView(key) }),
        permissions: PERMISSIONS.filter((permission) => held.has(permission)),
        ...scope,
        is_admin: isAdmin(principal),
        can_manage_git: places.some((place) => canManageGit(principal, place)),
        can_manage_applications: places.some((place) => allows(principal, 'applications:manage', place)),
      });
    },
  };
}

/** Where the key reaches; what it leaves open, as far as the identity does. */
function scopeOf({ key, holds }: Principal): Scope {
  return { ...holds.scope, ...key?.scope };
}

/** That scope, and each project a role opens in it. */
function placesOf({ holds }: Principal, scope: Scope): readonly Scope[] {
  if (scope.project !== undefined) return [scope];
  return [scope, ...holds.roles.map(({ project }) => ({ project }))];
}
