import { fail, ok, problem, type Result } from '../kernel/index.ts';
import { INSTALLATION_WIDE, type Permission } from './permissions.ts';
import { checkScope, isUnscoped, type Scope } from './scope.ts';

const RAW = /^hp_([0-9a-f]{32})_([0-9a-f]{64})$/;

/** Random bytes of a key's id and of its secret (facts 9.1). */
export const KEY_ID_BYTES = 16;
export const KEY_SECRET_BYTES = 32;

/** Limits of a key (facts 9.1); times in milliseconds. */
export const KEY_LIMITS = {
  nameCharacters: 100,
  minLifeMs: 60_000,
  maxLifeMs: 90 * 86_400_000,
  /** How long a rotated key may still be used. */
  overlapMs: 900_000,
  /** Of the first administrator's key. */
  firstLifeMs: 7 * 86_400_000,
  /** How often `last_used_at` is written at most. */
  touchMs: 60_000,
} as const;

/** Puts a key together: what its owner is shown this once. */
export function formatKey(id: string, secret: string): string {
  return `hp_${id}_${secret}`;
}

/** Takes a key apart; `undefined` for anything else. */
export function parseKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = RAW.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** What a list shows of a key: enough to tell two apart, nothing that opens anything. */
export function keyPrefix(id: string): string {
  return `hp_${id.slice(0, 8)}`;
}

/** A key as somebody asks for it. */
export type KeyRequest = {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly scope: Scope;
  readonly expiresAt: Date;
};

/** Permissions that manage what an environment's applications share, and so need a key that reaches all of them. */
const ENVIRONMENT_WIDE: readonly Permission[] = ['git:manage', 'applications:manage'];

/**
 * The rules of facts 9.1: a name, a permission, an expiry between a minute and 90 days; a key without `admin` names a project and an
 * environment; what belongs to a whole environment has no application, and what belongs to the installation no scope.
 */
export function checkKeyRequest(request: KeyRequest, now: Date): Result<KeyRequest> {
  const refuse = (at: string, message: string): Result<never> => fail(problem('invalid_request', message, { at }));
  const { name, permissions, scope } = request;
  if (name.trim() === '' || [...name].length > KEY_LIMITS.nameCharacters || /\p{Cc}/u.test(name))
    return refuse('name', `must be 1 to ${KEY_LIMITS.nameCharacters} characters without control characters`);
  if (permissions.length === 0) return refuse('permissions', 'a key needs at least one permission');
  const checked = checkScope(scope);
  if (!checked.ok) return checked;
  const life = request.expiresAt.getTime() - now.getTime();
  if (!(life >= KEY_LIMITS.minLifeMs && life <= KEY_LIMITS.maxLifeMs))
    return refuse('expires_at', 'must be between 1 minute and 90 days from now');
  if (permissions.includes('settings:write') && !permissions.includes('admin') && !isUnscoped(scope))
    return refuse('scope', 'settings:write belongs to the installation: the key can have no scope');
  const isWide = permissions.includes('admin') || permissions.every((held) => INSTALLATION_WIDE.includes(held));
  if (!isWide && (scope.project === undefined || scope.environment === undefined))
    return refuse('scope', 'a key without admin must name a project and an environment');
  const shared = permissions.find((held) => ENVIRONMENT_WIDE.includes(held));
  if (shared !== undefined && !isWide && scope.application !== undefined)
    return refuse('scope.application', `${shared} needs a key of the whole environment, without an application`);
  return ok(request);
}
