import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shopFile } from '../../src/demo/shop.ts';
import { applicationObjects, deliver, finalOf, startWorld, until, type World } from '../support/world.ts';

let world: World;
let port: number;
let redis: ChildProcess;

beforeEach(async () => {
  world = await startWorld();
  port = await freePort();
  redis = await startRedis();
});
afterEach(() => world.stop());

/** A Redis of the test's own, without password or disk, that can be ended and started again at the same port. */
async function startRedis(): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', world.folder],
    { stdio: 'ignore' },
  );
  world.defer(() => end(child));
  await until('redis answers', async () => (await command('PING')).includes('PONG'));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

async function command(text: string): Promise<string> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${text}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('utf8'));
    });
    socket.once('error', () => resolve(''));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function file(build: number): string {
  return shopFile({ registry: world.registry.host, build, patch: false });
}

async function serveAndBind(): Promise<{ url: string; secret: string }> {
  const serving = await world.serve({ redisUrl: `redis://127.0.0.1:${port}` });
  await world.cli(['secrets', 'set', 'db-password', '--app', 'acme/production/shop'], 'correct horse\n');
  const bound = await world.bind({ flags: ['--interval', '5'] });
  return { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
}

function runsBuild(build: number): boolean {
  return applicationObjects(world, 'Deployment').some((object) =>
    JSON.stringify(object).includes(`"name":"BUILD_NUMBER","value":"${build}"`),
  );
}

describe('Redis', () => {
  it('stopped: a delivery gets 503 within a second; back: the poller finds the commit', async () => {
    const hook = await serveAndBind();
    const first = await world.tree.push('hakopod.toml', file(1), 'first');
    await deliver(hook, { commit: first });
    await finalOf(world, first);

    await end(redis);
    const commit = await world.tree.push('hakopod.toml', file(2), 'while Redis is away');
    const began = performance.now();
    const refused = await deliver(hook, { commit });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    // The limit is part of the answer's contract, and generous beside what it takes.
    expect(performance.now() - began).toBeLessThan(1500);

    redis = await startRedis();
    expect(await finalOf(world, commit, 30_000)).toMatchObject({ state: 'success' });
    expect(runsBuild(2)).toBe(true);
  }, 60_000);

  it('emptied in mid-work: the release ends all the same', async () => {
    world.cluster.setBehaviour({ migrate: { kind: 'delay', ms: 800 } });
    const hook = await serveAndBind();
    const commit = await world.tree.push('hakopod.toml', file(1), 'first');
    await deliver(hook, { commit });
    await until('the job runs', () => applicationObjects(world, 'Job').length === 1);
    expect(await command('FLUSHALL')).toContain('OK');
    expect(await finalOf(world, commit, 30_000)).toMatchObject({ state: 'success' });
    const next = await world.tree.push('hakopod.toml', file(2), 'found by the poller alone');
    expect(await finalOf(world, next, 30_000)).toMatchObject({ state: 'success' });
    expect(runsBuild(2)).toBe(true);
  }, 90_000);
});
