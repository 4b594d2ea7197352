import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttpClient } from '../../../src/adapters/http/index.ts';
import { createImageResolver, type ImageResolverOptions } from '../../../src/adapters/registry/index.ts';
import { type DemoRegistry, startDemoRegistry } from '../../../src/demo/registry.ts';
import { ok } from '../../../src/kernel/index.ts';

let registry: DemoRegistry;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  registry = await startDemoRegistry();
  stops.push(() => registry.stop());
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function resolver(options: Partial<ImageResolverOptions> = {}) {
  const made = createImageResolver({
    openHttp: openHttpClient,
    allowLocal: [registry.host],
    userAgent: 'hakopod',
    ...options,
  });
  stops.push(() => made.stop());
  return made;
}
async function outcome(image: string, options: Partial<ImageResolverOptions> = {}): Promise<string> {
  const result = await resolver(options).resolve(image);
  return result.ok ? result.value : result.problem.code;
}
function reply(status: number, body: string | Buffer, headers: Record<string, string> = {}) {
  registry.intercept((_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, headers).end(body);
    return true;
  });
}

describe('resolve', () => {
  it('answers the digest of an index and of a single manifest', async () => {
    const index = registry.addImage('acme/shop', 'v1');
    const single = registry.addImage('acme/one', 'latest', { single: true });
    expect(await outcome(`${registry.host}/acme/shop:v1`)).toBe(`${registry.host}/acme/shop@${index}`);
    expect(await outcome(`${registry.host}/acme/one`)).toBe(`${registry.host}/acme/one@${single}`);
  });

  it('asks again each time: a tag can move', async () => {
    const first = registry.addImage('a', 't');
    const subject = resolver();
    expect(await subject.resolve(`${registry.host}/a:t`)).toEqual(ok(`${registry.host}/a@${first}`));
    const second = registry.addImage('a', 't', { platforms: ['linux/amd64'] });
    expect(second).not.toBe(first);
    expect(await subject.resolve(`${registry.host}/a:t`)).toEqual(ok(`${registry.host}/a@${second}`));
  });

  it('answers a digest without asking, whatever the registry is', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(await outcome(`nginx:1@${digest}`)).toBe(`docker.io/library/nginx@${digest}`);
    expect(await outcome(`10.0.0.1/x@${digest}`)).toBe(`10.0.0.1/x@${digest}`);
    expect(registry.requests()).toEqual([]);
  });

  it('refuses what is no reference without asking', async () => {
    expect(await outcome('not an image')).toBe('invalid_image');
  });

  it.each([
    [{ platforms: ['linux/amd64'] }, ['amd64'], 'ok'],
    [{ platforms: ['linux/amd64'] }, ['amd64', 'arm64'], 'image_platform'],
    [{ platforms: ['windows/amd64'] }, [], 'image_platform'],
    [{ platforms: ['linux/arm64'], single: true }, ['arm64'], 'ok'],
    [{ platforms: ['linux/arm64'], single: true }, ['amd64'], 'image_platform'],
    [{ platforms: ['windows/amd64'], single: true }, [], 'image_platform'],
  ])('checks the platforms of %j for nodes of %j: %s', async (image, architectures, expected) => {
    registry.addImage('a', 't', image);
    const result = await outcome(`${registry.host}/a:t`, { architectures });
    expect(result.startsWith(registry.host) ? 'ok' : result).toBe(expected);
  });

  it.each([
    [400, 'invalid_image'],
    [404, 'image_not_found'],
    [401, 'registry_unauthorized'],
    [403, 'registry_unauthorized'],
    [429, 'registry_unavailable'],
    [500, 'registry_unavailable'],
    [503, 'registry_unavailable'],
    [204, 'registry_unavailable'],
    [301, 'registry_unavailable'],
  ])('maps %i to %s', async (status, code) => {
    reply(status, '');
    expect(await outcome(`${registry.host}/a:t`)).toBe(code);
    expect(registry.requests()).toHaveLength(1);
  });

  it('says unavailable when nobody listens, and stops at an aborted signal', async () => {
    const { host } = registry;
    registry.intercept(() => true);
    const aborted = await resolver().resolve(`${host}/a`, AbortSignal.timeout(30));
    expect(aborted).toMatchObject({ problem: { code: 'registry_unavailable' } });
    await registry.stop();
    expect(await outcome(`${host}/a`)).toBe('registry_unavailable');
  });

  it('does not believe a digest that is not that of the content', async () => {
    const manifest = JSON.stringify({ manifests: [{ platform: { os: 'linux', architecture: 'amd64' } }] });
    reply(200, manifest, { 'docker-content-digest': `sha256:${'0'.repeat(64)}` });
    expect(await outcome(`${registry.host}/a`)).toBe('registry_unavailable');
    reply(200, manifest);
    expect(await outcome(`${registry.host}/a`)).toMatch(/@sha256:/);
  });

  it('does not believe a configuration that is not the one the manifest names', async () => {
    registry.addImage('a', 't', { single: true });
    registry.intercept((request, response) => {
      if (request.url?.includes('/blobs/') !== true) return false;
      response.writeHead(200).end('{"os":"linux","architecture":"amd64"}');
      return true;
    });
    expect(await outcome(`${registry.host}/a:t`)).toBe('registry_unavailable');
  });

  it.each([0, 1])('reads 2 MiB of a manifest and %i bytes more', async (more) => {
    const frame = JSON.stringify({ manifests: [{ platform: { os: 'linux', architecture: 'amd64' } }], pad: '' });
    reply(200, frame.replace('""', `"${'x'.repeat(2 * 1024 * 1024 - frame.length + more)}"`));
    const result = await outcome(`${registry.host}/a`);
    expect(result.includes('@') ? 'ok' : result).toBe(more === 0 ? 'ok' : 'invalid_image');
  });
});

