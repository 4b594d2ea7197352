import type { Result } from '../kernel/index.ts';
import { ensureFirstAdministrator } from '../pipeline/operations/people/index.ts';
import type { Clock, Log } from '../ports/index.ts';
import { type Api, errorAnswer, type Handle, type ReadinessCheck, refuse } from '../server/index.ts';
import { type ApiParts, type OpenedApi, openApi } from './api.ts';
import type { Caches } from './caches.ts';
import type { Foundation } from './foundation.ts';

/** The API of a server. */
export type ServedApi = {
  readonly handle: Handle;
  readonly upgrade: Api['upgrade'];
  /** Whether it answers: the caches have been read, and the installation's key. */
  readonly readiness: ReadinessCheck;
  /** Ends open streams, which a listener that stops would wait for. */
  close(): void;
  stop(): Promise<void>;
};

const AGAIN_MS = 5000;

/**
 * The API, and somebody to use it: the first administrator is made once the caches are full, and requests before that are told to come again.
 */
export function serveApi(foundation: Foundation, parts: ApiParts & { readonly caches: Caches }): ServedApi {
  const { caches, access } = parts;
  const { clock, random, log } = foundation;
  const ending = new AbortController();
  const again = { clock, log, signal: ending.signal };
  let api: OpenedApi | undefined;
  const opening = caches.synced.then(async (isSynced) => {
    if (!isSynced) return;
    const make = () => ensureFirstAdministrator({ ...access, clock, random, log });
    const making = untilDone(make, { ...again, what: 'the first administrator' });
    api = await untilDone(() => openApi(foundation, parts), { ...again, what: 'the API' });
    await making;
  });
  return {
    handle: (req, res) => (api === undefined ? refuse(req, res, NOT_YET) : api.handle(req, res)),
    upgrade: (req, connection, head) => {
      if (api === undefined)
        connection.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 2\r\n\r\n');
      else api.upgrade(req, connection, head);
    },
    readiness: { name: 'api', ready: () => api !== undefined },
    close: () => api?.close(),
    stop: async () => {
      ending.abort();
      caches.giveUp();
      await opening;
      await api?.stop();
    },
  };
}

const NOT_YET = errorAnswer(503, 'cluster_unavailable', 'the cluster is not read yet; try again in a moment', [
  'Retry-After',
  '2',
]);

/** Tries until it worked once, or the signal aborts. */
async function untilDone<T>(
  work: () => Promise<Result<T>>,
  again: { readonly what: string; readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<T | undefined> {
  const { what, clock, log, signal } = again;
  while (!signal.aborted) {
    const done = await work();
    if (done.ok) return done.value;
    log.warn('not ready yet', { what, code: done.problem.code, reason: done.problem.message });
    await clock.sleep(AGAIN_MS, signal);
  }
  return undefined;
}
