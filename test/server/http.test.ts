import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpServer } from '../../src/server/index.ts';
import { gate, silentLog, until } from '../support/redis.ts';
import { call, raw } from './harness.ts';

type Options = Parameters<typeof createHttpServer>[0];
const LOOPBACK = { host: '127.0.0.1', port: 0 };
let server: HttpServer | undefined;
afterEach(async () => server?.stop());

async function start(over: Partial<Options> = {}): Promise<{ port: number; adminPort: number }> {
  server = createHttpServer({ listen: LOOPBACK, readiness: [], log: silentLog(), ...over });
  const started = await server.start();
  if (!started.ok) throw new Error(started.problem.message);
  return { port: started.value.port, adminPort: started.value.adminPort ?? 0 };
}
const get = (port: number, path: string): ReturnType<typeof call> => call(port, { method: 'GET', path });

describe('routes', () => {
  const metrics = { page: async () => ({ type: 'text/plain; version=0.0.4', text: 'up 1\n' }) };

  it('answers 404 as JSON with the security headers for what is not there', async () => {
    const { port } = await start({ metrics, admin: LOOPBACK });
    for (const path of ['/', '/hooks', '/hooks/', '/hooks/a/b', `/hooks/${'a'.repeat(300)}`, '/metrics', '/HOOKS/a']) {
      const reply = await get(port, path);
      expect([path, reply.status]).toEqual([path, 404]);
      expect(JSON.parse(reply.body)).toMatchObject({ error: { code: 'not_found' } });
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
    }
  });

  it('hands a hook’s id to the receiver, without the query', async () => {
    const ids: string[] = [];
    const { port } = await start({
      receiver: async (_req, res, id) => {
        ids.push(id);
        res.end();
      },
    });
    await call(port, { path: '/hooks/abc?secret=1' });
    expect(ids).toEqual(['abc']);
  });

  it('shows metrics on the admin listener only', async () => {
    const { port, adminPort } = await start({ metrics, admin: LOOPBACK });
    expect((await get(port, '/metrics')).status).toBe(404);
    expect(await get(adminPort, '/metrics')).toMatchObject({ status: 200, body: 'up 1\n' });
    expect((await get(adminPort, '/hooks/a')).status).toBe(404);
  });

  it('shows a worker’s metrics on its only address, and a receiver’s not', async () => {
    const { port } = await start({ metrics });
    expect((await get(port, '/metrics')).status).toBe(200);
    await server?.stop();
    const { port: open } = await start({ metrics, receiver: async (_req, res) => void res.end() });
    expect((await get(open, '/metrics')).status).toBe(404);
  });

  it('leaves every other path to the fallback', async () => {
    const { port } = await start({ fallback: (_req, res) => void res.end('theirs') });
    expect((await get(port, '/api/v1/anything')).body).toBe('theirs');
    expect((await get(port, '/healthz')).status).toBe(200);
  });

  it('answers 500 without a word about it when a handler throws', async () => {
    const { port } = await start({
      fallback: async () => {
        throw new Error('secret words');
      },
    });
    const reply = await get(port, '/');
    expect(reply.status).toBe(500);
    expect(reply.body).not.toContain('secret');
  });
});

describe('health', () => {
  it('is alive while it runs, ready when every check passes', async () => {
    let up = true;
    const { port } = await start({
      readiness: [
        { name: 'redis', ready: async () => up },
        { name: 'caches', ready: () => true },
      ],
    });
    expect(await get(port, '/readyz')).toMatchObject({
      status: 200,
      body: '{"ok":true,"checks":{"redis":true,"caches":true}}',
    });
    up = false;
    expect(await get(port, '/readyz')).toMatchObject({
      status: 503,
      body: '{"ok":false,"checks":{"redis":false,"caches":true}}',
    });
    expect((await get(port, '/healthz')).status).toBe(200);
    expect((await call(port, { path: '/healthz' })).status).toBe(405);
  });

  it('is not ready when a check throws or does not come back', async () => {
    const { port } = await start({
      readiness: [
        { name: 'hangs', ready: () => new Promise(() => {}) },
        { name: 'throws', ready: () => Promise.reject(new Error('no')) },
      ],
    });
    const began = performance.now();
    expect((await get(port, '/readyz')).body).toBe('{"ok":false,"checks":{"hangs":false,"throws":false}}');
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('limits', () => {
  it('ends requests whose head or body does not come', async () => {
    const { port } = await start({
      limits: { headersMs: 100, requestMs: 200 },
      fallback: (req, res) => void req.resume().on('end', () => res.end()),
    });
    expect(await raw(port, 'GET / HTTP/1.1\r\nHo')).toMatch(/^HTTP\/1\.1 408 /);
    expect(await raw(port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('refuses a head that is too large, and what is no HTTP', async () => {
    const { port } = await start();
    expect(await raw(port, `GET / HTTP/1.1\r\nHost: h\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    expect(await raw(port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('bounds the connections', async () => {
    const { port } = await start({ limits: { connections: 2 } });
    const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect(await raw(port, 'GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n')).toBe('');
    for (const socket of held) socket.destroy();
  });
});

describe('start and stop', () => {
  it('tells when an address is taken, and leaves nothing open', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const taken = { host: '127.0.0.1', port: (holder.address() as { port: number }).port };
    const one = createHttpServer({ listen: LOOPBACK, admin: taken, readiness: [], log: silentLog() });
    expect(await one.start()).toMatchObject({ ok: false, problem: { code: 'invalid_config' } });
    await one.stop();
    await new Promise((resolve) => holder.close(resolve));
  });

  it('finishes what is in flight, takes nothing new, and does not wait for idle connections', async () => {
    const [began, finish] = [gate(), gate()];
    const { port } = await start({
      fallback: async (_req, res) => {
        began.open();
        await finish.passed;
        res.end('done');
      },
    });
    const idle = connect(port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const inFlight = get(port, '/slow');
    await began.passed;
    const stopped = server!.stop();
    await expect(get(port, '/healthz')).rejects.toThrow();
    finish.open();
    expect((await inFlight).body).toBe('done');
    await stopped;
    await until(() => idle.destroyed || idle.readableEnded, 'the end of the idle connection');
  });

  it('cuts off at the deadline what does not finish', async () => {
    const began = gate();
    const { port } = await start({ limits: { drainMs: 100 }, fallback: () => began.open() });
    const inFlight = get(port, '/for-ever').catch((error: Error) => error);
    await began.passed;
    const at = performance.now();
    await server!.stop();
    expect(performance.now() - at).toBeLessThan(1_000);
    expect(await inFlight).toBeInstanceOf(Error);
  });
});
