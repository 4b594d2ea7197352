import { describe, expect, it } from 'vitest';
import { type ApiClient, createClient } from '../../src/cli/client/api.ts';
import { planOf } from '../../src/cli/commands/planned.ts';
import type { Loaded } from '../../src/cli/offline/index.ts';
import type { Session } from '../../src/cli/session.ts';
import { Me } from '../../src/ports/api/index.ts';

/** A client of an API that answers like this. */
function clientOf(answer: () => Promise<Response> | Response): {
  readonly client: ApiClient;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const client = createClient({
    where: 'https://hakopod.example.com',
    origin: 'https://hakopod.example.com',
    fetch: async (request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname}`);
      return answer();
    },
    connect: () => Promise.reject(new Error('no socket is asked for')),
    close: async () => undefined,
  });
  return { client, asked };
}
const me = (client: ApiClient) => client.call({ method: 'GET', path: '/me', answer: Me });
const stream = (chunks: Iterable<Uint8Array>, end: (controller: ReadableStreamDefaultController) => void): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk);
        end(controller);
      },
    }),
  );

describe('an API that can not be used', () => {
  const megabytes = Array.from({ length: 9 }, () => new Uint8Array(1024 * 1024));
  it.each<readonly [string, () => Promise<Response> | Response, string]>([
    ['does not answer', () => Promise.reject(new Error('ECONNREFUSED')), 'no answer from https://hakopod.example.com'],
    ['answers no JSON', () => new Response('<html>'), 'the answer is not of this version of the API'],
    ['answers something else', () => Response.json({ a: 1 }), 'the answer is not of this version of the API'],
    [
      'fails as a proxy does',
      () => new Response('Bad Gateway', { status: 502 }),
      'the server answered 502 without a reason',
    ],
    [
      'has a code of a later version',
      () => Response.json({ error: { code: 'later', message: 'said by the server' } }, { status: 409 }),
      'said by the server',
    ],
    ['breaks off', () => stream([], (c) => c.error(new Error('reset'))), 'the answer broke off'],
    ['goes on and on', () => stream(megabytes, (c) => c.close()), 'the answer is longer than is read'],
  ])('%s: api_unavailable', async (_, answer, message) => {
    const { client, asked } = clientOf(answer);
    expect(await me(client)).toMatchObject({ ok: false, problem: { code: 'api_unavailable', message } });
    expect(asked).toEqual(['GET /api/v1/me']);
  });
});

it('a plan that has nowhere to go is refused before anybody is asked: missing_context', async () => {
  const { client, asked } = clientOf(() => Response.json({}));
  const loaded = { request: { toml: 'name = "shop"' } } as unknown as Loaded;
  for (const scope of [{}, { project: 'acme' }, { environment: 'production' }]) {
    const planned = await planOf({ api: client, scope } as unknown as Session, loaded, {});
    expect(planned).toMatchObject({ ok: false, problem: { code: 'missing_context' } });
  }
  expect(asked).toEqual([]);
});
