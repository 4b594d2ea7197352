import { describe, expect, it } from 'vitest';
import { createImageResolver, type ImageResolverOptions } from '../../../src/adapters/registry/index.ts';
import type { HttpClientOptions, HttpRequest, OpenHttp } from '../../../src/ports/index.ts';

type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly json?: unknown };
type Asked = HttpRequest & { readonly guarded: boolean };

const INDEX = { manifests: [{ platform: { os: 'linux', architecture: 'amd64' } }] };
const login = { name: 'mine', username: 'ada', password: 'pass' };
/** Credentials for whatever host is asked. */
const chosen = (server: string) => ({ credentials: [{ server, ...login }], selected: 'mine' });
const basic = `Basic ${Buffer.from('ada:pass').toString('base64')}`;

/** A world of https registries: the handler sees every request, and whether its client judges addresses. */
function world(handler: (request: Asked) => Reply, options: Partial<ImageResolverOptions> = {}) {
  const asked: Asked[] = [];
  const opened: (HttpClientOptions | undefined)[] = [];
  const openHttp: OpenHttp = (client) => {
    opened.push(client);
    return {
      async send(request) {
        const seen = { ...request, guarded: client?.allowAddress !== undefined };
        asked.push(seen);
        const { status, headers = {}, json } = handler(seen);
        return { ok: true, response: { status, headers, body: Buffer.from(JSON.stringify(json ?? {})) } };
      },
      close: () => Promise.resolve(),
    };
  };
  const subject = createImageResolver({ openHttp, allowLocal: false, userAgent: 'hakopod', ...options });
  return { subject, asked, opened };
}
function code(result: Awaited<ReturnType<ReturnType<typeof world>['subject']['resolve']>>): string {
  return result.ok ? 'ok' : result.problem.code;
}
const challenge = (words: string): Reply => ({ status: 401, headers: { 'www-authenticate': words } });

