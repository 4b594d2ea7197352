import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const IMAGE = 'registry.example.test/shop:1';
const web = (extra = ''): string => `[services.web]\nimage = "${IMAGE}"\nport = 8080\n${extra}`;
const file = (...services: string[]): string => `name = "shop"\n${services.join('')}`;

function names(kind: string): string[] {
  return world.embedded
    .objects()
    .filter((object) => object.kind === kind && object.metadata.namespace === NAMESPACE)
    .map((object) => object.metadata.name)
    .sort();
}

function find(kind: string, name: string): Manifest | undefined {
  return world.embedded
    .objects()
    .find((object) => object.kind === kind && object.metadata.namespace === NAMESPACE && object.metadata.name === name);
}

describe('what somebody deletes behind our back', () => {
  it('a release: its commit is cancelled and the application no longer waits for it', async () => {
    const name = await world.accept(file(web()));
    const release = await world.release(name);
    await world.deps.store.releases.delete(name, release.uid);
    expect((await world.run()).ok).toBe(true);
    expect(await world.said(name)).toBe('cancelled: cancelled');
    expect(await world.deps.store.applications.get(APP)).toMatchObject({ value: { status: { phase: 'cancelled' } } });
  });

  it('the application: its open commits are cancelled', async () => {
    const name = await world.accept(file(web()));
    const application = await world.deps.store.applications.get(APP);
    const uid = application.ok ? (application.value?.uid ?? '') : '';
    await world.deps.store.applications.delete(APP, uid);
    expect((await world.run()).ok).toBe(true);
    expect(await world.said(name)).toBe('cancelled: cancelled');
  });

  it('the snapshot of secret values: everything around the service is still kept, and the application says what is wrong', async () => {
    await world.deps.secrets.set({ project: 'acme', environment: 'production', name: 'shop' }, 'a', 'value');
    await world.accept(file(web('secrets = { A = { ref = "a" } }\n')));
    await world.run();
    for (const [kind, apiVersion, name] of [
      ['Secret', 'v1', names('Secret')[0] ?? ''],
      ['ResourceQuota', 'v1', 'hakopod-budget'],
      ['NetworkPolicy', 'networking.k8s.io/v1', 'hakopod-service-web'],
    ] as const)
      await world.cluster.delete(
        { apiVersion, kind, namespace: NAMESPACE, name },
        { uid: find(kind, name)?.metadata.uid ?? '', propagation: 'Background' },
      );
    await world.run();
    expect(names('ResourceQuota')).toEqual(['hakopod-budget']);
    expect(names('NetworkPolicy')).toContain('hakopod-service-web');
    expect(await world.deps.store.applications.get(APP)).toMatchObject({
      value: { status: { conditions: [{ status: 'False', reason: 'MissingSecrets' }] } },
    });
  });

  it('the labels of one object: the others are still put right', async () => {
    await world.accept(file(web()));
    await world.run();
    const service = find('Service', 'web');
    await world.cluster.replace({ ...service, metadata: { ...service?.metadata, labels: {} } } as Manifest);
    await world.cluster.delete(
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name: 'web' },
      { uid: find('Deployment', 'web')?.metadata.uid ?? '', propagation: 'Background' },
    );
    await world.run();
    expect(names('Deployment')).toEqual(['web']);
    expect(await world.deps.store.applications.get(APP)).toMatchObject({
      value: { status: { conditions: [{ status: 'False', reason: 'NotOwned' }] } },
    });
  });
});
