import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect, createCluster } from '../../../src/adapters/kubernetes/index.ts';
import { fakeApi, json, status } from '../../support/fake-api.ts';
import { clientOf, kubeconfigFor, memoryLog, realClock } from '../../support/kubernetes.ts';

const REF = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'a' };
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } };

describe('the connection', () => {
  it('uses at most 32 connections for 1,000 requests, and keeps them', async () => {
    const api = await fakeApi((_, response) => setTimeout(() => json(response, 200, OBJECT), 2));
    const { cluster, close } = clientOf(api.url);
    const results = await Promise.all(Array.from({ length: 1000 }, () => cluster.get(REF)));
    expect(results.every((result) => result.ok)).toBe(true);
    expect(api.connections()).toBeLessThanOrEqual(32);
    expect(api.connections()).toBeGreaterThan(1);
    await close();
    await api.kill();
  });

  it('keeps answering calls while more than 32 watches are open', async () => {
    const api = await fakeApi((request, response) => {
      if (request.url?.includes('watch=true')) return response.writeHead(200).flushHeaders();
      if (request.url?.includes('limit='))
        return json(response, 200, { metadata: { resourceVersion: '1' }, items: [] });
      json(response, 200, OBJECT);
    });
    const { cluster, close } = clientOf(api.url);
    const caches = Array.from({ length: 40 }, () =>
      cluster.cache({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns' }),
    );
    await Promise.all(caches.map((cache) => cache.whenSynced()));
    expect((await cluster.get(REF)).ok).toBe(true);
    await Promise.all(caches.map((cache) => cache.stop()));
    await close();
    await api.kill();
  });

  it('sends a read again when a kept connection broke, and a write never', async () => {
    let broken = 0;
    const api = await fakeApi((_, response) => {
      broken += 1;
      if (broken % 2 === 1) response.destroy();
      else json(response, 200, OBJECT);
    });
    const { cluster, close } = clientOf(api.url);
    expect((await cluster.get(REF)).ok).toBe(true);
    const written = await cluster.create(OBJECT);
    expect(written.ok ? 'ok' : written.problem.code).toBe('cluster_unavailable');
    expect(api.requests.map((r) => r.method)).toEqual(['GET', 'GET', 'POST']);
    await close();
    await api.kill();
  });

  it('waits out a 429 as asked, and gives up with the time when it is too long', async () => {
    let asked = 0;
    const api = await fakeApi((_, response) => {
      asked += 1;
      const wait = asked === 1 ? '0' : '3600';
      if (asked === 2) json(response, 200, OBJECT);
      else json(response, 429, status(429, 'TooManyRequests', 'x'), { 'retry-after': wait });
    });
    const { cluster, close } = clientOf(api.url);
    expect((await cluster.create(OBJECT)).ok).toBe(true);
    const refused = await cluster.create(OBJECT);
    expect(refused).toMatchObject({ problem: { code: 'cluster_unavailable', afterMs: 3_600_000 } });
    await close();
    await api.kill();
  });

  it('gives up on a server that does not answer, and when asked to', async () => {
    const api = await fakeApi(() => undefined);
    const { cluster, close } = clientOf(api.url, {}, 100);
    const slow = await cluster.create(OBJECT);
    expect(slow.ok ? 'ok' : slow.problem.code).toBe('cluster_unavailable');
    const patient = clientOf(api.url);
    const aborted = await patient.cluster.get(REF, AbortSignal.timeout(50));
    expect(aborted.ok ? 'ok' : aborted.problem.code).toBe('cluster_unavailable');
    await Promise.all([close(), patient.close()]);
    await api.kill();
  });

  it('answers cluster_unavailable for pages that are not JSON, and when nobody listens', async () => {
    const api = await fakeApi((_, response) => response.end('<html>'));
    const { cluster, close } = clientOf(api.url);
    const html = await cluster.get(REF);
    expect(html.ok ? 'ok' : html.problem.code).toBe('cluster_unavailable');
    await api.kill();
    const away = await cluster.get(REF);
    expect(away.ok ? 'ok' : away.problem.code).toBe('cluster_unavailable');
    await close();
  });

  it('applies in raw JSON: forced, strict, under one field manager', async () => {
    const api = await fakeApi((_, response) => json(response, 200, OBJECT));
    const { cluster, close } = clientOf(api.url);
    const manifest = { ...OBJECT, from: [{ _from: 1, default: { from: [] } }] };
    await cluster.apply(manifest, { dryRun: true });
    const [sent] = api.requests;
    expect(sent?.url).toBe(
      '/api/v1/namespaces/ns/configmaps/a?fieldManager=hakopod&fieldValidation=Strict&force=true&dryRun=All',
    );
    expect(sent?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(sent?.body).toBe(JSON.stringify(manifest));
    await close();
    await api.kill();
  });

  it('reads a rotated token again after a 401', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hakopod-token-'));
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'old\n');
    const api = await fakeApi((request, response) =>
      request.headers.authorization === 'Bearer new'
        ? json(response, 200, OBJECT)
        : json(response, 401, status(401, 'Unauthorized', 'Unauthorized')),
    );
    const connection = connect({ kubeconfigText: kubeconfigFor(api.url, { tokenFile }) });
    if (!connection.ok) throw new Error(connection.problem.message);
    const cluster = createCluster(connection.value, { clock: realClock, log: memoryLog(), userAgent: 'test' });
    const refused = await cluster.get(REF);
    expect(refused).toMatchObject({
      problem: { code: 'cluster_unavailable', message: expect.stringContaining('credentials') },
    });
    writeFileSync(tokenFile, 'new\n');
    expect((await cluster.get(REF)).ok).toBe(true);
    await connection.value.close();
    await api.kill();
    rmSync(folder, { recursive: true });
  });
});
