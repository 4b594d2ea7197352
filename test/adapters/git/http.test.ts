import { execFileSync, spawnSync } from 'node:child_process';
import type { lookup } from 'node:dns';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { elsewhereOnly } from '../../../src/adapters/git/http.ts';
import { cleanup, code, MAIN, openReader, startRig, value } from './support.ts';

const undo = cleanup();
const HOST = 'git.example.test';
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.log('skipped: the tests of TLS and proxy need the openssl command');

describe('elsewhereOnly', () => {
  const answer = (addresses: readonly string[], all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      const resolver = ((_host: string, _options: object, callback: (error: null, found: object[]) => void) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        )) as unknown as typeof lookup;
      elsewhereOnly(resolver)('git.example.test', { all }, (error, found) =>
        resolve(error === null ? found : (error as NodeJS.ErrnoException).code),
      );
    });

  it('lets no name lead to this machine or link', async () => {
    for (const all of [true, false]) {
      expect(await answer(['127.0.0.1', '169.254.169.254'], all)).toBe('EHERE');
      expect(await answer([], all)).toBe('EHERE');
    }
    expect(await answer(['127.0.0.1', '10.0.0.8'], false)).toBe('10.0.0.8');
    expect(await answer(['127.0.0.1', '10.0.0.8'], true)).toEqual([{ address: '10.0.0.8', family: 4 }]);
  });
});

describe.skipIf(!hasOpenssl)('TLS and a proxy', () => {
  async function rigWithTls(options: { readonly proxyStatus?: number; readonly user?: string } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'hakopod-test-tls-'));
    undo(() => rm(folder, { recursive: true, force: true }));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = `subjectAltName=DNS:${HOST},DNS:localhost`;
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', [...args, '-subj', `/CN=${HOST}`, '-addext', names, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    const rig = await startRig(undo);
    await rig.push('one');
    const ca = await readFile(cert, 'utf8');
    const seen: string[] = [];
    const tls = createTlsServer({ key: await readFile(key), cert: ca }, (incoming, outgoing) => {
      seen.push(`${incoming.method} ${incoming.headers.host} ${incoming.headers['proxy-authorization']}`);
      const inner = request(
        `${rig.server.url}${incoming.url}`,
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(inner);
    });
    const tlsPort = await listen(tls);
    const tunnels: string[] = [];
    const proxy = createHttpServer();
    proxy.on('connect', (incoming, socket) => {
      tunnels.push(`${incoming.url} ${incoming.headers['proxy-authorization']}`);
      if (options.proxyStatus !== undefined) {
        socket.end(`HTTP/1.1 ${options.proxyStatus} No\r\n\r\n`);
        return;
      }
      const out = connect(tlsPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(out).pipe(socket);
      });
      out.on('error', () => socket.destroy());
      socket.on('error', () => out.destroy());
    });
    const proxyPort = await listen(proxy);
    return { rig, ca, seen, tunnels, tlsPort, proxy: `http://${options.user ?? ''}127.0.0.1:${proxyPort}` };
  }

  async function listen(
    server: ReturnType<typeof createHttpServer> | ReturnType<typeof createTlsServer>,
  ): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    undo(async () => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  const remote = {
    url: `https://${HOST}/repo.git`,
    local: false,
    credentials: { username: 'u', password: 'canary-1' },
  };

  it('trusts the bundle it is given and no other certificate', async () => {
    const { ca, tlsPort } = await rigWithTls();
    const local = { url: `https://localhost:${tlsPort}/repo.git`, local: true };
    expect(code(await openReader(undo).listRefs(local, [MAIN]))).toBe('git_unavailable');
    expect(value(await openReader(undo, { ca }).listRefs(local, [MAIN])).size).toBe(1);
  });

  it('goes through the proxy by CONNECT, on few tunnels, checking the certificate end to end', async () => {
    const { ca, proxy, seen, tunnels } = await rigWithTls({ user: 'me:p%40ss@' });
    const reader = openReader(undo, { ca, proxy });
    for (let i = 0; i < 5; i++) expect(value(await reader.listRefs(remote, [MAIN])).size).toBe(1);
    const auth = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(tunnels).toEqual([`${HOST}:443 ${auth}`]);
    expect(seen.length).toBe(6);
    expect(new Set(seen)).toEqual(new Set([`GET ${HOST} undefined`, `POST ${HOST} undefined`]));
    expect(code(await openReader(undo, { proxy }).listRefs(remote, [MAIN]))).toBe('git_unavailable');
  });

  it('is git_unavailable when the proxy refuses or is away', async () => {
    const { ca, proxy } = await rigWithTls({ proxyStatus: 407 });
    const refused = await openReader(undo, { ca, proxy }).listRefs(remote, [MAIN]);
    expect(code(refused)).toBe('git_unavailable');
    expect(JSON.stringify(refused)).not.toContain('canary-1');
    const away = await openReader(undo, { ca, proxy: 'http://127.0.0.1:1' }).listRefs(remote, [MAIN]);
    expect(code(away)).toBe('git_unavailable');
  });
});
