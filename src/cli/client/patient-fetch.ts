import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { Readable } from 'node:stream';

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Like `fetch`, for an answer that may be silent for as long as it likes: a quiet log is no broken one, and `fetch` takes five minutes without
 * a byte for an end. Redirects are answers like any other. The request's signal ends it at any time; it has no body. Rejects when there is
 * no answer.
 */
export function patientFetch({ url, method, headers, signal }: Request): Promise<Response> {
  const send = url.startsWith('https:') ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, headers: Object.fromEntries(headers), signal }, (answer) => {
      const { statusCode: status = 502, rawHeaders } = answer;
      const pairs = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : []));
      if (BODILESS.has(status)) answer.resume();
      const body = BODILESS.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
      resolve(new Response(body, { status, headers: pairs.map(([name, value]) => [name, value]) }));
    });
    sent.on('error', reject);
    sent.end();
  });
}
