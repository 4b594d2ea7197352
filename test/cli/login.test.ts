import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Permission } from '../../src/access/index.ts';
import type { ClientEnvironment, Runtime } from '../../src/cli/index.ts';
import { createHttpServer } from '../../src/server/index.ts';
import { type CliWorld, cliWorld, type Ran, runWith } from '../support/cli-world.ts';
import { addPerson, type MemoryPeople } from '../support/people.ts';
import { silentLog } from '../support/redis.ts';

let world: CliWorld;
let folder: string;
let origin: string;
let stop: () => Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hakopod-login-'));
  world = await cliWorld();
  const server = createHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    receiver: async () => {},
    readiness: [],
    fallback: world.api.handle,
    log: silentLog(),
    limits: { drainMs: 500 },
  });
  const started = await server.start();
  if (!started.ok) throw new Error(started.problem.message);
  origin = `http://127.0.0.1:${started.value.port}`;
  stop = async () => {
    world.api.close();
    await server.stop();
  };
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const loginFile = (): string => join(folder, 'deep', 'login.json');

function run(
  args: readonly string[],
  options: { readonly input?: string; readonly environment?: Partial<ClientEnvironment> } = {},
): Promise<Ran> {
  const runtime = {
    version: '1',
    now: () => world.memory.now,
    clientEnvironment: () => ({ apiUrl: undefined, apiKey: undefined, loginFile: loginFile(), ...options.environment }),
  } as Runtime;
  return runWith(runtime, args, { folder, ...(options.input === undefined ? {} : { input: options.input }) });
}

async function keyOf(name: string, key: readonly Permission[], holds: readonly Permission[] = key): Promise<string> {
  const people = world.memory.deps as unknown as MemoryPeople;
  return (await addPerson(people, { name, holds, key, expiresAt: '2026-12-20T00:00:00.000Z' })).raw;
}

const login = (key: string, more: readonly string[] = []): Promise<Ran> =>
  run(['login', '--api-url', origin, '--key-stdin', ...more], { input: `${key}\n` });

