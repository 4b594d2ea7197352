import type { ServerResponse } from 'node:http';

/** An answer made once and sent often. */
export type Answer = { readonly status: number; readonly headers: readonly string[]; readonly body: Buffer };

/** Facts 7.1, and nothing of ours may run in or be framed by a browser page. */
const SECURITY_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'no-store',
  'Referrer-Policy',
  'no-referrer',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
] as const;

/** A JSON answer; `extra` are further headers as name, value, name, value. */
export function jsonAnswer(status: number, value: unknown, extra: readonly string[] = []): Answer {
  return textAnswer(status, { type: 'application/json', text: JSON.stringify(value) }, extra);
}

/** An answer of any text type. */
export function textAnswer(
  status: number,
  content: { readonly type: string; readonly text: string },
  extra: readonly string[] = [],
): Answer {
  const body = Buffer.from(content.text);
  const headers = ['Content-Type', content.type, 'Content-Length', String(body.length), ...SECURITY_HEADERS, ...extra];
  return { status, headers, body };
}

/** The error envelope of facts 7.1. */
export function errorAnswer(status: number, code: string, message: string, extra: readonly string[] = []): Answer {
  return jsonAnswer(status, { error: { code, message } }, extra);
}

/** Sends an answer; does nothing when the connection is gone. */
export function send(res: ServerResponse, answer: Answer): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(answer.status, answer.headers as string[]);
  res.end(answer.body);
}
