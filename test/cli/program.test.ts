import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyHolding, Principal } from '../../src/access/index.ts';
import { fail, problem } from '../../src/kernel/index.ts';
import { type CliWorld, cliWorld, type RunOptions } from '../support/cli-world.ts';

let world: CliWorld;
let folder: string;

beforeEach(async () => {
  world = await cliWorld();
  folder = mkdtempSync(join(tmpdir(), 'hakopod-cli-'));
  writeFileSync(join(folder, 'hakopod.toml'), 'name = "shop"\n[services.web]\nimage = "ghcr.io/acme/shop:2"\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PLACE = ['--project', 'acme', '--environment', 'production'];
const deploy = (more: readonly string[] = [], options: RunOptions = {}) =>
  world.run(['deploy', ...PLACE, ...more], { folder, ...options });
const isPost = (request: Request): boolean => request.method === 'POST' && request.url.endsWith('/deployments');

describe('exit codes', () => {
  const viewer: Principal = {
    identity: 'vera',
    kind: 'person',
    holds: { permissions: ['deployments:read'], scope: {}, roles: [] },
    key: { id: 'c'.repeat(32), kind: 'machine', permissions: ['deployments:read'], scope: {} } satisfies KeyHolding,
  };

  it('3 for what the key may not, with where to look', async () => {
    const refused = await deploy([], { principal: viewer });
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('`hakopod me` shows what this key may do') });
    expect((await world.run(['keys', 'list'], { principal: viewer })).code).toBe(3);
  });

  it.each([
    [401, 3],
    [403, 3],
    [404, 2],
    [409, 4],
    [422, 2],
    [429, 1],
    [500, 1],
  ])('a server that says %i without a reason ends with %i', async (status, code) => {
    const ran = await world.run(['me'], { intercept: () => new Response('<html>', { status }) });
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(`the server answered ${status}`)]);
  });

  it('1 when there is no answer, or one that is no answer', async () => {
    const gone = await world.run(['me'], { intercept: () => Promise.reject(new Error('canary: refused')) });
    expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('no answer from the cluster') });
    expect(gone.err).toContain('hint: `hakopod doctor`');
    expect(gone.err).not.toContain('canary');
    const other = await world.run(['me'], { intercept: () => Response.json({ hello: 'world' }) });
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('not of this version') });
  });

  it('without a login and a cluster it says how to get to one', async () => {
    const openApi = async () => fail(problem('invalid_config', 'no kubeconfig is configured'));
    const ran = await deploy([], { runtime: { openApi } });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('`hakopod login --api-url URL`');
    expect(ran.err).toContain('--kubeconfig FILE');
  });
});

describe('answers', () => {
  it('are read up to 8 MiB, and refusals up to 32 KiB', async () => {
    const long = (status: number, bytes: number) => ({
      intercept: () =>
        new Response(JSON.stringify({ error: { code: 'conflict', message: 'x'.repeat(bytes) } }), { status }),
    });
    expect((await world.run(['me'], long(200, 8 * 1024 * 1024))).err).toContain('longer than is read');
    expect((await world.run(['me'], long(409, 30_000))).err).toContain('[conflict]');
    expect((await world.run(['me'], long(409, 33_000))).err).toContain('without a reason');
  });

  it('can not steer the terminal', async () => {
    const intercept = async (request: Request) => {
      const answer = await (await world.api.fetch(request, ADMIN)).json();
      return Response.json({ ...(answer as object), identity: 'a\u001b[31mb\nc' });
    };
    const { out } = await world.run(['me'], { intercept });
    expect(out).toContain('a\\u{1b}[31mb\\u{a}c');
  });

  it('that redirect are refused', async () => {
    const intercept = () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.example' } });
    expect(await world.run(['me'], { intercept })).toMatchObject({ code: 2, err: expect.stringContaining('redirect') });
  });
});

const ADMIN: Principal = { identity: 'local', kind: 'local', holds: { permissions: ['admin'], scope: {}, roles: [] } };

describe('a release whose answer is lost', () => {
  it('is asked for again with the same key, and is one release', async () => {
    const keys: (string | null)[] = [];
    const intercept = async (request: Request): Promise<Response | undefined> => {
      if (!isPost(request)) return undefined;
      keys.push(request.headers.get('idempotency-key'));
      if (keys.length === 3) return undefined;
      await world.api.fetch(request, ADMIN);
      if (keys.length === 1) throw new Error('reset');
      return new Response('bad gateway', { status: 502 });
    };
    const ran = await deploy([], { intercept });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('acme.production.shop.4 is accepted');
    expect(ran.err).toContain('asking again with the same key');
    expect(new Set(keys).size).toBe(1);
    expect([...world.memory.releases.items.keys()].filter((id) => id.startsWith('acme.production.shop.'))).toHaveLength(
      4,
    );
  });

  it('ends with how to find out when nothing answers', async () => {
    const intercept = (request: Request) => (isPost(request) ? Promise.reject(new Error('reset')) : undefined);
    const ran = await world.run(['rollback', 'shop', '--revision', '1'], {
      intercept: (request) =>
        request.method === 'POST'
          ? intercept(new Request(`${request.url}/deployments`, { method: 'POST' }))
          : undefined,
    });
    expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(/--idempotency-key \S+ finds out/)]);
  });

  it('is not asked for again when it was refused', async () => {
    let posts = 0;
    const intercept = (request: Request) => {
      if (isPost(request)) posts += 1;
      return isPost(request) ? new Response('{}', { status: 409 }) : undefined;
    };
    expect((await deploy([], { intercept })).code).toBe(4);
    expect(posts).toBe(1);
  });
});

