import { readdir } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildOf, builds, builtFile, finalStatus, imageOf, pushBuilt, writeContext } from '../support/built.ts';
import { startChild } from '../support/child.ts';
import { skipBuilds, startDockerRegistry } from '../support/docker-registry.ts';
import { finals, startWorld, until, type World } from '../support/world.ts';

const isSkipped = await skipBuilds('test/e2e/build-kill.slow.test.ts');

/** A gate that build steps wait at: how many came, how many wait now, and the most that ever waited together. */
type Gate = {
  readonly url: string;
  readonly waiting: Set<ServerResponse>;
  came: number;
  most: number;
  open(): void;
  stop(): Promise<void>;
};

async function startGate(): Promise<Gate> {
  const waiting = new Set<ServerResponse>();
  const server: Server = createServer((_request, response) => {
    gate.came += 1;
    waiting.add(response);
    gate.most = Math.max(gate.most, waiting.size);
    response.on('close', () => waiting.delete(response));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const gate: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    waiting,
    came: 0,
    most: 0,
    open: () => {
      for (const response of waiting) response.end('go\n');
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
  return gate;
}

describe.skipIf(isSkipped)('a worker that ends in the middle of a build', () => {
  let world: World;
  let gate: Gate;
  let commit: string;
  let settings: Readonly<Record<string, string>>;

  beforeEach(async () => {
    const registry = await startDockerRegistry();
    world = await startWorld();
    gate = await startGate();
    world.defer(() => registry.stop());
    world.defer(() => gate.stop());
    settings = {
      HAKOPOD_ROLES: 'worker',
      HAKOPOD_LEASE_SECONDS: '2',
      HAKOPOD_DRAIN_SECONDS: '1',
      HAKOPOD_BUILD_REGISTRY: registry.host,
      HAKOPOD_BUILD_DIR: join(world.folder, 'builds'),
      HAKOPOD_LOCAL_REGISTRIES: `http://${world.registry.host},http://${registry.host}`,
    };
    const serving = await world.serve({ roles: ['server'] });
    const bound = await world.bind();
    await writeContext(world, `/bin/busybox wget -qO- ${gate.url}`);
    const hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
    commit = await pushBuilt(world, hook, builtFile({ registry: world.registry.host }));
  });
  afterEach(() => world.stop());

  it('killed: takes the build along, and it is built again once', async () => {
    const first = await startChild(world, 'worker', settings);
    await until('the build step runs', () => gate.waiting.size === 1, 30_000);
    expect((await buildOf(world, commit, 'running')).status.attempts).toBe(1);
    await first.kill('SIGKILL');
    await until('the build step is gone with its worker', () => gate.waiting.size === 0, 5000);
    expect(await readdir(join(world.folder, 'builds'))).toHaveLength(1);

    await startChild(world, 'worker', settings);
    await startChild(world, 'worker', settings);
    await until('the build step runs again', () => gate.waiting.size === 1, 30_000);
    gate.open();
    expect(await finalStatus(world, commit)).toMatchObject({ state: 'success' });
    expect(gate).toMatchObject({ came: 2, most: 1 });
    const run = await buildOf(world, commit, 'succeeded');
    expect(run.status.attempts).toBe(2);
    expect(imageOf(world, 'page')).toBe(run.status.image);
    expect(finals(world, commit)).toHaveLength(1);
    expect(await builds(world)).toHaveLength(1);
    // What the killed worker left went with the next build.
    await until('nothing is left', async () => (await readdir(join(world.folder, 'builds'))).length === 0);
  }, 120_000);

  it('stopped: gives the build back, and the try does not count', async () => {
    const first = await startChild(world, 'worker', settings);
    await until('the build step runs', () => gate.waiting.size === 1, 30_000);
    await first.kill('SIGTERM');
    expect(gate.waiting.size).toBe(0);
    expect((await builds(world))[0]?.status).toMatchObject({ state: 'queued', attempts: 0 });
    expect(await readdir(join(world.folder, 'builds'))).toEqual([]);
    await startChild(world, 'worker', settings);
    await until('the build step runs again', () => gate.waiting.size === 1, 30_000);
    gate.open();
    expect(await finalStatus(world, commit)).toMatchObject({ state: 'success' });
    expect((await buildOf(world, commit, 'succeeded')).status.attempts).toBe(1);
    expect(gate).toMatchObject({ came: 2, most: 1 });
  }, 120_000);
});