describe('a session', () => {
  it('asks Docker Hub as it is documented: anonymous token, then the manifest', async () => {
    const { subject, asked, opened } = world((request) => {
      if (request.url.startsWith('https://auth.docker.io/token?')) return { status: 200, json: { token: 'anon' } };
      if (request.headers.authorization === 'Bearer anon') return { status: 200, json: INDEX };
      return challenge('Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="x"');
    });
    expect(await subject.resolve('nginx:1.27')).toMatchObject({
      ok: true,
      value: { image: expect.stringMatching(/^docker\.io\/library\/nginx@sha256:/) },
    });
    expect(asked.map(({ url }) => url)).toEqual([
      'https://registry-1.docker.io/v2/library/nginx/manifests/1.27',
      'https://auth.docker.io/token?service=registry.docker.io&scope=repository%3Alibrary%2Fnginx%3Apull',
      'https://registry-1.docker.io/v2/library/nginx/manifests/1.27',
    ]);
    expect(asked[0]?.headers.accept).toContain('application/vnd.oci.image.index.v1+json');
    expect(asked.every(({ guarded }) => guarded)).toBe(true);
    expect(opened[0]?.allowAddress?.('x', '10.0.0.1')).toBe(false);
    expect(opened[0]?.allowAddress?.('x', '1.1.1.1')).toBe(true);
  });

  it('uses the proxy for registries that are not local only, and judges addresses all the same', () => {
    const { opened } = world(() => ({ status: 200 }), { proxy: 'http://proxy.test:3128', ca: 'PEM' });
    expect(opened).toEqual([
      { ca: 'PEM', proxy: 'http://proxy.test:3128', allowAddress: expect.any(Function) },
      { ca: 'PEM' },
    ]);
  });

  it('sends credentials to a trusted token server only', async () => {
    for (const [realm, trusted] of [
      ['https://auth.example.com/t', true],
      ['https://evil.test/t', false],
    ] as const) {
      const { subject, asked } = world((request) =>
        request.url.includes('/v2/') ? challenge(`Bearer realm="${realm}"`) : { status: 200, json: { token: 't' } },
      );
      expect(code(await subject.resolve('registry.example.com/a', chosen('registry.example.com')))).toBe(
        'registry_unauthorized',
      );
      const sent = asked.filter(({ url }) => url.startsWith(realm)).map(({ headers }) => headers.authorization);
      expect(sent).toEqual(trusted ? [basic, undefined] : []);
    }
  });

  it('sends nothing to a token server over plain http', async () => {
    const { subject, asked } = world(() => challenge('Bearer realm="http://registry.example.com/t"'));
    expect(code(await subject.resolve('registry.example.com/a', chosen('registry.example.com')))).toBe(
      'registry_forbidden',
    );
    expect(asked).toHaveLength(1);
  });

  it('tries without credentials when they are refused: the image may be public', async () => {
    const { subject } = world((request) => {
      if (request.url.includes('/token'))
        return request.headers.authorization === undefined
          ? { status: 200, json: { access_token: 'anon' } }
          : { status: 401 };
      return request.headers.authorization === 'Bearer anon'
        ? { status: 200, json: INDEX }
        : challenge('Bearer realm="https://ghcr.io/token"');
    });
    expect(code(await subject.resolve('ghcr.io/acme/shop', chosen('ghcr.io')))).toBe('ok');
  });

  it('stops when the token server is away instead of going on without a login', async () => {
    const { subject } = world((request) =>
      request.url.includes('/token') ? { status: 503 } : challenge('Bearer realm="https://ghcr.io/token"'),
    );
    expect(code(await subject.resolve('ghcr.io/acme/shop', chosen('ghcr.io')))).toBe('registry_unavailable');
  });

  it('drops the authorization on the way to another host and port', async () => {
    const { subject, asked } = world((request) => {
      if (request.url.startsWith('https://cdn.test') || request.url.startsWith('https://r.test:444'))
        return { status: 200, json: INDEX };
      if (request.headers.authorization === undefined) return challenge('Basic realm="x"');
      return { status: 307, headers: { location: 'https://cdn.test/m' } };
    });
    expect(code(await subject.resolve('r.test/a', chosen('r.test')))).toBe('ok');
    expect(asked.map(({ url, headers }) => [new URL(url).host, headers.authorization])).toEqual([
      ['r.test', undefined],
      ['r.test', basic],
      ['cdn.test', undefined],
    ]);
  });

  it('gives no credentials to a host it was redirected to, though that host asks', async () => {
    const { subject, asked } = world((request) =>
      request.url.startsWith('https://r.test')
        ? { status: 307, headers: { location: 'https://evil.test/v2/a' } }
        : challenge('Basic realm="x"'),
    );
    expect(code(await subject.resolve('r.test/a', chosen('r.test')))).toBe('registry_unauthorized');
    expect(asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it.each(['http://r.test/m', 'http://127.0.0.1:5000/m', 'ftp://r.test/m'])(
    'does not follow a redirect to %s',
    async (location) => {
      const { subject, asked } = world(() => ({ status: 302, headers: { location } }), {
        allowLocal: ['127.0.0.1:5000'],
      });
      expect(code(await subject.resolve('r.test/a'))).toBe('registry_forbidden');
      expect(asked).toHaveLength(1);
    },
  );

  it('never uses the unguarded client for a registry that is not local, wherever it leads', async () => {
    const { subject, asked } = world(
      (request) =>
        request.url.startsWith('https://r.test')
          ? { status: 302, headers: { location: 'https://internal.test/m' } }
          : { status: 200, json: INDEX },
      { allowLocal: ['internal.test'] },
    );
    await subject.resolve('r.test/a');
    await subject.resolve('internal.test/a');
    expect(asked.map(({ url, guarded }) => [new URL(url).host, guarded])).toEqual([
      ['r.test', true],
      ['internal.test', true],
      ['internal.test', false],
    ]);
  });

  it.each(['two words', 'line\r\nbreak', ''])('does not use the token %j', async (token) => {
    const { subject, asked } = world((request) =>
      request.url.includes('/token')
        ? { status: 200, json: { token } }
        : challenge('Bearer realm="https://ghcr.io/token"'),
    );
    expect(code(await subject.resolve('ghcr.io/a/b'))).toBe('registry_unauthorized');
    expect(asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });
});
