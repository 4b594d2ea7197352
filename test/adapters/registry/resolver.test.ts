import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttpClient } from '../../../src/adapters/http/index.ts';
import { createImageResolver, type ImageResolverOptions } from '../../../src/adapters/registry/index.ts';
import { type DemoRegistry, startDemoRegistry } from '../../../src/demo/registry.ts';
import { ok } from '../../../src/kernel/index.ts';
import type { ResolveOptions } from '../../../src/ports/index.ts';

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
type Both = Partial<ImageResolverOptions> & ResolveOptions;

async function outcome(
  image: string,
  { credentials, selected, architectures, ...options }: Both = {},
): Promise<string> {
  const asked = { credentials: credentials ?? [], architectures: architectures ?? [] };
  const result = await resolver(options).resolve(image, selected === undefined ? asked : { ...asked, selected });
  return result.ok ? result.value.image : result.problem.code;
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
    expect(await subject.resolve(`${registry.host}/a:t`)).toEqual(ok({ image: `${registry.host}/a@${first}` }));
    const second = registry.addImage('a', 't', { platforms: ['linux/amd64'] });
    expect(second).not.toBe(first);
    expect(await subject.resolve(`${registry.host}/a:t`)).toEqual(ok({ image: `${registry.host}/a@${second}` }));
  });

  it('holds a digest against the content, and asks for the digest, not the tag', async () => {
    const digest = registry.addImage('a', 't', { platforms: ['linux/amd64'] });
    const other = `sha256:${'a'.repeat(64)}`;
    expect(await outcome(`${registry.host}/a:gone@${digest}`)).toBe(`${registry.host}/a@${digest}`);
    expect(registry.requests().map(({ path }) => path)).toEqual([`/v2/a/manifests/${digest}`]);
    expect(await outcome(`${registry.host}/a:t@${other}`)).toBe('image_not_found');
    expect(await outcome(`${registry.host}/a@${digest}`, { architectures: ['arm64'] })).toBe('image_platform');
    reply(200, '{"manifests":[{"platform":{"os":"linux","architecture":"amd64"}}]}');
    expect(await outcome(`${registry.host}/a@${other}`)).toBe('registry_unavailable');
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
    const aborted = await resolver().resolve(`${host}/a`, { signal: AbortSignal.timeout(30) });
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
  const saved = (name: string, more: object = {}) => ({ name, server: registry.host, ...login, ...more });
  const wrong = (name: string) => saved(name, { password: 'wrong' });
  /** How the registry was logged in to, and what came of it. */
  async function tried(options: ResolveOptions) {
    const result = await resolver().resolve(`${registry.host}/a:t`, options);
    const sent = registry.requests().flatMap(({ authorization }) => {
      const [user = '', password = ''] = Buffer.from(authorization?.split(' ')[1] ?? '', 'base64')
        .toString()
        .split(':');
      return authorization === undefined ? ['-'] : [`${user}:${password}`];
    });
    return { sent, result: result.ok ? (result.value.credential ?? 'anonymous') : result.problem.code };
  }

  it.each(['basic', 'bearer'] as const)('proves itself with %s and tells with which credentials', async (scheme) => {
    const digest = registry.addImage('a', 't');
    registry.requireLogin({ scheme, ...login });
    const answer = await resolver().resolve(`${registry.host}/a:t`, { credentials: [saved('mine')] });
    expect(answer).toEqual(ok({ image: `${registry.host}/a@${digest}`, credential: 'mine' }));
    expect(await outcome(`${registry.host}/a:t`)).toBe('registry_unauthorized');
    expect(await outcome(`${registry.host}/a:t`, { credentials: [wrong('mine')] })).toBe('registry_unauthorized');
  });

  it('sends no credentials that were not asked for, and says that none were needed', async () => {
    registry.addImage('a', 't');
    expect(await tried({ credentials: [saved('mine')], selected: 'mine' })).toEqual({
      sent: ['-'],
      result: 'anonymous',
    });
  });

  it('tries the selected ones, then the others of this host by name, and none of another host', async () => {
    registry.addImage('a', 't');
    registry.requireLogin({ scheme: 'basic', ...login });
    const credentials = [
      saved('c'),
      wrong('b'),
      wrong('selected'),
      saved('a', { server: 'other.test', username: 'stranger' }),
      saved('d', { server: registry.host, username: 'late' }),
    ];
    expect(await tried({ credentials, selected: 'selected' })).toEqual({
      sent: ['-', 'ada:wrong', 'ada:wrong', 'ada:canary-password'],
      result: 'c',
    });
  });

  it('reads anonymously between the selected and the saved ones', async () => {
    registry.addImage('a', 't');
    const asked: string[] = [];
    registry.requireLogin({ scheme: 'bearer', ...login });
    registry.intercept((request, response) => {
      if (request.url?.startsWith('/token') !== true) return false;
      asked.push(Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString());
      response.writeHead(200).end(JSON.stringify({ token: 'opens-nothing' }));
      return true;
    });
    const credentials = [saved('b', { username: 'b' }), saved('a', { username: 'a' }), saved('z', { username: 'z' })];
    expect((await tried({ credentials, selected: 'z' })).result).toBe('registry_unauthorized');
    expect(asked).toEqual(['z:canary-password', '', 'a:canary-password', 'b:canary-password']);
  });

  it.each([
    [404, 3],
    [429, 1],
    [500, 1],
  ])('goes on after a %i only where other credentials may help', async (status, tries) => {
    registry.intercept((request, response) => {
      const isFirst = request.headers.authorization === undefined;
      response.writeHead(isFirst ? 401 : status, isFirst ? { 'www-authenticate': 'Basic realm="x"' } : {}).end();
      return true;
    });
    const credentials = [wrong('a'), wrong('b'), wrong('c')];
    const { sent, result } = await tried({ credentials });
    expect(sent.filter((one) => one !== '-')).toHaveLength(tries);
    expect(result).toBe(status === 404 ? 'image_not_found' : 'registry_unavailable');
  });

  it('tries at most 100', async () => {
    registry.requireLogin({ scheme: 'basic', ...login });
    const credentials = Array.from({ length: 120 }, (_, at) => wrong(`c${String(at).padStart(3, '0')}`));
    const { sent } = await tried({ credentials, selected: 'c119' });
    expect(sent.filter((one) => one !== '-')).toHaveLength(100);
  });

  it('knows Docker Hub by all its names', async () => {
    const asked: (string | undefined)[] = [];
    const openHttp: ImageResolverOptions['openHttp'] = () => ({
      send: async ({ headers }) => {
        asked.push(headers?.authorization);
        return {
          ok: true,
          response: { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' }, body: Buffer.alloc(0) },
        };
      },
      close: async () => undefined,
    });
    await resolver({ openHttp }).resolve('nginx', { credentials: [saved('hub', { server: 'Index.Docker.IO' })] });
    expect(asked.filter((value) => value !== undefined)).toHaveLength(1);
  });

  it('shows no password in a problem', async () => {
    registry.requireLogin({ scheme: 'basic', ...login, password: 'another' });
    const result = await resolver().resolve(`${registry.host}/a:t`, { credentials: [saved('mine')] });
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
