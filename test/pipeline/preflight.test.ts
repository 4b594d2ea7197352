import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, type Manifest, records, strings } from '../../src/kernel/index.ts';
import { addCapacity } from '../support/capacity.ts';
import { NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';

/* The preflight of a release that is carried out: before any write, and where it places what shares storage. */

const IMAGE = 'registry.example.test/shop:1';
let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const NODE = { apiVersion: 'v1', kind: 'Node', name: 'embedded' };

async function patchNode(patch: object, subresource?: 'status'): Promise<void> {
  expect(await world.cluster.mergePatch(NODE, patch, subresource)).toMatchObject({ ok: true });
}
const room = (cpu: string, more: object = {}): Promise<void> =>
  patchNode({ status: { allocatable: { cpu, memory: '64Gi', 'ephemeral-storage': '100Gi', ...more } } }, 'status');

const addNode = (name: string, cpu: string): Promise<void> =>
  addCapacity(world.cluster, { nodes: { [name]: { cpu } } });

const service = (name: string, more = ''): string => `[services.${name}]\nimage = "${IMAGE}"\n${more}\n`;
const file = (...parts: string[]): string => `name = "shop"\n${parts.join('\n')}`;

function objects(kind: string): readonly Manifest[] {
  return world.embedded.objects().filter((o) => o.kind === kind && o.metadata.namespace === NAMESPACE);
}

async function release(toml: string): Promise<Awaited<ReturnType<ReleaseWorld['release']>>['status']> {
  const name = await world.accept(toml);
  expect(await world.run()).toMatchObject({ ok: true });
  return (await world.release(name)).status;
}

describe('before a release writes', () => {
  it('refuses what is larger than the cluster, with the numbers, and writes nothing', async () => {
    await room('300m');
    world.embedded.resetRequests();
    const status = await release(file(service('web', 'replicas = 3')));
    expect(status).toMatchObject({
      state: 'failed',
      code: 'delivery_unavailable',
      message:
        'resources: requested 360m CPU, 462Mi memory; available 300m CPU, 65536Mi memory; shortage 60m CPU, 0Mi memory',
    });
    expect(status.steps?.map(({ name, state }) => `${name} ${state}`)).toEqual(['preflight refused']);
    expect(status.resolved).toBeUndefined();
    expect(world.embedded.objects().filter(({ metadata }) => metadata.name === NAMESPACE)).toEqual([]);
    expect(objects('Deployment')).toEqual([]);
  });

  it('goes on where it does not know, and tries again what it could not read', async () => {
    world.embedded.setDenied([{ verb: 'get', resource: 'nodes/proxy' }]);
    expect(await release(file(service('web')))).toMatchObject({ state: 'succeeded' });
    const name = await world.accept(file(service('web', 'replicas = 2')));
    world.embedded.fault(({ resource, verb }) =>
      resource === 'nodes' && verb === 'list' ? { status: 503 } : undefined,
    );
    expect(await world.run()).toMatchObject({ ok: false, problem: { code: 'cluster_unavailable' } });
    expect((await world.release(name)).status.state).toBe('running');
    world.embedded.fault(undefined);
    await world.run();
    expect((await world.release(name)).status.state).toBe('succeeded');
  });

  it('does not count the application itself twice', async () => {
    await room('300m');
    expect(await release(file(service('web', 'replicas = 2')))).toMatchObject({ state: 'succeeded' });
    // Pods of the embedded cluster have a node as real ones do.
    expect(objects('Pod').every(({ spec }) => (spec as { nodeName?: string }).nodeName === 'embedded')).toBe(true);
    expect(await release(file(service('web', 'replicas = 2\nenv = { A = "1" }')))).toMatchObject({
      state: 'succeeded',
    });
  });

  it('refuses a volume that has another size than it got, and a class that is not there', async () => {
    const mount = 'mounts = [{ volume = "v", mount_path = "/v" }]';
    const sized = (size: number, cls = ''): string =>
      file(service('web', mount), `[volumes.v]\nsize_gib = ${size}\n${cls}`);
    expect(await release(sized(1, 'storage_class = "none"'))).toMatchObject({
      ...{ code: 'delivery_unavailable', at: 'volumes.v.storage_class' },
    });
    expect(await release(sized(1))).toMatchObject({ state: 'succeeded' });
    expect(await release(sized(2))).toMatchObject({ state: 'failed', code: 'volume_change', at: 'volumes.v.size_gib' });
  });
});

describe('services that share a ReadWriteOnce volume', () => {
  const pair = (more = ''): string =>
    file(
      service('x', `mounts = [{ volume = "v", mount_path = "/v" }]\n${more}`),
      service('y', 'mounts = [{ volume = "v", mount_path = "/v" }]'),
      '[volumes.v]\nsize_gib = 1',
    );
  const affinityOf = (name: string): unknown => {
    const deployment = objects('Deployment').find(({ metadata }) => metadata.name === name);
    const affinity = at(deployment, 'spec', 'template', 'spec', 'affinity');
    expect(affinity, name).toBeDefined();
    return affinity;
  };
  const placedOn = (name: string): unknown => {
    const required = ['nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];
    const terms = at(affinityOf(name), ...required);
    return terms === undefined
      ? undefined
      : records(terms).flatMap(({ matchFields }) => records(matchFields).flatMap(({ values }) => strings(values)));
  };

  it('go where all of them fit, stay there at rest, and keep their place', async () => {
    await room('200m');
    await addNode('big', '1');
    await addNode('large', '1');
    const status = await release(pair());
    expect(status).toMatchObject({ state: 'succeeded', placement: { v: ['big', 'large'] } });
    expect([placedOn('x'), placedOn('y')]).toEqual([
      ['big', 'large'],
      ['big', 'large'],
    ]);
    world.embedded.resetRequests();
    await world.run();
    expect(Object.keys(world.embedded.requests().by).filter((key) => /^(patch|update) deployments/.test(key))).toEqual(
      [],
    );
    // More room elsewhere moves nothing.
    await room('4');
    expect((await release(pair('env = { A = "1" }'))).placement).toEqual({ v: ['big', 'large'] });
  });

  it('go anywhere when every node will do, and keep running there when that changes', async () => {
    await addNode('big', '1');
    expect(await release(pair())).toMatchObject({ state: 'succeeded', placement: {} });
    expect(placedOn('x')).toBeUndefined();
    await room('200m');
    await release(pair('env = { A = "1" }'));
    expect([placedOn('x'), at(affinityOf('y'), 'podAffinity') === undefined]).toEqual([undefined, false]);
  });

  it('are refused when no node takes all of them', async () => {
    await room('200m');
    await addNode('other', '200m');
    expect(await release(pair())).toMatchObject({
      state: 'failed',
      code: 'delivery_unavailable',
      at: 'volumes.v',
      message: expect.stringContaining('shared_volume_capacity: the 2 services that share it do not fit together'),
    });
  });
});
