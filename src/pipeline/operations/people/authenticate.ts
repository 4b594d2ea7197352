import { timingSafeEqual } from 'node:crypto';
import { KEY_LIMITS, type Principal, parseKey } from '../../../access/index.ts';
import { fail, ok, problem, type Result, sha256 } from '../../../kernel/index.ts';
import type { KeyStore, Log } from '../../../ports/index.ts';
import { type AuthorityDeps, principalOfKey } from '../../authority.ts';

/** Who a request is from, by its `Authorization` header as it came. */
export type Authenticate = (header: string | undefined) => Promise<Result<Principal>>;

const BEARER = /^Bearer +(\S+) *$/i;
/** What an id that does not exist is compared with, so that it takes as long as a wrong secret. */
const NOBODY = '0'.repeat(64);

/**
 * Recognises keys (facts 9.1): the digest of what came is compared in constant time with the one on record. A malformed header, an unknown id,
 * a wrong secret, a revoked or expired key and a disabled owner are one answer, `unauthorized`. Reads caches alone, so a revocation counts as
 * soon as the watch brings it; `cluster_unavailable` until the first list is complete. The last use is noted once a minute at most.
 */
export function createAuthenticator(
  deps: AuthorityDeps & { readonly keys: KeyStore; readonly log: Log },
): Authenticate {
  const noted = new Map<string, number>();
  const note = (id: string, lastUsedAt: string | undefined): void => {
    const now = deps.clock.now();
    const last = Math.max(noted.get(id) ?? 0, Date.parse(lastUsedAt ?? '') || 0);
    if (now.getTime() - last < KEY_LIMITS.touchMs) return;
    noted.set(id, now.getTime());
    void deps.keys.touch(id, now).then((done) => {
      if (!done.ok) deps.log.warn('the use of a key is not noted', { code: done.problem.code });
    });
  };
  deps.keys.onChange((id) => {
    if (deps.keys.find(id) === undefined) noted.delete(id);
  });

  return async (header) => {
    if (!deps.keys.ready)
      return fail(problem('cluster_unavailable', 'the keys are not known yet; try again in a moment'));
    const raw = BEARER.exec(header ?? '')?.[1] ?? '';
    const parts = parseKey(raw);
    const key = parts === undefined ? undefined : deps.keys.find(parts.id);
    const isRight = timingSafeEqual(Buffer.from(sha256(raw)), Buffer.from(key?.digest ?? NOBODY));
    const principal = key === undefined || !isRight ? undefined : principalOfKey(deps, key);
    if (key === undefined || principal === undefined) return fail(problem('unauthorized'));
    note(key.id, key.lastUsedAt);
    return ok(principal);
  };
}
