import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import type { Manifest } from '../../../src/kernel/index.ts';
import { apply, call, configMap, deployment, widgets } from './fixtures.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

describe('the API', () => {
  let cluster: EmbeddedCluster;

  beforeAll(async () => {
    const refuseUnlucky = (next: Manifest): string | undefined =>
      (next.spec as { size: number }).size === 13 ? 'unlucky' : undefined;
    cluster = await startEmbeddedCluster({ crds: [widgets()], validators: { 'example.org/Widget': refuseUnlucky } });
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await call(cluster, 'POST', MAPS, { body: configMap(name, { name }) });
  });
  afterAll(() => cluster.stop());
  beforeEach(() => {
    cluster.fault(undefined);
    cluster.setDenied([]);
    cluster.setAdmission(undefined);
    cluster.resetRequests();
  });

  it('asks for the token', async () => {
    const response = await fetch(`${cluster.url}${MAPS}`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
    const wrong = await fetch(`${cluster.url}/version`, { headers: { authorization: 'Bearer x' } });
    expect(wrong.status).toBe(401);
  });

  it('caps bodies at 3 MiB', async () => {
    const body = configMap('big', { a: 'x'.repeat(3 * 1024 * 1024) });
    expect(await call(cluster, 'POST', MAPS, { body })).toMatchObject({ code: 413 });
    expect((await call(cluster, 'POST', MAPS, { body: configMap('fits', { a: 'x'.repeat(2_000_000) }) })).code).toBe(
      201,
    );
    await call(cluster, 'DELETE', `${MAPS}/fits`);
  });

  it('refuses bodies that are not JSON and media types it does not know', async () => {
    const headers = { authorization: `Bearer ${cluster.token}`, 'content-type': 'application/json' };
    const bad = await fetch(`${cluster.url}${MAPS}`, { method: 'POST', headers, body: '{' });
    expect(bad.status).toBe(400);
    expect((await call(cluster, 'POST', MAPS, { body: configMap('x'), type: 'text/plain' })).code).toBe(415);
    const strategic = 'application/strategic-merge-patch+json';
    // Known to a real server; here only for what patches of services are for.
    expect((await call(cluster, 'PATCH', `${MAPS}/a`, { body: {}, type: strategic })).code).toBe(415);
  });

  it('merges a strategic patch of a Deployment, by merge keys and with directives', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await call(cluster, 'POST', path, { body: deployment('strategic') });
    const type = 'application/strategic-merge-patch+json';
    const name = 'app';
    const patchOf = (container: object): object => ({ spec: { template: { spec: { containers: [container] } } } });
    const env = [{ name: 'A', value: '1' }];
    const merged = await call(cluster, 'PATCH', `${path}/strategic`, { body: patchOf({ name, env }), type });
    expect(merged).toMatchObject({
      code: 200,
      body: { spec: { template: { spec: { containers: [{ name, env }] } } } },
    });
    const gone = patchOf({ name, env: [{ name: 'A', $patch: 'delete' }] });
    const after = await call(cluster, 'PATCH', `${path}/strategic`, { body: gone, type });
    expect(JSON.stringify(after.body)).not.toContain('"env"');
    expect(JSON.stringify(after.body)).toContain('"image":"example.org/app:1"');
    const strict = `${path}/strategic?fieldValidation=Strict`;
    expect((await call(cluster, 'PATCH', strict, { body: { spec: { replicaz: 1 } }, type })).code).toBe(400);
    const broken = { spec: { strategy: { $retainKeys: [], type: 'Recreate' } } };
    expect((await call(cluster, 'PATCH', `${path}/strategic`, { body: broken, type })).code).toBe(422);
    await call(cluster, 'DELETE', `${path}/strategic`);
  });

  it('pages lists; all pages are of one moment, and a forgotten list is 410', async () => {
    const first = await call(cluster, 'GET', `${MAPS}?limit=2`);
    expect(first.body.items.map((item) => item.metadata.name)).toEqual(['a', 'b']);
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 3 });
    await call(cluster, 'DELETE', `${MAPS}/d`);
    await call(cluster, 'POST', MAPS, { body: configMap('bb') });
    const token = encodeURIComponent(String(first.body.metadata.continue));
    const second = await call(cluster, 'GET', `${MAPS}?limit=9&continue=${token}`);
    expect(second.body.items.map((item) => item.metadata.name)).toEqual(['c', 'd', 'e']);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect(second.body.metadata.continue).toBeUndefined();
    cluster.compact();
    expect(await call(cluster, 'GET', `${MAPS}?limit=9&continue=${token}`)).toMatchObject({
      code: 410,
      body: { reason: 'Expired' },
    });
    await call(cluster, 'DELETE', `${MAPS}/bb`);
    await call(cluster, 'POST', MAPS, { body: configMap('d', { name: 'd' }) });
  });

  it('remembers the newest 64 unfinished lists', async () => {
    const begin = async () => (await call(cluster, 'GET', `${MAPS}?limit=1`)).body.metadata.continue;
    const next = async (token: unknown) => (await call(cluster, 'GET', `${MAPS}?continue=${token}`)).code;
    const first = await begin();
    const second = await begin();
    for (let n = 0; n < 63; n += 1) await begin();
    expect([await next(first), await next(second), await next(second)]).toEqual([410, 200, 200]);
  });

  it('lists items of built-in kinds without kind and apiVersion, as the real one does', async () => {
    const { body } = await call(cluster, 'GET', MAPS);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(body.items[0]).not.toHaveProperty('kind');
    expect(body.items[0]!.data).toEqual({ name: 'a' });
  });

  it('answers metadata alone when asked', async () => {
    const { body } = await call(cluster, 'GET', `${MAPS}?labelSelector=!x`, { accept: `${METADATA},application/json` });
    expect(body.kind).toBe('PartialObjectMetadataList');
    expect(body.items).toHaveLength(5);
    expect(body.items[0]).not.toHaveProperty('data');
    expect(body.items[0]!.metadata.name).toBe('a');
  });

  it('writes nothing on a dry run and nothing when nothing changes', async () => {
    await call(cluster, 'PUT', `${MAPS}/a`, { body: configMap('a', { name: 'a' }) });
    cluster.resetRequests();
    const before = cluster.objects().length;
    const version = (await call(cluster, 'GET', `${MAPS}/a`)).body.metadata.resourceVersion;
    const made = await call(cluster, 'POST', `${MAPS}?dryRun=All`, { body: configMap('dry') });
    expect(made).toMatchObject({ code: 201, body: { metadata: { name: 'dry' } } });
    expect((await call(cluster, 'DELETE', `${MAPS}/a?dryRun=All`)).code).toBe(200);
    await call(cluster, 'PATCH', `${MAPS}/a?dryRun=All`, {
      body: { data: { x: 'y' } },
      type: 'application/merge-patch+json',
    });
    await apply(cluster, `${MAPS}/dry`, configMap('dry'), '&dryRun=All');
    const live = (await call(cluster, 'GET', `${MAPS}/a`)).body;
    expect((await call(cluster, 'PUT', `${MAPS}/a`, { body: live })).code).toBe(200);
    expect((await call(cluster, 'GET', `${MAPS}/a`)).body.metadata.resourceVersion).toBe(version);
    expect(cluster.objects()).toHaveLength(before);
    expect(cluster.requests()).toMatchObject({
      writes: 1,
      by: { 'create configmaps?dryRun': 1, 'update configmaps': 1 },
    });
  });

  it('lets one of two writers at the same version win', async () => {
    const live = (await call(cluster, 'GET', `${MAPS}/b`)).body;
    const write = (value: string) => call(cluster, 'PUT', `${MAPS}/b`, { body: { ...live, data: { value } } });
    const codes = (await Promise.all([write('1'), write('2'), write('3')])).map(({ code }) => code);
    expect(codes.sort()).toEqual([200, 409, 409]);
  });

  it('generates names, prints custom columns and runs validators in place of CEL', async () => {
    const path = '/apis/example.org/v1/namespaces/default/widgets';
    const widget = (size: number): object => ({ metadata: { generateName: 'w-' }, spec: { size } });
    const made = await call(cluster, 'POST', path, { body: widget(4) });
    expect(made.body.metadata.name).toMatch(/^w-[a-z0-9]{5}$/);
    const table = await call(cluster, 'GET', path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.columnDefinitions.map((column) => column.name)).toEqual(['Name', 'Size', 'Created']);
    expect(table.body.rows[0]!.cells[1]).toBe(4);
    expect(await call(cluster, 'POST', path, { body: widget(13) })).toMatchObject({
      code: 422,
      body: { reason: 'Invalid' },
    });
  });

  it('refuses by admission and by denied verbs, and tells the two apart in access reviews', async () => {
    const review = (verb: string) =>
      call(cluster, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        body: { spec: { resourceAttributes: { verb, group: 'apps', resource: 'deployments', namespace: 'default' } } },
      });
    const path = '/apis/apps/v1/namespaces/default/deployments/web';
    cluster.setAdmission(({ object }) => (object.kind === 'Deployment' ? 'exceeded quota' : undefined));
    expect(await apply(cluster, path, deployment('web'))).toMatchObject({ code: 403, body: { reason: 'Forbidden' } });
    expect((await review('patch')).body.status).toMatchObject({ allowed: true });
    cluster.setDenied([{ verb: 'patch', resource: 'deployments', group: 'apps' }]);
    const denied = await apply(cluster, path, deployment('web'));
    expect(denied).toMatchObject({ code: 403, body: { reason: 'Forbidden' } });
    expect(denied.body.message).toContain('cannot patch resource "deployments" in API group "apps"');
    expect((await review('patch')).body.status).toMatchObject({ allowed: false });
    expect((await call(cluster, 'GET', path)).code).toBe(404);
  });

  it('injects errors, cut connections before and after the write, and pauses', async () => {
    cluster.fault(({ name }) => (name === 'a' ? { status: 503, retryAfterSeconds: 2 } : undefined));
    expect((await call(cluster, 'GET', `${MAPS}/a`)).code).toBe(503);
    expect((await call(cluster, 'GET', `${MAPS}/b`)).code).toBe(200);
    cluster.fault(() => ({ reset: true }));
    await expect(call(cluster, 'POST', MAPS, { body: configMap('reset') })).rejects.toThrow();
    cluster.fault(() => ({ lost: true }));
    await expect(call(cluster, 'POST', MAPS, { body: configMap('lost') })).rejects.toThrow();
    cluster.fault(() => ({ delayMs: 60 }));
    const start = performance.now();
    expect((await call(cluster, 'GET', `${MAPS}/reset`)).code).toBe(404);
    expect(performance.now() - start).toBeGreaterThan(50);
    cluster.fault(undefined);
    expect((await call(cluster, 'DELETE', `${MAPS}/lost`)).code).toBe(200);
  });

  it('deletes a collection by label', async () => {
    for (const name of ['x1', 'x2']) {
      await call(cluster, 'POST', MAPS, { body: { ...configMap(name), metadata: { name, labels: { gone: 'soon' } } } });
    }
    await call(cluster, 'DELETE', `${MAPS}?labelSelector=gone%3Dsoon`);
    const names = (await call(cluster, 'GET', MAPS)).body.items.map((item) => item.metadata.name);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('counts a lookup of what is not there as 404 with the resource named', async () => {
    const { code, body } = await call(cluster, 'GET', `${MAPS}/nothing`);
    expect({ code, message: body.message }).toEqual({ code: 404, message: 'configmaps "nothing" not found' });
  });
});