describe('logins', () => {
  const login = { username: 'ada', password: 'canary-password' };
  const credentials = async () => ok(login);

  it.each(['basic', 'bearer'] as const)('proves itself with %s', async (scheme) => {
    const digest = registry.addImage('a', 't');
    registry.requireLogin({ scheme, ...login });
    expect(await outcome(`${registry.host}/a:t`, { credentials })).toBe(`${registry.host}/a@${digest}`);
    expect(await outcome(`${registry.host}/a:t`)).toBe('registry_unauthorized');
    const wrong = async () => ok({ ...login, password: 'wrong' });
    expect(await outcome(`${registry.host}/a:t`, { credentials: wrong })).toBe('registry_unauthorized');
  });

  it('sends no credentials before they are asked for, and asks for them by host', async () => {
    registry.addImage('a', 't');
    const asked: string[] = [];
    const noting = async (host: string) => {
      asked.push(host);
      return ok(login);
    };
    await outcome(`${registry.host}/a:t`, { credentials: noting });
    expect(asked).toEqual([registry.host]);
    expect(registry.requests().map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('shows no password in a problem', async () => {
    registry.requireLogin({ scheme: 'basic', ...login, password: 'another' });
    const result = await resolver({ credentials }).resolve(`${registry.host}/a:t`);
    expect(JSON.stringify(result)).not.toContain(login.password);
  });
});

describe('private addresses', () => {
  it.each([
    ['127.0.0.1', false],
    ['localhost', false],
    ['[::1]', false],
    ['10.0.0.1', false],
    ['169.254.169.254', false],
    ['localhost', ['127.0.0.1:5000']],
  ])('refuses %s when %j is allowed', async (host, allowLocal) => {
    registry.addImage('a', 't');
    const port = registry.host.split(':')[1];
    expect(await outcome(`${host}:${port}/a:t`, { allowLocal })).toBe('registry_forbidden');
    expect(registry.requests()).toEqual([]);
  });

  it('asks any loopback registry when all are allowed', async () => {
    registry.addImage('a', 't');
    expect(await outcome(`${registry.host}/a:t`, { allowLocal: true })).toMatch(/@sha256:/);
  });

  it.each([
    'http://127.0.0.1:1/x',
    'https://127.0.0.1:1/x',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'https://u:p@example.com/',
  ])('does not follow a local registry to %s', async (location) => {
    reply(307, '', { location });
    expect(await outcome(`${registry.host}/a`)).toBe('registry_forbidden');
  });

  it('follows five redirects and no sixth', async () => {
    registry.addImage('a', 't');
    for (const [hops, expected] of [
      [5, 'ok'],
      [6, 'registry_unavailable'],
    ] as const) {
      let left: number = hops;
      registry.intercept((request, response) => {
        if (left === 0) return false;
        left -= 1;
        response.writeHead(307, { location: request.url }).end();
        return true;
      });
      const result = await outcome(`${registry.host}/a:t`);
      expect(result.includes('@') ? 'ok' : result).toBe(expected);
    }
  });
});
