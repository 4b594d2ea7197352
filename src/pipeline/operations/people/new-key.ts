import { formatKey, KEY_ID_BYTES, KEY_SECRET_BYTES, keyPrefix } from '../../../access/index.ts';
import { fail, LIMITS, ok, problem, type Result, sha256 } from '../../../kernel/index.ts';
import type { Key } from '../../../ports/api/index.ts';
import type { Clock, KeyRecord, KeyStore, Random } from '../../../ports/index.ts';
import { isLive } from '../../authority.ts';

/** A key that was just made, and the only time its secret is in anybody's hands. */
export type MadeKey = { readonly raw: string; readonly record: KeyRecord };

/** What a new key is like, but for what this makes. */
export type KeyContent = Omit<KeyRecord, 'id' | 'digest' | 'createdAt' | 'lastUsedAt' | 'revokedAt' | 'replacedBy'>;

/** Makes a key and keeps its digest. `limit_reached` when there are too many live ones. */
export async function makeKey(
  deps: { readonly keys: KeyStore; readonly random: Random; readonly clock: Clock },
  content: KeyContent,
): Promise<Result<MadeKey>> {
  const now = deps.clock.now();
  if (deps.keys.all().filter((key) => isLive(key, now)).length >= LIMITS.keys)
    return fail(problem('limit_reached', `there are ${LIMITS.keys} keys already; revoke some`));
  const id = deps.random.hex(KEY_ID_BYTES);
  const raw = formatKey(id, deps.random.hex(KEY_SECRET_BYTES));
  const made = await deps.keys.create({ ...content, id, digest: sha256(raw), createdAt: now.toISOString() });
  return made.ok ? ok({ raw, record: made.value }) : made;
}

/** A key as the API shows it (facts 7.9). */
export function keyView(key: KeyRecord): Key {
  return {
    id: key.id,
    identity_id: key.identity,
    name: key.name,
    kind: key.kind,
    prefix: keyPrefix(key.id),
    permissions: [...key.permissions],
    ...key.scope,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    ...(key.revokedAt === undefined ? {} : { revoked_at: key.revokedAt }),
    ...(key.lastUsedAt === undefined ? {} : { last_used_at: key.lastUsedAt }),
  };
}

/** What the audit record's digest is made of: everything but the digest that recognises the key and what changes by itself. */
export function auditedKey({ digest: _, lastUsedAt: __, ...key }: KeyRecord): object {
  return key;
}
