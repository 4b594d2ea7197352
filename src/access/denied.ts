import { type Problem, problem } from '../kernel/index.ts';
import { allows } from './decide.ts';
import type { Permission } from './permissions.ts';
import type { Principal } from './principal.ts';
import type { Scope } from './scope.ts';

/** The refusal of somebody who may not: says what is missing and where, so that they know what to ask for. */
export function denied(permission: Permission, target: Scope): Problem {
  const where = [target.project, target.environment, target.application].filter((part) => part !== undefined);
  const place = where.length === 0 ? 'the whole installation' : where.join('/');
  return problem('permission_denied', `this needs ${permission} on ${place}`);
}

/** `permission_denied` unless the principal may; the one line most operations begin with. */
export function refusal(principal: Principal, permission: Permission, target: Scope): Problem | undefined {
  return allows(principal, permission, target) ? undefined : denied(permission, target);
}
