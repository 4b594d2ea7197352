import type { Readable } from 'node:stream';
import type { Answer } from '../../kernel/index.ts';
import type { Clock } from '../../ports/index.ts';
import { failureOf, type Intent, type Refusal, unanswered } from './answers.ts';
import type { KubeConnection, RawRequest } from './connection.ts';

/** One call in our words: `verb` and `target` name it in messages, `path` may carry a query. */
export type Call = Intent & {
  readonly method: RawRequest['method'];
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

/** What every request of one cluster shares. */
export type Client = {
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Milliseconds a call may take in all (DESIGN: a timeout on every call). */
  readonly timeoutMs: number;
};

const JSON_TYPE = 'application/json';
/** A 429 says that nothing was done, so any method may be sent again. */
const MAX_THROTTLED = 5;

/**
 * The one way to the API server but for what streams: sends a call and reads its JSON answer. A read whose connection broke before an answer is sent once more, since a kept-alive
 * connection may have been closed by the other side; a 429 is waited out as the server asks, within the timeout.
 */
export async function call(client: Client, request: Call): Promise<Answer<unknown>> {
  const deadline = performance.now() + client.timeoutMs;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error('the call took too long')), client.timeoutMs);
  const onAbort = (): void => abort.abort(request.signal?.reason);
  if (request.signal?.aborted === true) onAbort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await attempts(client, request, { signal: abort.signal, deadline });
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
  }
}

type Bounds = { readonly signal: AbortSignal; readonly deadline: number };

async function attempts(client: Client, request: Call, bounds: Bounds): Promise<Answer<unknown>> {
  let broken = 0;
  for (let throttled = 0; ; ) {
    const outcome = await once(client, request, bounds.signal);
    if ('error' in outcome) {
      broken += 1;
      if (request.method === 'GET' && broken === 1 && !bounds.signal.aborted && isBrokenConnection(outcome.error))
        continue;
      return unanswered(outcome.error);
    }
    if (outcome.status >= 200 && outcome.status < 300)
      return outcome.body === NOT_JSON
        ? unanswered(new Error('the answer is not JSON'))
        : { ok: true, value: outcome.body };
    const refusal: Refusal = { ...outcome, retryAfterMs: outcome.retryAfterMs };
    const pause = outcome.status === 429 ? (outcome.retryAfterMs ?? 1000) : undefined;
    if (pause === undefined || throttled >= MAX_THROTTLED || performance.now() + pause >= bounds.deadline)
      return { ok: false, failure: failureOf(refusal, request) };
    throttled += 1;
    await client.clock.sleep(pause, bounds.signal);
  }
}

const NOT_JSON = Symbol('not JSON');

type Outcome =
  | { readonly status: number; readonly body: unknown; readonly retryAfterMs: number | undefined }
  | { readonly error: unknown };

async function once(client: Client, request: Call, signal: AbortSignal): Promise<Outcome> {
  try {
    const answer = await client.connection.send({
      method: request.method,
      path: request.path,
      accept: request.accept ?? JSON_TYPE,
      userAgent: client.userAgent,
      signal,
      ...(request.body === undefined
        ? {}
        : { contentType: request.contentType ?? JSON_TYPE, body: JSON.stringify(request.body) }),
    });
    const text = await readText(answer.body);
    return { status: answer.status, body: parseJson(text), retryAfterMs: retryAfterMs(answer.retryAfter) };
  } catch (error) {
    return { error };
  }
}

/** Reads a body to its end. */
export async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Throws away a body nobody reads, also when its connection is cut meanwhile: an error without a listener would end the process. */
export function discard(body: Readable): void {
  body.on('error', () => undefined).resume();
}

/** Parsed JSON, or a mark that it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOT_JSON;
  }
}

/** Kubernetes sends whole seconds. */
export function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function isBrokenConnection(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
