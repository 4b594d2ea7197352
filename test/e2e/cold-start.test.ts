import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { type Serving, startServing } from '../../src/wiring/serve.ts';
import { startWorld, until, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.stop());

/** Starts a server without waiting until it is ready. */
async function startServer(): Promise<Serving> {
  const loaded = loadConfig({}, world.settings);
  if (!loaded.ok) throw new Error(loaded.problem.message);
  const serving = await startServing({ ...loaded.value, roles: ['server'] }, { write: () => undefined });
  if (!serving.ok) throw new Error(serving.problem.message);
  world.defer(() => serving.value.stop());
  return serving.value;
}

it.each(['applications', 'identities'])(
  'a server answers no request from half a cluster: it is not ready until it has read the %s too',
  async (resource) => {
    let isAway = true;
    let refusals = 0;
    world.cluster.fault((request) => {
      if (!isAway || request.verb !== 'list' || request.resource !== resource) return undefined;
      refusals += 1;
      return { status: 503 };
    });
    const { port, adminPort } = await startServer();
    const readiness = async (at: number | undefined): Promise<{ readonly status: number; readonly body: unknown }> => {
      const answer = await fetch(`http://127.0.0.1:${at}/readyz`);
      return { status: answer.status, body: await answer.json() };
    };
    const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
    await until('the first list was tried again', () => refusals > 1);
    for (const at of [port, adminPort])
      expect(await readiness(at)).toMatchObject({ status: 503, body: { ok: false, checks: { api: false } } });
    for (const path of ['/api/v1/me', '/api/v1/applications', '/api/v1/openapi.json', '/plans/a.b.c.1']) {
      const answer = await ask(path);
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '2']);
      expect(await answer.json()).toMatchObject({ error: { code: 'cluster_unavailable' } });
    }
    expect((await ask('/healthz')).status).toBe(200);

    isAway = false;
    await until('the server is ready', async () => (await readiness(port)).status === 200);
    expect(await readiness(adminPort)).toMatchObject({ status: 200, body: { ok: true, checks: { api: true } } });
    expect((await ask('/api/v1/me')).status).toBe(401);
    expect((await ask('/api/v1/openapi.json')).status).toBe(200);
  },
);
