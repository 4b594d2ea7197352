import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, errors, ProxyAgent, request } from 'undici';
import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import { isHereAddress } from './remote-url.ts';

/** Connections to one host. A poll of a thousand repositories at one forge shares them. */
export const CONNECTIONS_PER_HOST = 8;
const CONNECT_TIMEOUT_MS = 10_000;

export type HttpOptions = {
  /** PEM bundle trusted besides the system's, for self-managed forges. */
  readonly ca?: string;
  /** URL of an HTTP proxy, used for every remote that is not local. */
  readonly proxy?: string;
  readonly userAgent: string;
};

export type HttpRequest = {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The whole answer is at most this long; a longer one ends as `tooLarge`. */
  readonly maxBytes: number;
  readonly tooLarge: Problem;
  readonly local: boolean;
  readonly signal: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  readonly contentType: string;
  readonly location?: string;
  readonly body: Buffer;
};

/** Sends requests over keep-alive connections it owns and reads whole, bounded answers. */
export type Http = {
  /** Never follows redirects and never throws: what goes wrong is `git_unavailable`, `git_protocol` or `tooLarge`. */
  send(request: HttpRequest): Promise<Result<HttpResponse>>;
  /** Ends all connections, also those in use. */
  destroy(): Promise<void>;
};

/** Makes the HTTP side of one reader. Dispatchers are made at first use: one for remotes of the network, one for local ones. */
export function createHttp(options: HttpOptions): Http {
  const dispatchers = new Map<'local' | 'remote', Dispatcher>();
  const dispatcherFor = (local: boolean): Dispatcher => {
    const key = local ? 'local' : 'remote';
    const dispatcher = dispatchers.get(key) ?? createDispatcher(options, local);
    dispatchers.set(key, dispatcher);
    return dispatcher;
  };
  return {
    async send(req) {
      const dispatcher = dispatcherFor(req.local);
      const first = await sendOnce(dispatcher, req, options.userAgent);
      // A kept-alive connection may have been closed by the server just now; reading is idempotent, so one more try is safe.
      return first === 'stale' ? settle(await sendOnce(dispatcher, req, options.userAgent)) : first;
    },
    async destroy() {
      const all = [...dispatchers.values()];
      dispatchers.clear();
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function createDispatcher(options: HttpOptions, local: boolean): Dispatcher {
  const ca = options.ca === undefined ? {} : { ca: [...getCACertificates('default'), options.ca] };
  const shared = { connections: CONNECTIONS_PER_HOST, pipelining: 1, allowH2: false };
  if (options.proxy !== undefined && !local) {
    return new ProxyAgent({ ...shared, uri: options.proxy, requestTls: ca, proxyTls: ca });
  }
  const connect = { ...ca, timeout: CONNECT_TIMEOUT_MS, ...(local ? {} : { lookup: lookupElsewhere }) };
  return new Agent({ ...shared, connect });
}

/** Resolves a name and refuses answers that mean this machine or link, so that a DNS entry is no way around the URL check. */
const lookupElsewhere: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const allowed = addresses?.filter(({ address }) => !isHereAddress(address)) ?? [];
    const [first] = allowed;
    if (error !== null) callback(error, '');
    else if (first === undefined) callback(Object.assign(new Error('address refused'), { code: 'EHERE' }), '');
    else if (options.all === true) callback(null, allowed);
    else callback(null, first.address, first.family);
  });
};

function settle(outcome: Result<HttpResponse> | 'stale'): Result<HttpResponse> {
  return outcome === 'stale' ? fail(problem('git_unavailable', undefined, { cause: 'connection closed' })) : outcome;
}

async function sendOnce(
  dispatcher: Dispatcher,
  req: HttpRequest,
  userAgent: string,
): Promise<Result<HttpResponse> | 'stale'> {
  let answered = false;
  try {
    const response = await request(req.url, {
      dispatcher,
      method: req.method,
      headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...req.headers },
      ...(req.body === undefined ? {} : { body: req.body }),
      signal: req.signal,
    });
    answered = true;
    const body = await readBody(response.body, req.maxBytes);
    if (body === undefined) return fail(req.tooLarge);
    const location = one(response.headers.location);
    return ok({
      status: response.statusCode,
      contentType: one(response.headers['content-type']) ?? '',
      ...(location === undefined ? {} : { location }),
      body,
    });
  } catch (error) {
    if (!answered && !req.signal.aborted && isStale(error)) return 'stale';
    return fail(explain(error, req.signal));
  }
}

/** The body, or `undefined` once it is longer than `max`; then the connection is dropped, not drained. */
async function readBody(stream: Dispatcher.ResponseData['body'], max: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > max) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isStale(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

/** Keeps only names and codes of a network error: its text may hold what a server or proxy chose to say. */
function explain(error: unknown, signal: AbortSignal): Problem {
  const code = codeOf(error);
  const cause = error instanceof Error ? `${error.name} ${code}` : 'unknown';
  if (signal.aborted) return cancelled(signal);
  if (code === 'EHERE') {
    return problem('invalid_url', 'the repository host resolves to this machine or a link-local address');
  }
  if (error instanceof errors.HTTPParserError)
    return problem('git_protocol', 'the Git server does not speak valid HTTP', { cause });
  return problem('git_unavailable', undefined, { cause });
}

/** What a call answers whose signal or deadline ended it. */
export function cancelled(signal: AbortSignal): Problem {
  const late = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  return late
    ? problem('git_unavailable', 'the Git server did not answer in time')
    : problem('git_unavailable', 'reading the repository was cancelled');
}