describe('login over the network', () => {
  it('exchanges a key for one of its scope, which the commands after it use', async () => {
    const key = await keyOf('root', ['admin'], ['admin', 'kubernetes:patch']);
    const ran = await login(key, ['--project', 'acme', '--environment', 'production']);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('as root for acme/production') });
    const saved = JSON.parse(readFileSync(loginFile(), 'utf8'));
    expect(saved).toMatchObject({ url: origin, project: 'acme', environment: 'production' });
    expect(saved.key).not.toBe(key);
    for (const secret of [key, saved.key]) expect(ran.all).not.toContain(secret.split('_')[2]);
    const me = await run(['me', '-o', 'json']);
    expect(JSON.parse(me.out)).toMatchObject({ identity: 'root', project: 'acme', key: { kind: 'cli' } });
    expect(me.out).not.toContain('kubernetes:patch');

    writeFileSync(join(folder, 'hakopod.toml'), 'name = "new"\n[services.web]\nimage = "ghcr.io/acme/new:1"\n');
    expect(await run(['deploy'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('acme.production.new.1 is accepted'),
    });
    expect((await run(['status'])).out).toContain('acme/production/new: queued, revision 1');
    expect((await run(['keys', 'list'])).code).toBe(3);
    expect((await run(['cancel', 'acme.production.new.1'])).code).toBe(0);
  });

  it('has what leaves the rails only when it is asked for and held', async () => {
    const held = await keyOf('ada', ['admin', 'kubernetes:patch']);
    expect((await login(held, ['--allow-kubernetes-patch'])).code).toBe(0);
    expect((await run(['me'])).out).toContain('kubernetes:patch');
    const not = await keyOf('ben', ['deployments:read', 'deployments:write']);
    expect(
      (await login(not, ['--allow-kubernetes-patch', '--project', 'acme', '--environment', 'production'])).code,
    ).toBe(3);
  });

  it('waits for a release over the stream', async () => {
    await login(await keyOf('root', ['admin']), ['--project', 'acme', '--environment', 'production']);
    writeFileSync(join(folder, 'hakopod.toml'), 'name = "new"\n[services.web]\nimage = "ghcr.io/acme/new:1"\n');
    const waiting = run(['deploy', '--wait']);
    while (!world.memory.releases.items.has('acme.production.new.1'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    await world.end('acme.production.new.1', 'succeeded');
    expect(await waiting).toMatchObject({
      code: 0,
      out: expect.stringContaining('released acme.production.new.1: https://'),
    });
  });

  it('refuses a key that opens nothing, and remembers nothing', async () => {
    const ran = await login(`hp_${'0'.repeat(32)}_${'1'.repeat(64)}`);
    expect(ran).toMatchObject({ code: 3, err: expect.stringContaining('[unauthorized]') });
    expect(existsSync(loginFile())).toBe(false);
  });

  it.each(['', 'password', 'hp_abc', `hp_${'0'.repeat(32)}_${'1'.repeat(64)}\nX-Header: 1`])(
    'refuses %j as a key',
    async (text) => {
      expect(await login(text)).toMatchObject({ code: 2, err: expect.stringContaining('holds no key') });
    },
  );
});

describe('the address of the API', () => {
  it.each([
    'http://hakopod.example.com',
    'https://user:canary@hakopod.example.com',
    'https://hakopod.example.com/path',
    'https://hakopod.example.com?x=1',
    'ftp://hakopod.example.com',
    'hakopod.example.com',
  ])('refuses %s', async (url) => {
    const ran = await run(['login', '--api-url', url, '--key-stdin'], {
      input: `hp_${'0'.repeat(32)}_${'1'.repeat(64)}`,
    });
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('--api-url') });
    expect(ran.err).not.toContain('canary');
  });

  it('gets the key of its own login alone', async () => {
    await login(await keyOf('root', ['admin']));
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const asked = [
      await run(['me', '--api-url', url]),
      await run(['me'], { environment: { apiUrl: url } }),
      await run(['me', '--api-url', url], { environment: { apiUrl: origin } }),
    ];
    for (const { code, err } of asked)
      expect([code, err]).toEqual([3, expect.stringContaining('no key for this address')]);
    expect(seen).toEqual([]);
    await run(['me', '--api-url', url], { environment: { apiKey: 'hp_given' } });
    expect(seen).toEqual(['Bearer hp_given']);
    other.close();
  });

  it('is followed nowhere else', async () => {
    let asked = 0;
    const target = createServer((_, response) => {
      asked += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(target.address() as AddressInfo).port}/api/v1/me`;
    const door = createServer((_, response) => response.writeHead(302, { location }).end());
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
    const ran = await run(['me', '--api-url', url], { environment: { apiKey: 'hp_given' } });
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('redirect') });
    expect(asked).toBe(0);
    target.close();
    door.close();
  });
});

describe('the login file', () => {
  it('is for its owner alone, written whole, and refused when others can read it', async () => {
    const key = await keyOf('root', ['admin']);
    await login(key);
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['login.json']);
    const text = readFileSync(loginFile(), 'utf8');
    for (const mode of [0o644, 0o640, 0o700]) {
      rmSync(loginFile());
      writeFileSync(loginFile(), text, { mode });
      expect(await run(['me'])).toMatchObject({ code: 2, err: expect.stringContaining('chmod 600') });
    }
    expect((await login(key)).code).toBe(0);
    expect((await run(['me'])).code).toBe(0);
  });

  it.each(['', '{', '{"url": 1}', 'null'])('refuses %j', async (text) => {
    await login(await keyOf('root', ['admin']));
    writeFileSync(loginFile(), text);
    expect(await run(['me'])).toMatchObject({ code: 2, err: expect.stringContaining('log in again') });
  });
});
