import type { HttpRequest, OpenHttp } from '../../src/ports/index.ts';

/** What a forge answers by `METHOD /path?query` of its API base; everything else is 404. */
export type Canned = Readonly<Record<string, { readonly status?: number; readonly json: unknown }>>;

/** A forge that says what it is told to; `calls` is what it was asked, oldest first. */
export function cannedForge(base: string, answers: Canned): { readonly openHttp: OpenHttp; readonly calls: string[] } {
  const calls: string[] = [];
  const openHttp: OpenHttp = () => ({
    async send({ method, url }: HttpRequest) {
      const call = `${method} ${url.slice(base.length)}`;
      calls.push(call);
      const { status = 200, json } = answers[call] ?? { status: 404, json: { message: '404 Not Found' } };
      const body = Buffer.from(JSON.stringify(json));
      return { ok: true, response: { status, headers: { 'content-type': 'application/json' }, body } };
    },
    close: async () => undefined,
  });
  return { openHttp, calls };
}
