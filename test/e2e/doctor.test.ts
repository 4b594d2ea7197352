import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../support/child.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let url: string;
beforeAll(async () => {
  world = await startWorld();
  await world.bind();
  await world.tree.push('hakopod.toml', 'name = "shop"\n', 'a commit');
  ({ url } = await startChild(world, 'server'));
});
afterAll(() => world.stop());

async function doctor(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string }> {
  const env = { PATH: process.env.PATH ?? '', ...world.settings, HAKOPOD_PUBLIC_URL: url, ...settings };
  const child = spawn(process.execPath, ['src/main.ts', 'doctor'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
  return { code, out };
}

describe('doctor', () => {
  it('finds everything in order', async () => {
    const { code, out } = await doctor();
    expect(out).not.toContain('PROBLEM');
    expect(code).toBe(0);
    for (const what of [
      'redis',
      'cluster',
      'custom resources',
      'rights in the control namespace',
      'rights on applications',
      'rights to see capacity',
    ])
      expect(out).toMatch(new RegExp(`^ok +${what}: `, 'm'));
    expect(out).toContain('repository acme/shop: contents: can be read');
    expect(out).toContain('repository acme/shop: token: works at the forge');
    expect(out).toContain('repository acme/shop: webhook: nothing was ever delivered');
    expect(out).toContain(`API address: ${url} answers`);
    expect(out).not.toContain('forge-token');
  }, 60_000);

  it('names each right that is missing, and what grants it', async () => {
    world.cluster.setDenied([
      { verb: 'create', resource: 'ingresses' },
      { verb: 'watch', resource: 'settings' },
    ]);
    const { code, out } = await doctor();
    world.cluster.setDenied([]);
    expect(code).toBe(1);
    expect(out).toContain('missing: create ingresses.networking.k8s.io; install charts/hakopod');
    expect(out).toContain('missing: watch settings.hakopod.io; install charts/hakopod');
  }, 60_000);

  it('says of a dead webhook that the poller is faster, and of a healthy one that it is slower', async () => {
    const stands = (health: 'dead' | 'healthy') =>
      world.store.repositories.updateStatus('github-4711', ({ status }) => ({
        ...status,
        webhook: { health, faults: health === 'dead' ? ['missing'] : [] },
      }));
    await stands('dead');
    const dead = await doctor();
    expect(dead.code).toBe(1);
    expect(dead.out).toMatch(
      /^PROBLEM +repository acme\/shop: webhook: does not work: missing; polled each 20 s instead of 60 s until it does; /m,
    );
    await stands('healthy');
    const healthy = await doctor();
    expect(healthy.code).toBe(0);
    expect(healthy.out).toMatch(/^ok +repository acme\/shop: webhook: works; polled each 300 s instead of 60 s$/m);
  }, 60_000);

  it('says what to do about Redis, the address and the hook', async () => {
    await world.api.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system' }).then(async (listed) => {
      const hook = listed.ok ? listed.value.find(({ metadata }) => metadata.name === 'github-4711-hook') : undefined;
      const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system', name: 'github-4711-hook' };
      await world.api.delete(ref, { uid: hook?.metadata.uid ?? '', propagation: 'Background' });
    });
    const { code, out } = await doctor({
      HAKOPOD_REDIS_URL: 'redis://127.0.0.1:1',
      HAKOPOD_PUBLIC_URL: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(out).toMatch(/^PROBLEM +redis: does not answer; check HAKOPOD_REDIS_URL$/m);
    expect(out).toMatch(/^PROBLEM +API address: http:\/\/127.0.0.1:1 does not answer; start `hakopod serve`/m);
    expect(out).toContain('webhook: has no secret; `hakopod sources add` makes a new one');
  }, 60_000);
});
