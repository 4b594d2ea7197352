import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { driftRecord } from '../../src/pipeline/release/drift.ts';
import { must } from '../support/release-api.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const SHOP = `name = "shop"
[services.web]
image = "registry.example.test/web:1"
port = 8080
public = true
secrets = { TOKEN = { ref = "token" } }
[services.migrate]
image = "registry.example.test/m:1"
job = { timeout_seconds = 10 }
`;
const SCALED = SHOP.replace('public = true', 'public = true\nautoscaling = { max_replicas = 5 }');
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name: 'web' };
const SERVICE = { apiVersion: 'v1', kind: 'Service', namespace: NAMESPACE, name: 'web' };

const find = (kind: string, name: string): Manifest | undefined =>
  world.embedded
    .objects()
    .find((o) => o.kind === kind && o.metadata.namespace === NAMESPACE && o.metadata.name === name);
const status = async () => {
  const read = await world.deps.store.applications.get(APP);
  return read.ok ? read.value?.status : undefined;
};
/** The cache is what a look begins with. */
const seen = (what: string, look: () => unknown) => until(`the cache shows ${what}`, () => look() === true);

async function released(toml = SHOP): Promise<void> {
  must(await world.deps.secrets.set({ project: 'acme', environment: 'production', name: 'shop' }, 'token', 'value'));
  await world.accept(toml);
  must(await world.run());
  await seen('the end', () => world.deps.store.applications.cached(APP)?.status.phase === 'healthy');
}
async function reportOnly(): Promise<void> {
  must(await world.deps.store.sources.update(APP, ({ spec }) => ({ spec: { ...spec, drift: 'report' } })));
  await seen('the policy', () => world.deps.store.sources.cached(APP)?.spec.drift === 'report');
}
/** Scales by hand and repoints the Service, as `kubectl edit` would. */
async function changeByHand(): Promise<void> {
  must(await world.cluster.mergePatch(WEB, { spec: { replicas: 4 } }));
  must(await world.cluster.mergePatch(SERVICE, { spec: { ports: [{ name: 'http', port: 9999, targetPort: 1 }] } }));
}

describe('an application at rest', () => {
  it('that is as released is looked at without a lease and without any write', async () => {
    await released();
    world.embedded.resetRequests();
    must(await world.run());
    const { writes, by } = world.embedded.requests();
    expect(writes).toBe(0);
    expect(Object.keys(by).filter((key) => key.endsWith(' leases'))).toEqual([]);
  });

  it('is put right, and shows what was changed by hand', async () => {
    await released();
    await changeByHand();
    must(await world.run());
    expect(find('Deployment', 'web')).toMatchObject({ spec: { replicas: 1 } });
    expect(find('Service', 'web')).toMatchObject({ spec: { ports: [{ port: 8080 }] } });
    expect((await status())?.drift).toMatchObject({ corrected: true, count: 2 });
    const drifted = (await status())?.drift?.objects ?? [];
    expect(drifted.map(({ object }) => object).sort()).toEqual(['Deployment/web', 'Service/web']);
    expect(drifted.find(({ object }) => object === 'Deployment/web')?.fields).toEqual(['spec.replicas']);
    // It stays on record until the next release, and is no reason to write again.
    await seen('it', () => world.deps.store.applications.cached(APP)?.status.drift?.count === 2);
    world.embedded.resetRequests();
    must(await world.run());
    expect(world.embedded.requests().writes).toBe(0);
    await world.accept(SHOP.replace('port = 8080', 'port = 8081'));
    must(await world.run());
    expect((await status())?.drift).toBeUndefined();
  });

  it('shows an object somebody deleted as missing, and has it again', async () => {
    await released();
    must(
      await world.cluster.delete(SERVICE, {
        uid: find('Service', 'web')?.metadata.uid ?? '',
        propagation: 'Background',
      }),
    );
    must(await world.run());
    expect(find('Service', 'web')).toBeDefined();
    expect((await status())?.drift?.objects).toEqual([{ object: 'Service/web', fields: ['missing'] }]);
  });

  it('is only reported on where its source says so, until it is right again', async () => {
    await released();
    await reportOnly();
    await changeByHand();
    const before = JSON.stringify([find('Deployment', 'web')?.spec, find('Service', 'web')?.spec]);
    must(await world.run());
    expect(JSON.stringify([find('Deployment', 'web')?.spec, find('Service', 'web')?.spec])).toBe(before);
    const reported = (await status())?.drift;
    expect(reported).toMatchObject({ corrected: false, count: 2 });
    await seen('it', () => world.deps.store.applications.cached(APP)?.status.drift?.count === 2);
    // The same again is told once.
    must(await world.run());
    expect((await status())?.drift).toEqual(reported);
    // One of the two is put right by hand, then the other.
    must(await world.cluster.mergePatch(WEB, { spec: { replicas: 1 } }));
    must(await world.run());
    expect((await status())?.drift?.objects.map(({ object }) => object)).toEqual(['Service/web']);
    must(await world.deps.store.sources.update(APP, ({ spec }) => ({ spec: { ...spec, drift: 'correct' } })));
    await seen('the policy', () => world.deps.store.sources.cached(APP)?.spec.drift === 'correct');
    must(await world.run());
    expect(find('Service', 'web')).toMatchObject({ spec: { ports: [{ port: 8080 }] } });
    expect((await status())?.drift?.corrected).toBe(true);
  });

  it('does not report what is right again', async () => {
    await released();
    await reportOnly();
    must(await world.cluster.mergePatch(WEB, { spec: { replicas: 4 } }));
    must(await world.run());
    must(await world.cluster.mergePatch(WEB, { spec: { replicas: 1 } }));
    await seen('it', () => world.deps.store.applications.cached(APP)?.status.drift?.count === 1);
    must(await world.run());
    expect((await status())?.drift).toBeUndefined();
  });

  it('leaves its own autoscaler the replicas, and others their labels, annotations and finalizers', async () => {
    await released(SCALED);
    must(await world.cluster.mergePatch(WEB, { spec: { replicas: 4 } }));
    const note = { labels: { 'team.example.com/owner': 'ada' }, annotations: { 'team.example.com/note': 'x' } };
    must(await world.cluster.mergePatch(WEB, { metadata: note }));
    world.embedded.resetRequests();
    must(await world.run());
    expect(world.embedded.requests().writes).toBe(0);
    expect(find('Deployment', 'web')).toMatchObject({ spec: { replicas: 4 }, metadata: note });
  });

  it("leaves the replicas to somebody else's autoscaler, and to nobody else", async () => {
    await released();
    // Kubernetes' autoscaler scales through the subresource, under the name of its controller.
    const scale = (replicas: number, manager: string): Promise<Response> =>
      fetch(
        `${world.embedded.url}/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web/scale?fieldManager=${manager}`,
        {
          method: 'PATCH',
          headers: { authorization: `Bearer ${world.embedded.token}`, 'content-type': 'application/merge-patch+json' },
          body: JSON.stringify({ spec: { replicas } }),
        },
      );
    expect((await scale(3, 'kube-controller-manager')).status).toBe(200);
    world.embedded.resetRequests();
    must(await world.run());
    expect(world.embedded.requests().writes).toBe(0);
    expect(find('Deployment', 'web')).toMatchObject({ spec: { replicas: 3 } });
    expect((await scale(2, 'kubectl')).status).toBe(200);
    must(await world.run());
    expect(find('Deployment', 'web')).toMatchObject({ spec: { replicas: 1 } });
  });

  it('keeps at most twenty objects and ten fields of what drifted on record, and how many there were', () => {
    const fields = Array.from({ length: 12 }, (_, i) => `spec.f${i}`);
    const drifted = Array.from({ length: 40 }, (_, i) => ({
      object: { manifest: { apiVersion: 'v1', kind: 'Service', metadata: { name: `s${i}` } } },
      fields: i === 39 ? [] : fields,
      adopt: i === 39,
    }));
    const record = driftRecord(drifted, { corrected: false, now: new Date(0) });
    expect(record).toMatchObject({ count: 39, corrected: false, at: '1970-01-01T00:00:00.000Z' });
    expect(record.objects).toHaveLength(20);
    expect(record.objects[0]).toEqual({ object: 'Service/s0', fields: fields.slice(0, 10) });
  });
});
