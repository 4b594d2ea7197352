import { Octokit } from '@octokit/core';
import type { HttpClient, HttpFailure, HttpRequest, HttpResponse } from '../../ports/index.ts';

/** Bytes of an answer that are read (facts 4.1: 512 KiB). */
const MAX_BYTES = 512 * 1024;
/** GitHub redirects calls for a renamed repository; more hops than this lead nowhere. */
const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 307, 308];
/** What is asked of GitHub besides reading. */
const METHODS = ['POST', 'PATCH', 'DELETE'] as const;

/** There is no answer, or none that may be followed. Octokit keeps it as the `cause` of its own error. */
export class ExchangeError extends Error {
  readonly failure: HttpFailure | 'redirect';
  constructor(failure: HttpFailure | 'redirect') {
    super(failure === 'redirect' ? 'redirected to another host' : failure.reason);
    this.failure = failure;
  }
}

/**
 * An Octokit over our HTTP client. It has no retry or throttling plugin: both wait inside the process and repeat calls, but a status
 * is not idempotent and waiting is the queue's work, so every answer goes straight back to the caller.
 */
export function createOctokit(
  http: HttpClient,
  options: { readonly userAgent: string; readonly timeoutMs: number; readonly maxBytes?: number },
): Octokit {
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  return new Octokit({
    userAgent: options.userAgent,
    log: silent,
    request: {
      fetch: fetchThrough(http, options),
      log: silent,
    },
  });
}

function nothing(): void {}

type Init = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
};

/** What Octokit fetches with. */
export type Exchange = (url: string, init?: Init) => Promise<Response>;

/**
 * The small part of `fetch` that Octokit uses; 512 KiB of an answer are read when nothing else is said. Redirects are followed on the same
 * origin only, so the token never leaves it.
 */
export function fetchThrough(
  http: HttpClient,
  { timeoutMs, maxBytes = MAX_BYTES }: { readonly timeoutMs: number; readonly maxBytes?: number },
): Exchange {
  const limits = { timeoutMs, maxBytes };
  return async (url, init = {}) => {
    let target = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const outcome = await http.send({ ...requestOf(init), url: target, ...limits });
      if (!outcome.ok) throw new ExchangeError(outcome.failure);
      if (!REDIRECTS.includes(outcome.response.status)) return toFetchResponse(outcome.response);
      const { location } = outcome.response.headers;
      const next = location === undefined ? null : URL.parse(location, target);
      if (next === null || next.origin !== new URL(url).origin) break;
      target = next.href;
    }
    throw new ExchangeError('redirect');
  };
}

function requestOf(init: Init): Pick<HttpRequest, 'method' | 'headers' | 'body' | 'signal'> {
  return {
    method: METHODS.find((method) => method === init.method) ?? 'GET',
    headers: init.headers ?? {},
    ...(init.body === undefined ? {} : { body: init.body }),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  };
}

function toFetchResponse({ status, headers, body }: HttpResponse): Response {
  const noBody = body.length === 0 || status === 204 || status === 304;
  return new Response(noBody ? null : new Uint8Array(body), { status, headers });
}
