import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectOperations } from '../../src/adapters/kubernetes/index.ts';
import { createApi } from '../../src/adapters/kubernetes/operations/raw-api.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import type { ClusterOperations } from '../../src/ports/cluster-operations/index.ts';
import { shows } from '../support/claims.ts';
import { type ClusterUnderTest, memoryLog, realClock } from '../support/kubernetes.ts';
import { must } from './cluster.contract.ts';

const KINDS = ['deployment', 'statefulset', 'daemonset'] as const;
const KIND_NAMES = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet' };
type Kind = (typeof KINDS)[number];

/** What is read of a cluster, and the actions on what runs in it, through the raw client. */
export function describeClusterReadingContract(name: string, factory: () => Promise<ClusterUnderTest>): void {
  describe(`facts, inspect, operate, readWorkload, snapshot: ${name}`, () => {
    let under: ClusterUnderTest;
    let operations: ClusterOperations;
    let count = 0;
    beforeAll(async () => {
      under = await factory();
      const options = { clock: realClock, log: memoryLog(), userAgent: 'hakopod-test' };
      operations = connectOperations(under.connection, options);
    });
    afterAll(() => under.close());

    /** Makes a workload without pods (a DaemonSet of nodes that are not there) under a new name. */
    async function make(
      kind: Kind,
      extra: { labels?: Record<string, string>; spec?: object; container?: object } = {},
    ) {
      count += 1;
      const { labels = {}, spec = {}, container = {} } = extra;
      const app = `w${count}`;
      const pod = {
        nodeSelector: { 'hakopod.test/none': 'here' },
        containers: [{ name: 'web', image: 'registry.test/web:1', ...container }],
      };
      const live = must(
        await under.cluster.create({
          apiVersion: 'apps/v1',
          kind: KIND_NAMES[kind],
          metadata: { name: app, namespace: under.namespace, labels },
          spec: {
            ...(kind === 'daemonset' ? {} : { replicas: 0 }),
            ...(kind === 'statefulset' ? { serviceName: app } : {}),
            selector: { matchLabels: { app } },
            template: { metadata: { labels: { app } }, spec: pod },
            ...spec,
          },
        }),
      );
      return { live, name: app, ref: { namespace: under.namespace, kind, name: app } };
    }
    const get = async (live: Manifest): Promise<Manifest | undefined> => {
      const { apiVersion, kind, metadata } = live;
      return must(await under.cluster.get({ apiVersion, kind, namespace: under.namespace, name: metadata.name }));
    };
    /** Again while the workload's own controller comes between: the cluster is not ours alone. */
    const operate = async (action: string, of: { kind: string; name: string }, replicas?: number) => {
      const command = {
        ...{ id: randomUUID(), action, reference: `${under.namespace}/${of.kind}/${of.name}` },
        ...(replicas === undefined ? {} : { expects: { replicas } }),
      };
      for (let tries = 1; ; tries += 1) {
        const ended = await operations.operate(command);
        if (ended.detail !== 'conflict' || tries === 20) return ended;
      }
    };
    const succeeded = { outcome: 'succeeded', detail: '' };
    const denied = (detail: string): object => ({ outcome: 'denied', detail });

    it(`${shows('facts', 'whole')} tells which cluster this is`, async () => {
      expect(await operations.facts()).toEqual({
        runtime: 'kubernetes',
        server_version: expect.stringMatching(/^v\d+\./),
        platform: expect.stringMatching(/^linux\/\w+$/),
        node_count: expect.stringMatching(/^\d+$/),
      });
    });

    it(`${shows('inspect', 'whole', 'missing', 'recreated')} follows a Deployment until it is gone or another`, async () => {
      const { live, name: app } = await make('deployment');
      const target = { namespace: under.namespace, name: app, uid: live.metadata.uid ?? '' };
      const seen = must(await operations.inspect(target));
      expect(seen).toMatchObject({ missing: false, uid: target.uid, desired: 0, ready: 0, pods: [] });
      const other = must(await operations.inspect({ ...target, uid: randomUUID() }));
      expect(other).toMatchObject({ uid: target.uid });
      expect(must(await operations.inspect({ ...target, name: 'absent' }))).toEqual({ missing: true });
    });

    it.each(KINDS)(`${shows('operate', 'restart')} restarts a %s by its template`, async (kind) => {
      const { live, ref } = await make(kind);
      expect(await operate('workload.restart', ref)).toEqual(succeeded);
      const spec = (await get(live))?.spec as { template: { metadata: Manifest['metadata'] } };
      expect(spec.template.metadata.annotations?.['hakopod.io/restarted-at']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    });

    it(`${shows('operate', 'scale', 'pvc_retention')} scales, but never so that claims go`, async () => {
      const { live, ref } = await make('deployment');
      expect(await operate('workload.scale', ref, 2)).toEqual(succeeded);
      expect(await get(live)).toMatchObject({ spec: { replicas: 2 } });
      const spec = {
        replicas: 2,
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
      };
      const stateful = await make('statefulset', { spec });
      expect(await operate('workload.scale', stateful.ref, 1)).toEqual(denied('pvc_retention'));
      expect(await operate('workload.scale', stateful.ref, 3)).toEqual(succeeded);
      expect(await operate('workload.delete', stateful.ref)).toEqual(denied('pvc_retention'));
      expect(await get(stateful.live)).toMatchObject({ spec: { replicas: 3 } });
    });

    it.each(KINDS)(`${shows('operate', 'delete', 'not_found')} deletes a %s, and then finds none`, async (kind) => {
      const { live, ref } = await make(kind);
      expect(await operate('workload.delete', ref)).toEqual(succeeded);
      expect(await get(live)).toBeUndefined();
      expect(await operate('workload.delete', ref)).toEqual(denied('not_found'));
    });

    it(`${shows('operate', 'application_managed')} leaves the deletion of what an application owns to the application`, async () => {
      const { live, ref } = await make('deployment', { labels: { 'app.kubernetes.io/managed-by': 'hakopod' } });
      expect(await operate('workload.delete', ref)).toEqual(denied('application_managed'));
      expect(await operate('workload.restart', ref)).toEqual(succeeded);
      expect(await get(live)).toBeDefined();
    });

    it.each(KINDS)(`${shows('readWorkload', 'whole', 'kinds')} reads a %s as the cluster keeps it`, async (kind) => {
      const container = {
        command: ['/web'],
        env: [
          { name: 'MODE', value: 'live' },
          { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      };
      const { ref } = await make(kind, { container });
      const read = must(await operations.readWorkload(ref));
      expect(read).toMatchObject({ target: ref, managed: false, unsupported: [], strategy: 'RollingUpdate' });
      expect([read.replicas, read.paused]).toEqual([
        kind === 'daemonset' ? undefined : 0,
        kind === 'deployment' ? false : undefined,
      ]);
      expect(read.containers).toEqual([
        {
          ...{ name: 'web', image: 'registry.test/web:1', imageId: '', command: ['/web'], args: [] },
          env: [
            { name: 'MODE', value: 'live' },
            { name: 'KEY', secret: 's/k' },
          ],
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '', memory: '' } },
        },
      ]);
    });

    it(`${shows('snapshot', 'whole', 'sorted')} lists what was made`, async () => {
      const made = [await make('statefulset'), await make('daemonset'), await make('deployment')];
      const seen = await operations.snapshot();
      expect(seen.truncated).toEqual([]);
      expect(seen.engine.version).toMatch(/^v\d+\./);
      expect(seen.namespaces.map((one) => one.name)).toContain(under.namespace);
      const names = new Set(made.map((one) => one.name));
      const here = seen.workloads.filter((one) => one.namespace === under.namespace && names.has(one.name));
      expect(here.map((one) => [one.name, one.kind, one.images])).toEqual(
        made.map(({ live, name: app }) => [app, live.kind, ['registry.test/web:1']]),
      );
    });

    it(`${shows('snapshot', 'paging')} asks for no page more than the cap needs`, async () => {
      const labels = { list: 'paged' };
      for (const one of ['a', 'b', 'c', 'd', 'e', 'f'])
        must(
          await under.cluster.create({
            ...{ apiVersion: 'v1', kind: 'ConfigMap' },
            metadata: { name: `paged-${one}`, namespace: under.namespace, labels },
          }),
        );
      const client = { connection: under.connection, clock: realClock, userAgent: 'hakopod-test', timeoutMs: 10_000 };
      const query = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: under.namespace,
        labelSelector: 'list=paged',
        limit: 2,
      };
      const list = async (stopAfter?: number) => {
        const listed = await createApi(client).list(
          stopAfter === undefined ? query : { ...query, stopAfter },
          AbortSignal.timeout(10_000),
        );
        return listed.ok ? [listed.value.items.length, listed.value.more] : [];
      };
      expect(await list()).toEqual([6, false]);
      expect(await list(3)).toEqual([4, true]);
      expect(await list(1)).toEqual([2, true]);
    });
  });
}
