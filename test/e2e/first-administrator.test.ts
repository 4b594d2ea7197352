import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/adapters/log/index.ts';
import { type AccessStore, createAccessStore } from '../../src/adapters/store/index.ts';
import { createRandom, createSystemClock } from '../../src/adapters/system/index.ts';
import { createAuthenticator } from '../../src/pipeline/operations/people/index.ts';
import { startWorld, until, type World } from '../support/world.ts';

const NAMESPACE = 'hakopod-system';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.stop());

async function openAccess(): Promise<AccessStore> {
  const log = createLog('silent');
  const access = createAccessStore({
    ...{ cluster: world.api, namespace: NAMESPACE, clock: createSystemClock(), random: createRandom(), log },
    auditLine: () => undefined,
  });
  await access.start();
  world.defer(() => access.stop());
  return access;
}

async function firstKey(): Promise<string> {
  return until('the first key is made', async () => {
    const read = await world.api.get({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: NAMESPACE,
      name: 'hakopod-admin-key',
    });
    const data = read.ok ? (read.value?.data as { key?: string } | undefined) : undefined;
    return data?.key === undefined ? undefined : Buffer.from(data.key, 'base64').toString('utf8');
  });
}

describe('the first start of a server', () => {
  it('makes one administrator, also when two start at once, and prints the key nowhere', async () => {
    const servers = await Promise.all([
      world.serve({ roles: ['server'] }),
      world.serve({ roles: ['server', 'worker'] }),
    ]);
    const access = await openAccess();
    await until('the administrator is there', () => access.identities.cached('admin'));
    const raw = await firstKey();
    const clock = createSystemClock();
    const authenticate = createAuthenticator({ ...access, clock, log: createLog('silent') });
    expect(await authenticate(`Bearer ${raw}`)).toMatchObject({
      ok: true,
      value: { identity: 'admin', key: { permissions: ['admin'] } },
    });
    expect(access.keys.all()).toHaveLength(1);
    expect(access.identities.all()).toHaveLength(1);
    for (const server of servers) await server.stop();

    // Who has read the key deletes its Secret; the next start makes none.
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name: 'hakopod-admin-key' };
    const secret = await world.api.get(ref);
    const uid = secret.ok ? (secret.value?.metadata.uid ?? '') : '';
    expect((await world.api.delete(ref, { uid, propagation: 'Background' })).ok).toBe(true);
    const again = await world.serve({ roles: ['server'] });
    await until('the server knows everybody', () => access.identities.all().length === 1);
    await again.stop();
    expect(await world.api.get(ref)).toMatchObject({ ok: true, value: undefined });
    const text = world.lines.join('');
    expect(text).toContain('identity.bootstrap');
    expect(text).not.toContain(raw.split('_')[2]);
  });

  it('leaves it to a server: a worker alone makes nobody', async () => {
    const worker = await world.serve({ roles: ['worker'] });
    const access = await openAccess();
    expect(access.identities.all()).toEqual([]);
    await worker.stop();
  });
});
