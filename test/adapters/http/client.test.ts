import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Lookup, openHttpClient } from '../../../src/adapters/http/index.ts';
import type { HttpClient, HttpRequest } from '../../../src/ports/index.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((done) => server.listen(0, host, done));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return (server.address() as AddressInfo).port;
}
async function serve(handler: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(handler))}`;
}
function open(...args: Parameters<typeof openHttpClient>): HttpClient {
  const client = openHttpClient(...args);
  cleanups.push(() => client.close());
  return client;
}
function get(url: string, extra: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: {}, maxBytes: 1000, timeoutMs: 5000, ...extra };
}

describe('openHttpClient', () => {
  it('answers status, headers and body, and sends what it was given', async () => {
    const url = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (c: Buffer) => chunks.push(c));
      request.on('end', () =>
        response.writeHead(201, { 'x-one': 'a' }).end(`${request.method} ${Buffer.concat(chunks)}`),
      );
    });
    const outcome = await open().send(get(url, { method: 'POST', body: 'hello' }));
    expect(outcome).toMatchObject({ ok: true, response: { status: 201, headers: { 'x-one': 'a' } } });
    expect(outcome.ok && outcome.response.body.toString()).toBe('POST hello');
  });

  it('does not follow redirects', async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    expect(await open().send(get(url))).toMatchObject({ ok: true, response: { status: 302 } });
  });

  it.each([1000, 1001])('stops reading past the cap (%i bytes sent, 1000 allowed)', async (size) => {
    const url = await serve((_, response) => response.end('x'.repeat(size)));
    const outcome = await open().send(get(url));
    expect(outcome.ok ? 'fits' : outcome.failure.reason).toBe(size > 1000 ? 'too_large' : 'fits');
  });

  it('tells a refused connection from a broken one', async () => {
    const url = await serve((request) => request.socket.destroy());
    const broken = await open().send(get(url));
    expect(broken).toMatchObject({ ok: false, failure: { reason: 'broken' } });
    const closed = createServer();
    const port = await listen(closed);
    await new Promise((done) => closed.close(done));
    const refused = await open().send(get(`http://127.0.0.1:${port}/`));
    expect(refused).toMatchObject({ ok: false, failure: { reason: 'unreachable' } });
  });

  it('gives up after the time limit, also in the middle of a body', async () => {
    const silent = await serve(() => undefined);
    const stuck = await serve((_, response) => response.writeHead(200).write('part'));
    for (const url of [silent, stuck]) {
      expect(await open().send(get(url, { timeoutMs: 60 }))).toMatchObject({ failure: { reason: 'timeout' } });
    }
  });

  it('stops when the signal aborts', async () => {
    const url = await serve(() => undefined);
    const outcome = await open().send(get(url, { signal: AbortSignal.timeout(30) }));
    expect(outcome).toMatchObject({ failure: { reason: 'aborted' } });
  });
});

describe('allowAddress', () => {
  const refuseAll = { allowAddress: () => false };

  it.each([
    'http://127.0.0.1:9/',
    'http://[::1]:9/',
    'http://2130706433:9/',
    'http://0x7f.1:9/',
    'http://localhost:9/',
  ])('judges %s before connecting', async (url) => {
    expect(await open(refuseAll).send(get(url))).toMatchObject({ failure: { reason: 'address_refused' } });
  });

  it('connects to the very addresses it judged, whatever the name says the next time', async () => {
    const url = await serve((_, response) => response.end('ok'));
    let asked = 0;
    const judged: string[] = [];
    const client = open(
      { allowAddress: (_, address) => judged.push(address) > 0 && address === '127.0.0.1' },
      (_, done) => {
        asked += 1;
        done(null, [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
      },
    );
    const named = url.replace('127.0.0.1', 'rebinding.test');
    expect(await client.send(get(named))).toMatchObject({ ok: true, response: { status: 200 } });
    expect({ asked, judged }).toEqual({ asked: 1, judged: ['127.0.0.1'] });
    // A new connection looks the name up again and is judged again.
    const other = open({ allowAddress: (_, address) => address === '127.0.0.1' }, (_, done) =>
      done(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ]),
    );
    expect(await other.send(get(named))).toMatchObject({ failure: { reason: 'address_refused' } });
  });

  it('judges names before a proxy is asked, and leaves to it those that only it knows', async () => {
    let asked = 0;
    const proxy = await serve((_, response) => {
      asked += 1;
      response.end();
    });
    const names: Lookup = (host, done) =>
      host === 'unknown.test' ? done(new Error('ENOTFOUND'), []) : done(null, [{ address: '10.0.0.1', family: 4 }]);
    const client = open({ proxy, allowAddress: (_, address) => address !== '10.0.0.1' }, names);
    for (const host of ['internal.test', '10.0.0.1']) {
      expect(await client.send(get(`http://${host}/`))).toMatchObject({ failure: { reason: 'address_refused' } });
    }
    const outcome = await client.send(get('http://unknown.test/'));
    expect(outcome.ok ? 'asked' : outcome.failure.reason).not.toBe('address_refused');
    expect(asked).toBeLessThanOrEqual(1);
  });
});

describe('ca and proxy', () => {
  const openssl = (() => {
    try {
      execFileSync('openssl', ['version'], { stdio: 'ignore' });
      return true;
    } catch {
      console.warn('skipped: openssl is not installed, so no test certificate can be made');
      return false;
    }
  })();

  it.skipIf(!openssl)('trusts a private root only when given, also through a proxy', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hakopod-tls-'));
    cleanups.push(() => rmSync(dir, { recursive: true }));
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject],
      {
        stdio: 'ignore',
      },
    );
    const pem = readFileSync(cert, 'utf8');
    const server = createTlsServer({ key: readFileSync(key), cert: pem }, (_, response) => response.end('secret'));
    const url = `https://127.0.0.1:${await listen(server as unknown as Server)}/`;
    expect(await open().send(get(url))).toMatchObject({ failure: { reason: 'unreachable' } });
    expect(await open({ ca: pem }).send(get(url))).toMatchObject({ ok: true, response: { status: 200 } });

    const tunnels: (string | undefined)[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(request.url);
      const [host = '', port] = (request.url ?? '').split(':');
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      socket.on('error', () => upstream.destroy());
    });
    const port = await listen(proxy);
    const proxied = await open({ ca: pem, proxy: `http://127.0.0.1:${port}` }).send(get(url));
    expect(proxied).toMatchObject({ ok: true, response: { status: 200 } });
    expect(tunnels).toEqual([new URL(url).host]);
  });
});
