import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent, request as undiciRequest } from 'undici';
import type { HttpClient, HttpClientOptions, HttpFailure, HttpOutcome, HttpRequest } from '../../ports/index.ts';

type Resolved = readonly { readonly address: string; readonly family: number }[];

/** Name resolution, handed in by tests only. */
export type Lookup = (hostname: string, done: (error: Error | null, addresses: Resolved) => void) => void;

/** Connections that were never made: the other side saw nothing of the request. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);
const REFUSED = 'HAKOPOD_ADDRESS_REFUSED';
const CONNECT_TIMEOUT_MS = 10_000;
/** Connections to one host; more requests wait their turn. */
const CONNECTIONS = 16;

class AddressRefused extends Error {
  readonly code = REFUSED;
}

/** Opens a client with its own connection pool. */
export function openHttpClient(options: HttpClientOptions = {}, lookup: Lookup = resolveAll): HttpClient {
  const { allowAddress } = options;
  const dispatcher = openDispatcher(options, lookup);
  return {
    async send(request: HttpRequest): Promise<HttpOutcome> {
      if (!URL.canParse(request.url)) return failure('unreachable', undefined);
      const host = new URL(request.url).hostname.replace(/^\[|\]$/g, '');
      // A literal address is never looked up, so it is judged here; names are judged by what they resolve to while connecting.
      if (isIP(host) !== 0 && allowAddress?.(host, host) === false) return failure('address_refused', undefined);
      if (options.proxy !== undefined && allowAddress !== undefined && isIP(host) === 0) {
        if (await resolvesToRefused(host, allowAddress, lookup)) return failure('address_refused', undefined);
      }
      return exchange(dispatcher, request);
    },
    async close(): Promise<void> {
      await dispatcher.destroy();
    },
  };
}

function openDispatcher(options: HttpClientOptions, lookup: Lookup): Dispatcher {
  const tls = options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] };
  if (options.proxy !== undefined) {
    return new ProxyAgent({ uri: options.proxy, requestTls: tls, connections: CONNECTIONS });
  }
  const guarded = options.allowAddress === undefined ? {} : { lookup: guardedLookup(options.allowAddress, lookup) };
  return new Agent({ connections: CONNECTIONS, connect: { ...tls, ...guarded, timeout: CONNECT_TIMEOUT_MS } });
}

type Allow = NonNullable<HttpClientOptions['allowAddress']>;

/** Before a proxy is asked, which resolves the name once more; a name that only the proxy knows is left to its rules. */
function resolvesToRefused(host: string, allow: Allow, lookup: Lookup): Promise<boolean> {
  return new Promise((resolve) => {
    lookup(host, (error, addresses) => {
      resolve(error === null && addresses.some(({ address }) => !allow(host, address)));
    });
  });
}

/** The socket connects to exactly the addresses judged here, so a name that changes its mind between check and use gains nothing. */
function guardedLookup(allow: Allow, lookup: Lookup): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, (error, addresses) => {
      const first = addresses?.[0];
      if (error !== null || first === undefined) return done(error ?? new Error('no address'), []);
      if (addresses.some(({ address }) => !allow(hostname, address))) {
        return done(new AddressRefused('address refused'), []);
      }
      if (options.all === true) return done(null, [...addresses]);
      done(null, first.address, first.family);
    });
  };
}

function resolveAll(hostname: string, done: (error: Error | null, addresses: Resolved) => void): void {
  systemLookup(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []));
}

async function exchange(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpOutcome> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
  try {
    const answer = await undiciRequest(request.url, {
      method: request.method,
      headers: { 'accept-encoding': 'identity', ...request.headers },
      dispatcher,
      signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const body = await readBody(answer.body, request.maxBytes);
    if (body === undefined) return failure('too_large', undefined);
    return { ok: true, response: { status: answer.statusCode, headers: firstValues(answer.headers), body } };
  } catch (cause) {
    if (timeout.aborted) return failure('timeout', cause);
    if (request.signal?.aborted === true) return failure('aborted', cause);
    return failure(reasonOf(cause), cause);
  }
}

async function readBody(
  stream: AsyncIterable<Buffer> & { destroy(): unknown },
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) {
      stream.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function firstValues(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function reasonOf(cause: unknown): HttpFailure['reason'] {
  const codes = codesOf(cause);
  if (codes.includes(REFUSED)) return 'address_refused';
  // Several addresses are tried in turn: nothing was sent only when none of them was connected to.
  return codes.length > 0 && codes.every((code) => NEVER_SENT.has(code)) ? 'unreachable' : 'broken';
}

function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.flatMap(codesOf);
  return 'code' in error && typeof error.code === 'string' ? [error.code] : [];
}

function failure(reason: HttpFailure['reason'], cause: unknown): HttpOutcome {
  return { ok: false, failure: { reason, cause } };
}
