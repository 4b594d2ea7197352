import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DemoRegistry, startDemoRegistry } from '../../src/demo/registry.ts';

let registry: DemoRegistry;
beforeEach(async () => {
  registry = await startDemoRegistry();
});
afterEach(() => registry.stop());

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`http://${registry.host}${path}`, init);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

it('serves every document it names, by tag and by digest, with the digest of its bytes', async () => {
  const digest = registry.addImage('acme/shop', 'v1');
  const byTag = await ask('/v2/acme/shop/manifests/v1');
  const byDigest = await ask(`/v2/acme/shop/manifests/${digest}`);
  expect(byTag.body).toBe(byDigest.body);
  expect(byTag.headers.get('docker-content-digest')).toBe(digest);
  expect(`sha256:${createHash('sha256').update(byTag.body).digest('hex')}`).toBe(digest);
  for (const entry of JSON.parse(byTag.body).manifests) {
    const manifest = await ask(`/v2/acme/shop/manifests/${entry.digest}`);
    expect(manifest.status).toBe(200);
    const config = await ask(`/v2/acme/shop/blobs/${JSON.parse(manifest.body).config.digest}`);
    expect(JSON.parse(config.body)).toMatchObject(entry.platform);
  }
  expect(registry.requests()[0]).toEqual({
    method: 'GET',
    path: '/v2/acme/shop/manifests/v1',
    authorization: undefined,
  });
});

it('makes the same digest of the same name, and another of another', () => {
  expect(registry.addImage('a', '1')).toBe(registry.addImage('a', '1'));
  expect(registry.addImage('a', '1')).not.toBe(registry.addImage('a', '2'));
});

it('answers 404 for what it does not have or the caller can not read', async () => {
  registry.addImage('a', '1');
  expect((await ask('/v2/a/manifests/2')).status).toBe(404);
  expect((await ask('/v2/a/manifests/1', { headers: { accept: 'application/json' } })).status).toBe(404);
});
