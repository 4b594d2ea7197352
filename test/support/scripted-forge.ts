import type { HttpOutcome, HttpRequest, OpenHttp } from '../../src/ports/index.ts';

export type Asked = {
  readonly method: string;
  /** Below the API's base, with the query. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
};

type Answers = (asked: Asked) => { readonly status: number; readonly json?: unknown } | undefined;

/** A forge that answers as a test says, 404 to all else, and what it was asked. `base` is the address of its API. */
export function scriptedForge(
  base: string,
  answers: Answers,
): { readonly openHttp: OpenHttp; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const send = async ({ method, url, body }: HttpRequest): Promise<HttpOutcome> => {
    const path = url.slice(base.length);
    const one = { method, path, body: body === undefined ? undefined : JSON.parse(body) };
    asked.push(one);
    const { status, json } = answers(one) ?? { status: 404, json: { message: 'Not Found' } };
    const headers = { 'content-type': 'application/json' };
    return { ok: true, response: { status, headers, body: Buffer.from(JSON.stringify(json ?? {})) } };
  };
  return { asked, openHttp: () => ({ send, close: () => Promise.resolve() }) };
}
