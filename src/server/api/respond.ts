import type { Problem } from '../../kernel/index.ts';
import { envelopeOf, retryAfter, statusOf } from './errors.ts';

/** Facts 7.1, and that no browser shows, frames or sniffs an answer. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Adds what every answer carries; what the answer says itself (a page's own policy) stays. */
export function secured(response: Response, requestId: string): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  response.headers.set('X-Request-Id', requestId);
  return response;
}

/** A JSON answer. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

/** A problem as an answer. */
export function refused(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  const after = retryAfter(problem);
  return json(statusOf(problem), envelopeOf(problem), {
    ...(after === undefined ? {} : { 'Retry-After': after }),
    ...(problem.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer realm="hakopod"' } : {}),
    ...headers,
  });
}

/** A page. `style` is its one style sheet, named in the policy by digest; scripts and everything else are refused. */
export function page(html: string, styleDigest: string): Response {
  return new Response(html, {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  });
}
