import {
  ANYWHERE,
  allows,
  canManageGit,
  denied,
  INSTALLATION_WIDE,
  type Permission,
  type Principal,
  type Scope,
} from '../../access/index.ts';
import type { Problem } from '../../kernel/index.ts';

/** What a route asks for: all of a list, or one of it. An empty list is any valid key. */
export type Needs = { readonly all: readonly Permission[] } | { readonly any: readonly Permission[] };

/**
 * Refuses a principal that the route can not be for. It comes before the body is read, and knows a target only where the path or the query
 * names one; otherwise any target the principal might reach does. The operation decides again, about the very object.
 */
export function refusedAtTheGate(principal: Principal, needs: Needs, target: Scope | undefined): Problem | undefined {
  const targets = target === undefined ? reachable(principal) : [target];
  const has = (permission: Permission): boolean =>
    (INSTALLATION_WIDE.includes(permission) ? [ANYWHERE] : targets).some((place) =>
      holds(principal, permission, place),
    );
  const missing =
    'all' in needs ? needs.all.find((permission) => !has(permission)) : needs.any.some(has) ? undefined : needs.any[0];
  return missing === undefined
    ? undefined
    : denied(missing, INSTALLATION_WIDE.includes(missing) ? ANYWHERE : (target ?? {}));
}

/** `git:manage` has a rule of its own (facts 9.3). */
function holds(principal: Principal, permission: Permission, place: Scope): boolean {
  return permission === 'git:manage' ? canManageGit(principal, place) : allows(principal, permission, place);
}

/** A place in each corner where the principal may hold something: what key and identity leave open is filled with a name of nobody. */
function reachable({ key, holds: identity }: Principal): readonly Scope[] {
  const projects = [undefined, ...identity.roles.map(({ project }) => project)];
  const narrow = projects.map((project) => {
    const scope = (part: keyof Scope): string | undefined => key?.scope[part] ?? identity.scope[part];
    return {
      project: scope('project') ?? project ?? '-',
      environment: scope('environment') ?? '-',
      application: scope('application'),
    };
  });
  return [ANYWHERE, ...narrow, ...narrow.map((place) => ({ ...place, application: place.application ?? '-' }))];
}
