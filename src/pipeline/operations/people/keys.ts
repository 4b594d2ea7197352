import { checkKeyRequest, isUnscoped, KEY_LIMITS, LOCAL, type Principal } from '../../../access/index.ts';
import { fail, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type { CreatedKey, CreateKey, KeyOperations, RequestInfo, RotatedKey } from '../../../ports/api/index.ts';
import type { KeyRecord } from '../../../ports/index.ts';
import { isLive } from '../../authority.ts';
import { audited } from '../audited.ts';
import { adminOnly, type PeopleDeps } from './context.ts';
import { exchangeKey } from './exchange.ts';
import { isAdministrator } from './is-administrator.ts';
import { auditedKey, keyView, type MadeKey, makeKey } from './new-key.ts';

/** Keys over the API (facts 7.8, 9.1). */
export function keyOperations(deps: PeopleDeps): KeyOperations {
  return {
    list: async (principal, { identity, ...page }) => {
      const allowed = adminOnly(principal);
      if (!allowed.ok) return allowed;
      const items = deps.keys
        .all()
        .filter((key) => identity === undefined || key.identity === identity)
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      const found = deps.pager.of({ name: 'keys', filters: { identity }, items, keyOf: orderOf }, page);
      return found.ok ? ok({ ...found.value, items: found.value.items.map(keyView) }) : found;
    },
    create: (principal, input, info) => createKey(deps, { principal, info }, input),
    show: async (principal, { id }) => {
      const allowed = adminOnly(principal);
      if (!allowed.ok) return allowed;
      const key = deps.keys.find(id);
      return key === undefined ? fail(unknownKey()) : ok(keyView(key));
    },
    rotate: (principal, input, info) => rotateKey(deps, { principal, info }, input),
    revoke: (principal, { id }, info) => revokeKey(deps, { principal, info }, id),
    exchange: (principal, input, info) => exchangeKey(deps, { principal, info }, input),
  };
}

type By = { readonly principal: Principal; readonly info: RequestInfo };

/** Oldest first; the id tells keys of one moment apart. */
function orderOf(key: KeyRecord): string {
  return `${key.createdAt}/${key.id}`;
}

function unknownKey(): Problem {
  return problem('not_found', 'there is no such key');
}

async function createKey(deps: PeopleDeps, by: By, input: CreateKey): Promise<Result<CreatedKey>> {
  const allowed = adminOnly(by.principal);
  if (!allowed.ok) return allowed;
  const owner = input.identity ?? by.principal.identity;
  if (owner === LOCAL.identity)
    return fail(problem('invalid_request', 'say whose key it is: `local` has none', { at: 'identity' }));
  const identity = await deps.identities.get(owner);
  if (!identity.ok) return identity;
  if (identity.value === undefined || identity.value.deleting)
    return fail(problem('not_found', 'there is no such identity', { at: 'identity' }));
  const { project, environment, application } = input;
  const request = {
    name: input.name,
    permissions: [...new Set(input.permissions)],
    scope: scopeOf({ project, environment, application }),
    expiresAt: new Date(input.expires_at),
  };
  const checked = checkKeyRequest(request, deps.clock.now());
  if (!checked.ok) return checked;
  const made = await makeKey(deps, {
    ...request,
    identity: owner,
    kind: input.kind ?? 'machine',
    createdBy: by.principal.identity,
    expiresAt: request.expiresAt.toISOString(),
  });
  if (!made.ok) return made;
  await recorded(deps, by, { action: 'key.create', made: made.value });
  return ok({ key: made.value.raw, metadata: keyView(made.value.record) });
}

/** Drops what is not there, so that nothing is stored as present and undefined. */
function scopeOf(parts: Readonly<Record<string, string | undefined>>): KeyRecord['scope'] {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/**
 * A new key takes the place of one, which holds for 15 minutes more at most. Of two that rotate one key at once one wins: the other's new key
 * is gone again before anybody saw it.
 */
async function rotateKey(
  deps: PeopleDeps,
  by: By,
  input: { readonly id: string; readonly expires_at: string },
): Promise<Result<RotatedKey>> {
  const allowed = adminOnly(by.principal);
  if (!allowed.ok) return allowed;
  const old = deps.keys.find(input.id);
  if (old === undefined) return fail(unknownKey());
  const expiresAt = new Date(input.expires_at);
  const now = deps.clock.now();
  if (!isLive(old, now) || old.replacedBy !== undefined) return fail(ended());
  const { identity, name, kind, permissions, scope } = old;
  const checked = checkKeyRequest({ name, permissions, scope, expiresAt }, now);
  if (!checked.ok) return checked;
  const made = await makeKey(deps, {
    ...{ identity, name, kind, permissions, scope },
    ...(old.exchangedFrom === undefined ? {} : { exchangedFrom: old.exchangedFrom }),
    createdBy: by.principal.identity,
    expiresAt: expiresAt.toISOString(),
  });
  if (!made.ok) return made;
  const overlap = now.getTime() + KEY_LIMITS.overlapMs;
  let isLost = false;
  const replaced = await deps.keys.change(old.id, (current) => {
    isLost = current.replacedBy !== undefined || !isLive(current, deps.clock.now());
    const endsAt = new Date(Math.min(Date.parse(current.expiresAt), overlap)).toISOString();
    return isLost ? undefined : { replacedBy: made.value.record.id, expiresAt: endsAt };
  });
  if (!replaced.ok || isLost) {
    await deps.keys.remove(made.value.record.id);
    return replaced.ok ? fail(ended()) : replaced;
  }
  await recorded(deps, by, { action: 'key.rotate', made: made.value, before: old });
  return ok({
    key: made.value.raw,
    metadata: keyView(made.value.record),
    previous_key_expires_within_seconds: KEY_LIMITS.overlapMs / 1000,
  });
}

function ended(): Problem {
  return problem('terminal_operation', 'the key was revoked, rotated or has expired; create another one');
}

/** A key may end itself, which is how a command line logs out; others are an administrator's to end. */
async function revokeKey(deps: PeopleDeps, by: By, id: string): Promise<Result<{ readonly status: 'revoked' }>> {
  const allowed = by.principal.key?.id === id ? ok(undefined) : adminOnly(by.principal);
  if (!allowed.ok) return allowed;
  const key = deps.keys.find(id);
  if (key === undefined) return fail(unknownKey());
  for (const one of [key, ...exchangedFor(deps, key)]) {
    const revoked = await revoke(deps, by, one);
    if (!revoked.ok) return revoked;
  }
  return ok({ status: 'revoked' });
}

/**
 * What a key was exchanged for lives by it, over any number of exchanges and rotations. Only an administrator of the installation could have
 * made those keys without it: `admin` on a key of anybody else, or in a scope, is a wildcard of what its identity has.
 */
function exchangedFor({ keys, identities }: PeopleDeps, key: KeyRecord): readonly KeyRecord[] {
  const owner = identities.cached(key.identity);
  const isFree = key.permissions.includes('admin') && isUnscoped(key.scope);
  if (isFree && owner !== undefined && isAdministrator(owner.spec)) return [];
  const all = keys.all();
  const family = new Set([key.id]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { id, exchangedFrom, replacedBy } of all) {
      const isChild = exchangedFrom !== undefined && family.has(exchangedFrom);
      if (isChild || (replacedBy !== undefined && family.has(replacedBy))) family.add(id);
    }
  }
  return all.filter(({ id, revokedAt }) => id !== key.id && family.has(id) && revokedAt === undefined);
}

/** Revokes one key and puts it on record; one that is revoked already is left as it is. */
export async function revoke(deps: PeopleDeps, by: By, key: KeyRecord): Promise<Result<void>> {
  let isDone = false;
  const revokedAt = deps.clock.now().toISOString();
  const changed = await deps.keys.change(key.id, (current) => {
    isDone = current.revokedAt !== undefined;
    return isDone ? undefined : { revokedAt };
  });
  if (!changed.ok) return changed;
  if (!isDone) await recorded(deps, by, { action: 'key.revoke', made: { record: changed.value }, before: key });
  return ok(undefined);
}

/** Puts a change of a key on record. */
export function recorded(
  deps: PeopleDeps,
  by: By,
  change: { readonly action: string; readonly made: Pick<MadeKey, 'record'>; readonly before?: KeyRecord },
): Promise<void> {
  const { record } = change.made;
  return audited(deps, by, {
    action: change.action,
    resource: { kind: 'Key', ...record.scope, name: change.before?.id ?? record.id },
    ...(change.before === undefined ? {} : { before: auditedKey(change.before) }),
    after: auditedKey(record),
  });
}
