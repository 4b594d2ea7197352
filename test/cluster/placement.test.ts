import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS, type Manifest } from '../../src/kernel/index.ts';
import { realKubeconfig } from '../support/kubernetes.ts';
import { startWorld, until, type World } from '../support/world.ts';
import { addFakeNode, startKwok } from './rig/kwok.ts';

/*
 * The preflight and placement against the real scheduler, on two simulated nodes: a small, empty one that the scheduler prefers and that has
 * room for either of two services that share a volume, and a big one, used by somebody else, that has room for both. Every other node is
 * cordoned meanwhile, so only on a cluster that tests started.
 */

const kubeconfig = realKubeconfig('placement');
const isOurs = process.env.HAKOPOD_TEST_RIG !== undefined;
const kwok = kubeconfig === undefined || !isOurs ? undefined : await startKwok(kubeconfig);
if (kubeconfig !== undefined && kwok === undefined)
  console.warn('SKIPPED: placement on simulated nodes: needs a cluster of our own, and kwok, which is built with Go');

const NODES = ['sim-small', 'sim-big'];
const CLASS = 'sim-static';
const LOCAL = 'sim-local-path';

describe.skipIf(kwok === undefined)('two simulated nodes and the real scheduler', () => {
  let world: World;
  const cordoned: string[] = [];
  const created: Manifest[] = [];

  const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', name });
  async function make(manifest: object): Promise<void> {
    const made = await world.api.create(manifest as Manifest);
    if (!made.ok) throw new Error(`${made.problem.code}: ${made.problem.message}`);
    created.push(made.value);
  }

  beforeAll(async () => {
    world = await startWorld({ kubeconfig: readFileSync(kubeconfig!, 'utf8') });
    const others = await world.api.list({ apiVersion: 'v1', kind: 'Node' });
    for (const { metadata } of others.ok ? others.value : []) {
      await world.api.mergePatch(node(metadata.name), { spec: { unschedulable: true } });
      cordoned.push(metadata.name);
    }
    await addFakeNode(world.api, 'sim-small', { cpu: '250m', memory: '4Gi' });
    await addFakeNode(world.api, 'sim-big', { cpu: '500m', memory: '4Gi' });
    await make({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'somebody-else', namespace: 'default' } },
      spec: {
        nodeName: 'sim-big',
        containers: [{ name: 'c', image: 'example.com/none', resources: { requests: { cpu: '180m' } } }],
      },
    });
    const storageClass = (name: string, provisioner: string) => ({
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner },
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await make(storageClass(CLASS, 'kubernetes.io/no-provisioner'));
    await make(storageClass(LOCAL, 'rancher.io/local-path'));
    // Local volumes, one on each node: whoever is placed first decides for both services.
    for (const name of NODES)
      await make({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: `${name}-volume` },
        spec: {
          ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: CLASS },
          local: { path: '/var/lib/nowhere' },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] },
              ],
            },
          },
        },
      });
    await until(
      'the simulated nodes are ready',
      async () => {
        const seen = await Promise.all(NODES.map((name) => world.api.get(node(name))));
        return seen.every((one) => {
          const object = one.ok ? one.value : undefined;
          const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string; status: string }[] };
          const { taints = [] } = (object?.spec ?? {}) as { taints?: unknown[] };
          return taints.length === 0 && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
        });
      },
      60_000,
    );
    await world.serve();
  }, 180_000);

  afterAll(async () => {
    const namespaces = await world.api.list({
      ...{ apiVersion: 'v1', kind: 'Namespace', labelSelector: 'app.kubernetes.io/managed-by=hakopod' },
    });
    const simulated = await Promise.all(NODES.map((name) => world.api.get(node(name))));
    const nodes = simulated.flatMap((one) => (one.ok && one.value !== undefined ? [one.value] : []));
    for (const { apiVersion, kind, metadata } of [...(namespaces.ok ? namespaces.value : []), ...created, ...nodes])
      await world.api.delete(
        {
          ...{ apiVersion, kind, name: metadata.name },
          ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        },
        { uid: metadata.uid ?? '', propagation: 'Background' },
      );
    for (const name of cordoned) await world.api.mergePatch(node(name), { spec: { unschedulable: null } });
    await world.stop();
    await kwok?.stop();
  }, 120_000);

  async function cli(
    command: string,
    text: string,
    ...more: string[]
  ): Promise<{ readonly code: number; readonly out: string }> {
    const path = join(world.folder, 'hakopod.toml');
    await writeFile(path, text);
    return world.cli([command, path, '--project', 'acme', '--environment', 'production', ...more]);
  }
  const image = (): string => `image = "${world.registry.host}/shop/web:2.0"`;
  const size = (cpu: number): string => `resources = { cpu_request = "${cpu}m", memory_request = "64Mi" }`;
  const mount = 'mounts = [{ volume = "data", mount_path = "/data" }]';
  const volume = (cls: string, mode: string): string =>
    `[volumes.data]\nsize_gib = 1\nstorage_class = "${cls}"\naccess_mode = "${mode}"`;
  const pair = (cpu: number, more = ''): string =>
    [
      'name = "shared"',
      `[services.writer]\n${image()}\n${size(cpu)}\n${mount}\n${more}`,
      `[services.reader]\n${image()}\n${size(cpu)}\n${mount}`,
      volume(CLASS, 'ReadWriteOnce'),
    ].join('\n');

  async function nodesOf(application: string): Promise<Readonly<Record<string, string>>> {
    const found = await world.store.applications.get(`acme.production.${application}`);
    const id = found.ok ? found.value?.spec.id : undefined;
    const pods = await world.api.list({ apiVersion: 'v1', kind: 'Pod', namespace: `hp-${id}` });
    const live = (pods.ok ? pods.value : []).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return Object.fromEntries(
      live.map(({ metadata, spec }) => [
        metadata.labels?.['hakopod.io/service'] ?? '',
        (spec as { nodeName?: string }).nodeName ?? '',
      ]),
    );
  }

  it('puts two services on one ReadWriteOnce claim onto the one node with room for both', async () => {
    const done = await cli('deploy', pair(150), '--wait');
    expect(done.code, done.out).toBe(0);
    expect(await nodesOf('shared')).toEqual({ writer: 'sim-big', reader: 'sim-big' });
  }, 120_000);

  it('does not count an application that is there already twice', async () => {
    // 300m of the big node are its own now, and all 320m that others leave of it then.
    const done = await cli('deploy', pair(160, 'env = { ROUND = "2" }'), '--wait');
    expect(done.code, done.out).toBe(0);
    expect(await nodesOf('shared')).toEqual({ writer: 'sim-big', reader: 'sim-big' });
  }, 120_000);

  it('refuses a group that no node takes, though both nodes together would', async () => {
    const refused = await cli('plan', pair(161));
    expect(refused.code).toBe(4);
    expect(refused.out).toContain(
      'shared_volume_capacity: the 2 services that share it do not fit together on one node',
    );
    expect(refused.out).toContain('requested 322m CPU, 128Mi memory; available 320m CPU');
  }, 60_000);

  it('refuses ReadWriteMany on a local-path class', async () => {
    const toml = `name = "many"\n[services.web]\n${image()}\n${mount}\n${volume(LOCAL, 'ReadWriteMany')}`;
    const refused = await cli('deploy', toml, '--wait');
    expect(refused.code).toBe(4);
    expect(refused.out).toContain('ReadWriteMany needs a class of shared storage');
  }, 60_000);

  it('refuses a release larger than the cluster with what is requested, available and short', async () => {
    const toml = `name = "large"\n[services.web]\n${image()}\n${size(150)}\nreplicas = 3`;
    const refused = await cli('deploy', toml, '--wait');
    expect(refused.code).toBe(4);
    // The shared application has all that was free of the big node.
    expect(refused.out).toMatch(
      /resources: requested 450m CPU, 192Mi memory; available 250m CPU, \d+Mi memory; shortage 200m CPU, 0Mi memory/,
    );
    const one = await cli('plan', toml.replace('replicas = 3', 'replicas = 1').replace('150m', '501m'));
    expect(one.out).toContain('service_capacity: one pod fits on no node; requested 501m CPU');
  }, 60_000);

  it('warns that disks are not known where no kubelet answers', async () => {
    const planned = await cli('plan', `name = "small"\n[services.web]\n${image()}\n${size(10)}`);
    expect(planned.code, planned.out).toBe(0);
    expect(planned.out).toContain('disk: the free disk space of the nodes is not known');
    expect(LIMITS.diskBytes).toBe(2 * 1024 ** 3);
  }, 60_000);
});