describe('--wait', () => {
  it('keeps progress off standard output', async () => {
    const waiting = deploy(['--wait', '-o', 'json']);
    await ended('acme.production.shop.4');
    const { out, err, code } = await waiting;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 'acme.production.shop.4', status: 'succeeded' });
    expect(err).toContain('succeeded');
  });

  it('goes on when the stream and the server are away for a while', async () => {
    let reads = 0;
    const intercept = (request: Request) => {
      if (request.url.endsWith('/events')) return Promise.reject(new Error('reset'));
      const isRead = request.method === 'GET' && /\/deployments\/[^/]+$/.test(request.url);
      reads += isRead ? 1 : 0;
      return isRead && reads === 1 ? Promise.reject(new Error('reset')) : undefined;
    };
    const waiting = deploy(['--wait'], { intercept });
    await ended('acme.production.shop.4');
    expect(await waiting).toMatchObject({ code: 0, err: expect.stringContaining('does not answer') });
  }, 15_000);

  it('is ended by an interrupt, which ends nothing else', async () => {
    let interrupt = (): void => undefined;
    let isForgotten = false;
    const onInterrupt = (run: () => void) => {
      interrupt = run;
      return () => {
        isForgotten = true;
      };
    };
    const intercept = (request: Request) => {
      if (request.url.endsWith('/events')) setImmediate(interrupt);
      return undefined;
    };
    const ran = await deploy(['--wait'], { intercept, terminal: { onInterrupt } });
    expect(ran.code).toBe(130);
    expect(ran.err).toContain('stopped waiting; acme.production.shop.4 goes on');
    expect(isForgotten).toBe(true);
    expect(world.memory.releases.items.get('acme.production.shop.4')?.status.state).toBeUndefined();
    expect(world.memory.applications.items.get('acme.production.shop')?.status.cancelled).toBeUndefined();
  });
});

async function ended(id: string): Promise<void> {
  while (!world.memory.releases.items.has(id)) await new Promise((resolve) => setTimeout(resolve, 5));
  await world.end(id, 'succeeded');
}

describe('init', () => {
  it('writes a file that is valid, named after the folder', async () => {
    mkdirSync(join(folder, 'My Shop!'));
    const there = { folder: join(folder, 'My Shop!') };
    expect(await world.run(['init'], there)).toMatchObject({
      code: 0,
      out: expect.stringContaining('`hakopod validate`'),
    });
    expect(await world.run(['validate'], there)).toMatchObject({ code: 0, out: expect.stringContaining('my-shop') });
    expect((await world.run(['init'], there)).code).toBe(4);
  });
});

describe('doctor', () => {
  it('fails when something is wrong', async () => {
    expect(await world.run(['doctor'])).toMatchObject({ code: 1, out: 'PROBLEM  redis: does not answer' });
    const doctor = async () => [{ what: 'redis', ok: true, detail: 'answers' }];
    expect(await world.run(['doctor'], { runtime: { doctor } })).toMatchObject({
      code: 0,
      out: 'ok       redis: answers',
    });
  });
});

describe('a folder of applications', () => {
  it('stops at the first failure; what came before stays, and what comes after is not tried', async () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, `${name}.toml`), '');
    rmSync(join(folder, 'hakopod.toml'));
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'web.toml'), 'image = "ghcr.io/acme/x:1"');
    }
    const waiting = world.run(['deploy', '--dir', '.', ...PLACE, '-o', 'json'], { folder });
    await ended('acme.production.a.1');
    while (!world.memory.releases.items.has('acme.production.b.1'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    await world.end('acme.production.b.1', 'failed', 'the new pods never became ready');
    const { code, out } = await waiting;
    expect(code).toBe(5);
    expect(JSON.parse(out).items.map(({ result }: { readonly result: string }) => result)).toEqual([
      'released',
      'failed',
      'not tried',
    ]);
    expect(world.memory.releases.items.has('acme.production.c.1')).toBe(false);
  });

  it('is planned whole before anything is released', async () => {
    rmSync(join(folder, 'hakopod.toml'));
    for (const [name, more] of [
      ['a', ''],
      ['b', '\nsecrets = { TOKEN = { ref = "token" } }'],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'web.toml'), `image = "ghcr.io/acme/x:1"${more}`);
    }
    const { code, err } = await world.run(['deploy', '--dir', '.', ...PLACE], { folder });
    expect(code).toBe(4);
    expect(err).toContain('`hakopod secrets set token --app acme/production/b`');
    expect(world.memory.releases.items.has('acme.production.a.1')).toBe(false);
  });
});
