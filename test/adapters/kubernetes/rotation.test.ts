import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, createCluster } from '../../../src/adapters/kubernetes/index.ts';
import { eventually, kubeconfigFor, memoryLog, realClock } from '../../support/kubernetes.ts';

const folder = mkdtempSync(join(tmpdir(), 'hakopod-ca-'));
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.warn('SKIPPED: rotation of certificates; openssl is not installed');

function selfSigned(name: string): { key: Buffer; cert: Buffer } {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
  const made = spawnSync('openssl', [
    'req',
    ...options,
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

describe.skipIf(!hasOpenssl)('certificates', () => {
  afterAll(() => rmSync(folder, { recursive: true }));

  it('a new CA file is used without a restart, and a foreign server is never believed', async () => {
    const first = selfSigned('first');
    const second = selfSigned('second');
    const server = createServer(first, (_, response) => response.end('{"metadata":{"name":"a"}}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ca = join(folder, 'ca.crt');
    copyFileSync(join(folder, 'first.crt'), ca);
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const text = kubeconfigFor(url).replace('"server"', `"certificate-authority":"${ca}","server"`);
    const connection = connect({ kubeconfigText: text });
    if (!connection.ok) throw new Error(connection.problem.message);
    const cluster = createCluster(connection.value, { clock: realClock, log: memoryLog(), userAgent: 'test' });
    const get = async (): Promise<boolean> =>
      (await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'a' })).ok;

    expect(await get()).toBe(true);
    server.setSecureContext(second);
    server.closeAllConnections();
    expect(await get()).toBe(false);
    expect(await get()).toBe(false);
    copyFileSync(join(folder, 'second.crt'), ca);
    await eventually(get, 'trusting the new CA');

    await connection.value.close();
    await new Promise((resolve) => server.close(resolve));
  });
});
