import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { shows } from '../support/claims.ts';
import { until } from '../support/world.ts';
import { documents } from './account-table.ts';
import { type Reach, startReach } from './reach.ts';

/* Any workload of a real cluster, and the cluster itself, by the command line over a server with the rights of its chart. */

const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const isPossible = kubeconfig !== undefined && registry !== undefined && rig !== undefined;
if (!isPossible) console.warn('SKIPPED: workloads by the command line: there is no rig with a node');

describe.skipIf(!isPossible)('workloads by the command line', () => {
  let reach: Reach;
  beforeAll(async () => {
    reach = await startReach({ kubeconfig: kubeconfig!, registry: registry!, rig: rig! });
    const labels = { app: 'clock' };
    // Without a tag, as people write images; the node has none of this name, so it starts once it is given a better one.
    const containers = [{ name: 'main', image: `${registry}/busybox`, command: ['sh', '-c', SLEEP] }];
    const metadata = { namespace: reach.tools, name: 'clock' };
    const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    must(await reach.admin.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }));
  }, 400_000);
  afterAll(() => reach?.stop());

  const SLEEP = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done';
  const run = (args: readonly string[], more: Parameters<Reach['start']>[1] = {}) => reach.start(args, more).ended;
  const clock = (): string => `${reach.tools}/deployment/clock`;
  const live = async (name = 'clock'): Promise<Manifest | undefined> =>
    must(await reach.admin.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: reach.tools, name }));

  it(`${shows('readWorkload', 'whole', 'image_without_tag')} reads one, and changes what an editor changed, to the end of its rollout`, async () => {
    const read = await run(['workload', 'read', clock()]);
    expect(read).toMatchObject({ code: 0, err: '' });
    expect(read.out).toContain(`image: ${registry}/busybox:latest`);
    const edit = () =>
      run(['workload', 'edit', clock(), '--timeout', '120'], {
        edit: (text) => text.replace('busybox:latest', 'busybox:1'),
      });
    let edited = await edit();
    // Its controller tells of pods that do not start; whoever is told of a conflict asks again.
    for (let turn = 0; edited.code === 4 && turn < 20; turn += 1) edited = await edit();
    expect([edited.code, edited.out], edited.err).toEqual([0, expect.stringContaining('rollout: succeeded')]);
    expect((await live())?.status).toMatchObject({ readyReplicas: 1, updatedReplicas: 1 });
    const stale = await run(['workload', 'edit', clock(), '--stdin'], { input: read.out });
    expect([stale.code, stale.out]).toEqual([4, expect.stringContaining('precondition: denied conflict')]);
  }, 180_000);

  it(`${shows('operate', 'restart', 'scale', 'not_found')} restarts and scales`, async () => {
    expect(await run(['workload', 'restart', clock()])).toMatchObject({ code: 0, out: 'succeeded\n' });
    // Its controller writes beside us, and whoever is told of a conflict asks again.
    await until('it is scaled', async () => (await run(['workload', 'scale', clock(), '--replicas', '2'])).code === 0);
    await until(
      'two are ready',
      async () => ((await live())?.status as { readyReplicas?: number } | undefined)?.readyReplicas === 2,
      60_000,
    );
    expect((await run(['workload', 'restart', `${reach.tools}/deployment/none`])).out).toContain('not_found');
  }, 120_000);

  it(`${shows('snapshot', 'whole', 'health')} is listed with everything that runs`, async () => {
    const listed = await run(['workloads', '--in', reach.tools]);
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(listed.out).toMatch(new RegExp(`^${reach.tools} +Deployment +clock +2/2 +${registry}/busybox:1$`, 'm'));
    const all = JSON.parse((await run(['workloads', '-o', 'json'])).out) as {
      health: string;
      nodes: { name: string }[];
    };
    expect([all.health, all.nodes.map(({ name }) => name)]).toEqual(['healthy', ['node1']]);
  });

  it('is left alone where nothing is granted', async () => {
    const other = await run(['workload', 'restart', 'kube-system/deployment/coredns']);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('[namespace_not_granted]')]);
    const owned = await run(['workload', 'delete', `${reach.namespace}/deployment/web`, '--confirm', 'web']);
    expect([owned.code, owned.out]).toEqual([3, 'denied: forbidden\n']);
  });

  it(`${shows('deploy', 'create')} ${shows('remove', 'removes')} deploys a request and removes it again`, async () => {
    const pods = must(await reach.admin.list({ apiVersion: 'v1', kind: 'Pod', namespace: reach.tools }));
    const images = pods.flatMap(({ status }) => (status as Status | undefined)?.containerStatuses ?? []);
    const digest = images.map(({ imageID }) => imageID.split('@')[1]).find((found) => found !== undefined) ?? '';
    const ids = { application_id: randomUUID(), instance_id: randomUUID(), spec_digest: `sha256:${'a'.repeat(64)}` };
    const head = { project: 'reach', target: { namespace: reach.tools, ...ids } };
    const path = async (name: string, request: object): Promise<string> => {
      const file = join(rig!, name);
      await writeFile(file, JSON.stringify(request));
      return file;
    };
    const image = { reference: `${registry}/busybox@${digest}`, digest };
    // Busybox alone ends at once; what is shown is that the rollout is followed to its end.
    const service = { name: 'web', image, env: { MODE: 'live' } };
    const deployment = await path('deployment.json', { ...head, services: [service] });
    const deployed = await run(['cluster', 'deploy', deployment, '--timeout', '30']);
    expect([deployed.code, deployed.out], deployed.err).toEqual([5, expect.stringContaining('web create: succeeded')]);
    const removal = await path('removal.json', { ...head, services: ['web'] });
    const removed = await run(['cluster', 'remove', removal, '--confirm', 'reach']);
    expect(removed.code, removed.err).toBe(0);
    await until('it is gone', async () => (await live('reach-web')) === undefined, 60_000);
  }, 180_000);

  it(`${shows('operate', 'delete')} deletes it, its name typed again`, async () => {
    expect((await run(['workload', 'delete', clock(), '--confirm', 'clok'])).code).toBe(2);
    await until(
      'it is deleted',
      async () => (await run(['workload', 'delete', clock(), '--confirm', 'clock'])).code === 0,
    );
    await until('it is gone', async () => (await live()) === undefined, 60_000);
  }, 120_000);

  it(`${shows('facts', 'whole')} ${shows('manifest', 'strict')} tells the facts, and prints a file the API server takes`, async () => {
    expect((await run(['cluster', 'facts'])).out).toMatch(
      /^runtime: kubernetes\nserver_version: v\d+\.\S*\nplatform: linux\/\w+\nnode_count: 1\n$/,
    );
    const made = await run(['cluster', 'manifest', '--name', 'the "rig"', '--namespaces', reach.tools]);
    expect(made.code).toBe(0);
    const objects = documents(made.out);
    expect(objects.length).toBeGreaterThan(5);
    for (const object of objects.filter(({ metadata }) => metadata.namespace !== 'hakopod-operations'))
      must(await reach.admin.apply(object, { dryRun: true }));
  });
});

type Status = { readonly containerStatuses?: readonly { readonly imageID: string }[] };
