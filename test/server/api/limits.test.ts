import { request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/access/index.ts';
import { ok } from '../../../src/kernel/index.ts';
import { gate } from '../../support/redis.ts';
import { ADMIN, keyWith, NO_LIMIT, startApi, type World } from './harness.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const start = async (...args: Parameters<typeof startApi>): Promise<World> => {
  world = await startApi(...args);
  return world;
};
const headers = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});

describe('every answer', () => {
  it('can not be kept, sniffed, framed or followed back, and has an id', async () => {
    const { origin, login } = await start();
    const key = login(ADMIN);
    const paths = [
      '/api/v1/me',
      '/api/v1/nothing',
      '/api/v1/openapi.json',
      '/api/docs',
      '/elsewhere',
      '/plans/a.b.c.1',
    ];
    for (const path of paths) {
      for (const init of [{}, { headers: headers(key) }]) {
        const answer = await fetch(origin + path, init);
        const got = Object.fromEntries(answer.headers);
        expect(got).toMatchObject({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'x-frame-options': 'DENY',
        });
        expect(got['content-security-policy']).toMatch(/^default-src 'none'/);
        expect(got['x-request-id']).toMatch(/^[0-9a-f]{16}$/);
        expect(got['access-control-allow-origin']).toBeUndefined();
      }
    }
  });

  it('is 401 before it is 404 or 405, and a key in no other place counts', async () => {
    const { origin, login } = await start();
    const key = login(ADMIN);
    for (const path of ['/api', '/api/', '/api/v1/none', '/api/v2/me', '/plans/x'])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 401]);
    for (const authorization of ['', 'Bearer', `Basic ${btoa(`x:${key}`)}`, `bearer${key}`, `Bearer ${key}x`, key])
      expect((await fetch(`${origin}/api/v1/me?key=${key}`, { headers: { authorization } })).status).toBe(401);
    expect((await fetch(`${origin}/api/v1/me`, { method: 'PATCH' })).status).toBe(401);
    expect((await fetch(`${origin}/api/v1/none`, { headers: headers(key) })).status).toBe(404);
    const wrong = await fetch(`${origin}/api/v1/me`, { method: 'PATCH', headers: headers(key) });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await wrong.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
    const exchange = await fetch(`${origin}/api/v1/keys/exchange`, { headers: headers(key) });
    expect([exchange.status, exchange.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  it('to HEAD is the head of GET', async () => {
    const { origin, login } = await start();
    const answer = await fetch(`${origin}/api/v1/me`, { method: 'HEAD', headers: headers(login(ADMIN)) });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });
});

describe('limits', () => {
  it('answer 429 when an address asks too often, before the key is looked at', async () => {
    const { origin, clock, login } = await start({
      limits: { ...NO_LIMIT, rate: { capacity: 3, refillPerSecond: 1, maxBuckets: 10 } },
    });
    const key = login(ADMIN);
    const statuses = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await fetch(`${origin}/api/v1/me`, { headers: headers(key) })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await fetch(`${origin}/api/v1/me`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit' } });
    clock.advance(1_000);
    expect((await fetch(`${origin}/api/v1/me`, { headers: headers(key) })).status).toBe(200);
  });

  it('count the address in front of our proxies', async () => {
    const { origin } = await start({
      trustedProxies: 1,
      limits: { ...NO_LIMIT, rate: { capacity: 1, refillPerSecond: 1, maxBuckets: 10 } },
    });
    const from = (address: string): Promise<number> =>
      fetch(`${origin}/api/docs`, { headers: { 'x-forwarded-for': address } }).then(({ status }) => status);
    expect(await from('203.0.113.1')).toBe(200);
    expect(await from('203.0.113.1')).toBe(429);
    expect(await from('spoofed, 203.0.113.1')).toBe(429);
    expect(await from('203.0.113.2')).toBe(200);
  });

  it('answer 503 busy past the number in flight, and none of this process', async () => {
    const { origin, api, operations, login } = await start({ limits: { ...NO_LIMIT, inFlight: 2 } });
    const { passed, open } = gate();
    Object.assign(operations, { me: { show: async () => passed.then(() => ok({})) } });
    const key = login(ADMIN);
    const ask = (): Promise<Response> => fetch(`${origin}/api/v1/me`, { headers: headers(key) });
    const held = [ask(), ask()];
    const busy = await Promise.any(
      [...held, ask()].map(async (answer) => ((await answer).status === 503 ? answer : Promise.reject())),
    );
    expect(busy.headers.get('retry-after')).toBe('1');
    expect(await busy.json()).toMatchObject({ error: { code: 'busy' } });
    const own = Array.from({ length: 5 }, () => api.fetch(new Request('http://local/api/v1/roles'), LOCAL));
    expect((await Promise.all(own)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    open();
    await Promise.all(held);
    expect((await ask()).status).not.toBe(503);
  });

  it('refuse a body over 512 KiB, announced or streamed, and go on serving', async () => {
    const { origin, port, login, calls } = await start();
    const key = login(ADMIN);
    const announced = await fetch(`${origin}/api/v1/plan`, {
      method: 'POST',
      headers: headers(key),
      body: 'x'.repeat(512 * 1024 + 1),
    });
    expect([announced.status, await announced.json()]).toMatchObject([413, { error: { code: 'body_limit' } }]);
    const streamed = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(
        { port, path: '/api/v1/plan', method: 'POST', headers: { ...headers(key), 'transfer-encoding': 'chunked' } },
        (res) => {
          res.resume();
          resolve(res.statusCode);
        },
      );
      sending.on('error', reject);
      for (let n = 0; n < 9; n += 1) sending.write('x'.repeat(64 * 1024));
    });
    expect(streamed).toBe(413);
    expect(calls).toEqual([]);
    const fits = JSON.stringify({ project: 'acme', environment: 'production', toml: '#'.repeat(262_144) });
    const padded = fits + ' '.repeat(512 * 1024 - fits.length);
    expect((await fetch(`${origin}/api/v1/plan`, { method: 'POST', headers: headers(key), body: padded })).status).toBe(
      200,
    );
  });

  it('tell whoever asks first to go on only with a body that will be read', async () => {
    const { port, login } = await start();
    const key = login(ADMIN);
    const talk = (length: number): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1');
        let heard = '';
        socket.on('error', reject);
        socket.on('data', (chunk) => {
          heard += chunk;
          if (heard.includes('100 Continue')) socket.destroy();
          if (heard.includes('413')) socket.destroy();
        });
        socket.on('close', () => resolve(heard));
        socket.write(
          `POST /api/v1/plan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
        );
      });
    expect(await talk(100)).toContain('100 Continue');
    expect(await talk(600_000)).toMatch(/^HTTP\/1.1 413/);
  });
});

describe('a body', () => {
  it.each([
    ['nothing', '', 400, 'body'],
    ['two values', '{} {}', 400, 'body'],
    ['no object', '[]', 400, 'body'],
    ['no JSON', '{"a":', 400, 'body'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'body'],
    ['a byte order mark', '\ufeff{}', 400, 'body'],
    ['nested too deep', `{"project":${'['.repeat(100_000)}`, 400, 'body'],
    ['quotes without end', `"${'\\"'.repeat(200_000)}`, 400, 'body'],
    ['a missing field', '{}', 400, 'project'],
    ['a wrong type', '{"project":1}', 400, 'project'],
    ['a wrong name', '{"project":"Not A Name"}', 400, 'project'],
    ['a stray field', '{"project":"a","environment":"b","__proto__":{"x":1}}', 400, '__proto__'],
    ['a stray item', '{"project":"a","environment":"b","services":[1]}', 400, 'services.0'],
  ])('that is %s is refused at its place', async (_, body, status, at) => {
    const { origin, login } = await start();
    const answer = await fetch(`${origin}/api/v1/plan`, { method: 'POST', headers: headers(login(ADMIN)), body });
    expect([answer.status, await answer.json()]).toMatchObject([
      status,
      { error: { code: 'invalid_request', details: { at } } },
    ]);
  });

  it('must say that it is JSON', async () => {
    const { origin, login } = await start();
    const authorization = `Bearer ${login(ADMIN)}`;
    const send = (type: string): Promise<Response> =>
      fetch(`${origin}/api/v1/sources/a.b.c/sync`, {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body: '{}',
      });
    const plain = await send('text/plain');
    expect([plain.status, await plain.json()]).toMatchObject([415, { error: { code: 'unsupported_media_type' } }]);
    expect((await send('application/json; charset=utf-8')).status).toBe(202);
    const empty = await fetch(`${origin}/api/v1/sources/a.b.c/sync`, { method: 'POST', headers: { authorization } });
    expect(empty.status).toBe(202);
  });

  it('of any JSON at all is answered and never a failure of ours', async () => {
    const { api, logged } = await start({ checkAnswers: false });
    const value = fc.oneof(
      fc.json(),
      fc
        .object({
          key: fc.constantFrom('project', 'environment', 'spec', 'toml', 'services', '__proto__', 'constructor'),
        })
        .map((any) => JSON.stringify(any)),
    );
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom('/plan', '/sources', '/keys', '/identities'), async (body, path) => {
        const answer = await api.fetch(
          new Request(`http://local/api/v1${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          }),
          LOCAL,
        );
        expect([200, 201, 400]).toContain(answer.status);
      }),
      { numRuns: 300 },
    );
    expect(logged).toEqual([]);
  });
});

describe('a failure of ours', () => {
  it('says nothing of its reason', async () => {
    const { origin, operations, login, logged } = await start();
    Object.assign(operations, { me: { show: async () => Promise.reject(new Error('secret reason')) } });
    const answer = await fetch(`${origin}/api/v1/me`, { headers: headers(login(keyWith([]))) });
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: { code: 'internal', message: 'something went wrong' } },
    ]);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect(logged.join()).toContain('secret reason');
  });
});
