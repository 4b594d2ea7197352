import type { ServerResponse } from 'node:http';

/** An answer made once and sent often. Its body is text because Node then writes head and body in one go. */
export type Answer = { readonly status: number; readonly headers: readonly string[]; readonly body: string };

/** Facts 7.1. */
const SECURITY_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'no-store',
  'Referrer-Policy',
  'no-referrer',
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
  const length = String(Buffer.byteLength(content.text));
  const headers = ['Content-Type', content.type, 'Content-Length', length, ...SECURITY_HEADERS, ...extra];
  return { status, headers, body: content.text };
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
