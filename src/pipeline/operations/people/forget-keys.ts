import type { Result } from '../../../kernel/index.ts';
import { ok } from '../../../kernel/index.ts';
import type { Clock, KeyStore } from '../../../ports/index.ts';

/** How long a key that ended stays on record, so that an audit record's key can be looked up. */
const KEPT_MS = 30 * 86_400_000;

/** Removes what is on record of keys that ended long ago; answers how many. */
export async function forgetKeys(deps: { readonly keys: KeyStore; readonly clock: Clock }): Promise<Result<number>> {
  const before = deps.clock.now().getTime() - KEPT_MS;
  const old = deps.keys.all().filter(({ revokedAt, expiresAt }) => {
    const ended = Math.min(Date.parse(expiresAt), Date.parse(revokedAt ?? expiresAt));
    return ended < before;
  });
  for (const { id } of old) {
    const removed = await deps.keys.remove(id);
    if (!removed.ok) return removed;
  }
  return ok(old.length);
}
