import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCAL } from '../../src/access/index.ts';
import { fail, problem, type Result } from '../../src/kernel/index.ts';
import { applicationOperations } from '../../src/pipeline/operations/applications/index.ts';
import { deploymentOperations } from '../../src/pipeline/operations/deployments/operations.ts';
import { createPager } from '../../src/pipeline/operations/page.ts';
import { DELETED_CLAIMS } from '../../src/ports/index.ts';
import { memoryCollection } from '../support/memory.ts';
import { codeOf, INFO, must } from '../support/release-api.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
  await world.accept(SHOP, { api: true });
  must(await world.run());
  // Nothing feeds it any more.
  const source = world.deps.store.sources.cached(APP);
  must(await world.deps.store.sources.delete(APP, source?.uid ?? ''));
});
afterEach(() => world.stop());

const SHOP = `name = "shop"
[services.web]
image = "registry.example.test/web:1"
mounts = [{ volume = "uploads", mount_path = "/uploads" }]
[services.db]
image = "registry.example.test/db:1"
volume = { mount_path = "/data", size_gib = 1 }
[services.cache]
image = "registry.example.test/db:1"
volume = { mount_path = "/data", size_gib = 1 }
[volumes.uploads]
size_gib = 1
[volumes.cache]
size_gib = 1
`;
const ALL = ['cache-data', 'db-data', 'hakopod-volume-cache', 'hakopod-volume-uploads'];

const claims = (): readonly string[] =>
  world.embedded
    .objects()
    .filter(({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata.namespace === NAMESPACE)
    .map(({ metadata }) => metadata.name)
    .sort();

function remove(volumes?: readonly string[]): Promise<Result<unknown>> {
  const audit = { append: async () => undefined };
  const deps = { ...world.deps, audit, pager: createPager('test'), limits: {} };
  const operations = applicationOperations(deps as unknown as Parameters<typeof applicationOperations>[0]);
  const asked = { id: '1'.repeat(32), confirm_name: 'shop', expected_revision: 1 };
  return operations.remove(
    LOCAL,
    { ...asked, ...(volumes === undefined ? {} : { delete_volumes: [...volumes] }) },
    INFO,
  );
}

async function takeDown(): Promise<void> {
  await until('it is being removed', () => world.deps.store.applications.cached(APP)?.deleting);
  must(await world.run());
  await until('it is gone', () => world.deps.store.applications.cached(APP) === undefined);
}
const namespaceStays = (): boolean =>
  world.embedded
    .objects()
    .some(
      ({ kind, metadata }) =>
        kind === 'Namespace' && metadata.name === NAMESPACE && metadata.deletionTimestamp === undefined,
    );

describe('removing an application', () => {
  it('keeps every volume, and the namespace, when none is named', async () => {
    expect(claims()).toEqual(ALL);
    must(await remove());
    await takeDown();
    expect(claims()).toEqual(ALL);
    expect(namespaceStays()).toBe(true);
  });

  it('deletes the volumes that are named, by volume, by service or by claim, and keeps the others', async () => {
    must(await remove(['uploads', 'db', 'hakopod-volume-cache']));
    expect(world.deps.store.applications.cached(APP)?.annotations[DELETED_CLAIMS]).toBe(
      'db-data,hakopod-volume-cache,hakopod-volume-uploads',
    );
    await takeDown();
    await until('the named ones are gone', () => claims().length === 1);
    expect(claims()).toEqual(['cache-data']);
    expect(namespaceStays()).toBe(true);
  });

  it('takes the namespace along when the last volume goes', async () => {
    must(await remove(ALL));
    await takeDown();
    await until('the namespace is gone', () => !namespaceStays());
    expect(claims()).toEqual([]);
  });

  it('refuses a volume it has not, and a name that means two, and then removes nothing', async () => {
    expect(await remove(['uploads', 'nothing'])).toMatchObject({
      problem: { code: 'not_found', at: 'delete_volumes.1' },
    });
    expect(await remove(['cache'])).toMatchObject({
      problem: {
        code: 'invalid_request',
        at: 'delete_volumes.0',
        message: expect.stringContaining('hakopod-volume-cache or cache-data'),
      },
    });
    expect(world.deps.store.applications.cached(APP)?.deleting).toBe(false);
  });

  it('forgets what a removal named that never came to be', async () => {
    const { applications } = world.deps.store;
    const lost = vi.spyOn(applications, 'delete').mockResolvedValueOnce(fail(problem('cluster_unavailable')));
    expect(codeOf(await remove(['uploads', 'db']))).toBe('cluster_unavailable');
    lost.mockRestore();
    must(await remove());
    await takeDown();
    expect(claims()).toEqual(ALL);
  });

  it('deletes what each of several removals names', async () => {
    must(await remove(['uploads']));
    must(await remove(['db']));
    await takeDown();
    await until('the named ones are gone', () => claims().length === 2);
    expect(claims()).toEqual(['cache-data', 'hakopod-volume-cache']);
  });

  it('never touches a claim of the same name that is not ours', async () => {
    const foreign = await world.cluster.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'theirs', namespace: NAMESPACE },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(foreign.ok).toBe(true);
    expect(codeOf(await remove(['theirs']))).toBe('not_found');
    must(await remove(ALL));
    await takeDown();
    await until('ours are gone', () => claims().length === 1);
    expect(claims()).toEqual(['theirs']);
    expect(namespaceStays()).toBe(true);
  });
});

describe('a release that takes services from an application', () => {
  const without = (service: string): string => {
    const parts = SHOP.split(/(?=^\[)/m);
    return parts.filter((part) => !part.startsWith(`[services.${service}]`)).join('');
  };
  const deploy = (toml: string, volumes?: readonly string[]) => {
    const audit = { append: async () => undefined };
    const settings = { cached: () => ({ value: { enabled: false }, revision: 0 }) };
    const deps = {
      ...world.deps,
      audit,
      settings,
      projects: memoryCollection(),
      pager: createPager('test'),
      limits: {},
    };
    const operations = deploymentOperations(deps as unknown as Parameters<typeof deploymentOperations>[0]);
    const cleanup = volumes === undefined ? {} : { delete_service_volumes: [...volumes] };
    const place = { project: 'acme', environment: 'production', toml, ...cleanup };
    return {
      plan: () => operations.plan(LOCAL, place, INFO),
      create: () => operations.create(LOCAL, { ...place, expected_revision: 1, idempotency_key: 'the-only-key' }, INFO),
    };
  };

  it('keeps their volumes', async () => {
    must(await deploy(without('db')).create());
    must(await world.run());
    expect(claims()).toEqual(ALL);
  });

  it('deletes those that are named, once everything else is there', async () => {
    const asked = deploy(without('db'), ['db']);
    must(await asked.plan());
    must(await asked.create());
    must(await world.run());
    await until('it is gone', () => claims().length === 3);
    expect(claims()).toEqual(ALL.filter((name) => name !== 'db-data'));
  });

  it.each([
    ['a service that keeps its volume', ['cache'], 0],
    ['a service that has none', ['db', 'web'], 1],
    ['a service twice', ['db', 'db'], 1],
  ])('refuses to delete the volume of %s, at plan and at acceptance', async (_, volumes, index) => {
    const refused = { problem: { code: 'invalid_volume_cleanup', at: `delete_service_volumes.${index}` } };
    expect(await deploy(without('db'), volumes).plan()).toMatchObject(refused);
    expect(await deploy(without('db'), volumes).create()).toMatchObject(refused);
    expect(claims()).toEqual(ALL);
  });
});
