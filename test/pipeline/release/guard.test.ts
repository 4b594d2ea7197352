import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessStore, createAccessStore } from '../../../src/adapters/store/index.ts';
import { addPerson, type MemoryPeople } from '../../support/people.ts';
import { APP, type ReleaseWorld, startReleaseWorld } from '../../support/release-world.ts';
import { until } from '../../support/world.ts';

const FILE = 'name = "shop"\n[services.migrate]\nimage = "registry.example.test/web:1"\n[services.migrate.job]\n';
const PLACE = { project: 'acme', environment: 'production' };
/** The longest a release may go on without authority. */
const LIMIT_MS = 2000;

let world: ReleaseWorld;
let people: MemoryPeople;
beforeEach(async () => {
  world = await startReleaseWorld();
  people = world.deps as unknown as MemoryPeople;
});
afterEach(() => world.stop());

/** A release of a developer's key that hangs; `lose` takes its authority away. Answers how it ended and how long that took. */
async function endOf(
  lose: (key: string) => Promise<unknown>,
  person: Partial<Parameters<typeof addPerson>[1]> = {},
): Promise<{ readonly status: object; readonly ms: number }> {
  const { id } = await addPerson(people, {
    name: 'ada',
    roles: [{ project: 'acme', role: 'developer' }],
    key: ['deployments:write'],
    scope: PLACE,
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    ...person,
  });
  world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
  const name = await world.accept(FILE, { api: { identity: 'ada', key: id } });
  const running = world.run();
  await until('the job runs', () => world.embedded.objects().some(({ kind }) => kind === 'Pod'));
  expect((await world.release(name)).status.state).toBe('running');
  const begun = performance.now();
  await lose(id);
  expect((await running).ok).toBe(true);
  return { status: (await world.release(name)).status, ms: performance.now() - begun };
}

describe('a release that a key asked for', () => {
  const losses: readonly (readonly [string, (key: string) => Promise<unknown>])[] = [
    ['its key is revoked', (key) => people.keys.change(key, () => ({ revokedAt: new Date().toISOString() }))],
    ['its key is removed', (key) => people.keys.remove(key)],
    [
      'its owner is disabled',
      () => people.identities.update('ada', ({ spec }) => ({ spec: { ...spec, disabled: true } })),
    ],
    ['its owner is removed', () => people.identities.delete('ada', 'uid-ada')],
    [
      'its owner loses the role',
      () =>
        people.identities.update('ada', ({ spec }) => ({
          spec: { ...spec, bindings: [{ project: 'acme', role: 'viewer' }] },
        })),
    ],
  ];
  it.each(losses)('is cancelled within two seconds when %s', async (_, lose) => {
    const { status, ms } = await endOf(lose);
    expect(status).toMatchObject({ state: 'cancelled', code: 'authority_revoked' });
    expect(ms).toBeLessThan(LIMIT_MS);
  });

  it('is cancelled within two seconds when its key expires, which nobody tells', async () => {
    // A rotated key gets an end of its own, that lies in the future when it is written.
    const soon = (key: string) =>
      people.keys.change(key, () => ({ expiresAt: new Date(Date.now() + 300).toISOString() }));
    const { status, ms } = await endOf(soon);
    expect(status).toMatchObject({ state: 'cancelled', code: 'authority_revoked' });
    expect(ms).toBeLessThan(300 + LIMIT_MS);
    expect(ms).toBeGreaterThan(300);
  });

  it('is cancelled before its first step when the authority went while it waited', async () => {
    const { id } = await addPerson(people, { name: 'ada', key: ['deployments:write'], scope: PLACE });
    const name = await world.accept(FILE, { api: { identity: 'ada', key: id } });
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(name)).status).toMatchObject({ state: 'cancelled', code: 'authority_revoked' });
    expect(world.embedded.objects().some(({ kind }) => kind === 'Job')).toBe(false);
  });

  it('goes on when a custom role still grants it, and ends when the role does not any more', async () => {
    await people.roles.create({ name: 'ops', spec: { permissions: ['deployments:write'] } });
    const shrink = () => people.roles.update('ops', () => ({ spec: { permissions: ['logs:read'] } }));
    const { status } = await endOf(shrink, { roles: [{ project: 'acme', role: 'ops' }] });
    expect(status).toMatchObject({ state: 'cancelled', code: 'authority_revoked' });
  });

  it('is cancelled within two seconds of a revocation that another process wrote', async () => {
    const open = async (): Promise<AccessStore> => {
      const { cluster, clock, random, log } = world.deps;
      const parts = { cluster, namespace: 'hakopod-system', clock, random, log };
      const access = createAccessStore({ ...parts, auditLine: () => undefined });
      await access.start();
      return access;
    };
    const [worker, server] = [await open(), await open()];
    Object.assign(world.deps, worker);
    people = worker as unknown as MemoryPeople;
    try {
      const { status, ms } = await endOf((key) =>
        server.keys.change(key, () => ({ revokedAt: new Date().toISOString() })),
      );
      expect(status).toMatchObject({ state: 'cancelled', code: 'authority_revoked' });
      expect(ms).toBeLessThan(LIMIT_MS);
    } finally {
      await Promise.all([worker.stop(), server.stop()]);
    }
  });

  it("is not another identity's", async () => {
    await addPerson(people, { name: 'bob', holds: ['admin'], key: ['admin'] });
    const { id } = await addPerson(people, { name: 'eve', key: ['admin'] });
    const name = await world.accept(FILE, { api: { identity: 'bob', key: id } });
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(name)).status.code).toBe('authority_revoked');
  });
});

describe('a release that a push made', () => {
  const owned = async (identity: string): Promise<void> => {
    await world.deps.store.sources.update(APP, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, identity } },
    }));
    await until('the cache knows', () => world.deps.store.sources.cached(APP)?.spec.grant.identity === identity);
  };

  it('ends when who made the grant may not deploy there any more', async () => {
    await addPerson(people, { name: 'ada', roles: [{ project: 'acme', role: 'developer' }], key: [] });
    await owned('ada');
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const name = await world.accept(FILE);
    const running = world.run();
    await until('the job runs', () => world.embedded.objects().some(({ kind }) => kind === 'Pod'));
    await people.identities.update('ada', ({ spec }) => ({ spec: { ...spec, bindings: [] } }));
    expect((await running).ok).toBe(true);
    expect((await world.release(name)).status).toMatchObject({ state: 'cancelled', code: 'grant_refused' });
  });

  it("needs its owner to exist, unless the cluster's own rights made the grant", async () => {
    await owned('nobody');
    const refused = await world.accept(FILE);
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(refused)).status).toMatchObject({ state: 'cancelled', code: 'grant_refused' });
    await owned('local');
    const name = await world.accept(FILE);
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(name)).status.state).toBe('succeeded');
  });

  it('says with its success that the grant ends soon', async () => {
    const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await world.deps.store.sources.update(APP, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, expiresAt } },
    }));
    await until('the cache knows', () => world.deps.store.sources.cached(APP)?.spec.grant.expiresAt === expiresAt);
    const name = await world.accept(FILE);
    expect((await world.run()).ok).toBe(true);
    expect(await world.said(name)).toBe(
      `success: released revision 1; the deploy grant ends on ${expiresAt.slice(0, 10)}, renew it`,
    );
  });
});