describe('time', () => {
  it('passing alone changes nothing on the next apply, whoever else applied before', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    const cluster = await startEmbeddedCluster({ now: () => now });
    const path = `${MAPS}/shared`;
    const type = 'application/apply-patch+yaml';
    await call(cluster, 'PATCH', `${path}?fieldManager=other`, { body: configMap('shared', { a: '1' }), type });
    await apply(cluster, path, configMap('shared', { b: '1' }));
    const before = (await call(cluster, 'GET', path)).body;
    now = new Date('2026-01-01T00:00:05Z');
    expect((await apply(cluster, path, configMap('shared', { b: '1' }))).body).toEqual(before);
    await cluster.stop();
  });
});

describe('a restart', () => {
  it('carries on with the same objects, versions and token on the same port', async () => {
    const first = await startEmbeddedCluster({ crds: [widgets()] });
    await call(first, 'POST', MAPS, { body: configMap('kept', { a: 'b' }) });
    const path = '/apis/example.org/v1/namespaces/default/widgets';
    await call(first, 'POST', path, { body: { metadata: { name: 'w' }, spec: { size: 1 } } });
    const before = await call(first, 'GET', `${MAPS}/kept`);
    const state = first.exportState();
    await first.stop();
    await expect(call(first, 'GET', MAPS)).rejects.toThrow();
    const second = await startEmbeddedCluster({ port: Number(new URL(first.url).port), state });
    expect(await call(first, 'GET', `${MAPS}/kept`)).toEqual(before);
    expect((await call(first, 'GET', `${path}?fieldSelector=spec.color%3Dred`)).body.items).toHaveLength(1);
    const next = await call(first, 'POST', MAPS, { body: configMap('new') });
    expect(Number(next.body.metadata.resourceVersion)).toBeGreaterThan(state.version);
    await second.stop();
  });
});
