import type { Principal } from '../../../access/index.ts';
import { digestOf, fail, ok, problem, type Result, sha256 } from '../../../kernel/index.ts';
import type { Release } from '../../../ports/index.ts';
import type { ReleaseDeps } from './context.ts';

/** How long an answer waits for this process's own cache to show what was accepted. */
const CACHE_MS = 2_000;

/** Names one idempotency key of one identity; a field selector finds the release by it. */
export function idempotencyDigest(principal: Principal, idempotencyKey: string): string {
  return sha256(`${principal.identity}\n${idempotencyKey}`).slice(0, 32);
}

/** A request that makes a release, as it is recognised when it comes again. */
export type Once = {
  /** Names the idempotency key and its identity. */
  readonly digest: string;
  /** Facts 6.2: of what must be the same when the key comes again. */
  readonly hash: string;
};

/** `request` is what the caller sent, without what the server derives from it. */
export function onceOf(principal: Principal, idempotencyKey: string, request: unknown): Once {
  return { digest: idempotencyDigest(principal, idempotencyKey), hash: digestOf(request) };
}

/** The release this key made. `conflict` when it was made by another request. */
export async function known(deps: ReleaseDeps, input: Once): Promise<Result<Release | undefined>> {
  const found = await deps.store.releases.byIdempotency(input.digest);
  if (!found.ok || found.value === undefined) return found;
  return found.value.spec.requestHash === input.hash
    ? found
    : fail(problem('conflict', 'the idempotency key was used for another request'));
}

/**
 * The last part of an acceptance, and all of a repeated one: the reconcile is queued, and this process's cache has caught up, so that who
 * asks next sees the release. A queue that is away loses nothing: the resync finds the application waiting.
 */
export async function finished(deps: ReleaseDeps, release: Release): Promise<Result<Release>> {
  const { application, revision } = release.spec;
  const queued = await deps.jobs.add({ queue: 'reconcile', application });
  if (!queued.ok)
    deps.log.warn('a release waits for the next resync', { release: release.name, code: queued.problem.code });
  const isSeen = (): boolean => (deps.store.applications.cached(application)?.status.acceptedRevision ?? 0) >= revision;
  if (!isSeen()) await seen(deps, isSeen);
  return ok(release);
}

function seen(deps: ReleaseDeps, isSeen: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const patience = new AbortController();
    const stop = deps.store.applications.onChange(() => {
      if (isSeen()) end();
    });
    const end = (): void => {
      stop();
      patience.abort();
      resolve();
    };
    void deps.clock.sleep(CACHE_MS, patience.signal).then(end);
    if (isSeen()) end();
  });
}
