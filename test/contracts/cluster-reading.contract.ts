import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterApi } from '../../src/adapters/kubernetes/api.ts';
import { connectOperations, fromClients, type KubeConnection } from '../../src/adapters/kubernetes/index.ts';
import { createStreams } from '../../src/adapters/kubernetes/operations/streams.ts';
import { createRequests } from '../../src/adapters/kubernetes/requests.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import type { ClusterOperations } from '../../src/ports/cluster-operations/index.ts';
import { shows } from '../support/claims.ts';
import { type ClusterUnderTest, memoryLog, realClock } from '../support/kubernetes.ts';
import type { Missing } from '../support/limited-account.ts';
import { must } from './cluster.contract.ts';

const KINDS = ['deployment', 'statefulset', 'daemonset'] as const;
const KIND_NAMES = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet' };
type Kind = (typeof KINDS)[number];

/** A cluster, and the way to see it as an account that lacks rights; `back` gives them back. */
export type ReadingStage = ClusterUnderTest & {
  readonly without: (missing: readonly Missing[]) => Promise<{ connection: KubeConnection; back: () => Promise<void> }>;
};

/** What is read of a cluster, and the actions on what runs in it, through the raw client. */
export function describeClusterReadingContract(name: string, factory: () => Promise<ReadingStage>): void {
  describe(`facts, inspect, operate, readWorkload, snapshot: ${name}`, () => {
    let under: ReadingStage;
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

    it(`${shows('inspect', 'invalid_request', 'selector')} takes a target whole or not at all, and any selector`, async () => {
      const matchExpressions = [
        { key: 'app', operator: 'In', values: ['of-many', 'others'] },
        { key: 'old', operator: 'DoesNotExist' },
      ];
      const metadata = { labels: { app: 'of-many' } };
      const containers = [{ name: 'web', image: 'registry.test/web:1' }];
      const spec = { selector: { matchExpressions }, template: { metadata, spec: { containers } } };
      const { live, name: app } = await make('deployment', { spec });
      const target = { namespace: under.namespace, name: app, uid: live.metadata.uid ?? '' };
      expect(must(await operations.inspect(target))).toMatchObject({ missing: false, pods: [] });
      const wrong = { ...target, uid: 'no-uid' };
      expect(await operations.inspect(wrong)).toMatchObject({ problem: { code: 'invalid_request' } });
    });

    it(`${shows('operate', 'unsupported_action', 'invalid_reference', 'unsupported', 'replicas_out_of_range', 'runtime_timeout')} refuses what makes no sense before it asks the cluster`, async () => {
      const of = (kind: string) => ({ kind, name: 'absent' });
      expect(await operate('workload.burn', of('deployment'))).toEqual(denied('unsupported action'));
      expect(await operate('workload.restart', of('job'))).toEqual(denied('invalid_reference'));
      expect(await operate('workload.restart', of('pod'))).toEqual(denied('unsupported'));
      expect(await operate('workload.scale', of('deployment'), 1001)).toEqual(denied('replicas_out_of_range'));
      const reference = `${under.namespace}/deployment/absent`;
      const deadline = '2020-01-01T00:00:00Z';
      const late = await operations.operate({ id: '1', action: 'workload.restart', reference, deadline });
      expect(late).toEqual({ outcome: 'timed_out', detail: 'runtime_timeout' });
    });

    /** Operations whose every read is overtaken by a change of somebody else. */
    function overtaken(change: (live: Manifest) => Promise<unknown>): ClusterOperations {
      const client = { connection: under.connection, clock: realClock, userAgent: 'hakopod-test', timeoutMs: 10_000 };
      const real = createRequests(client);
      const get: ClusterApi['get'] = async (ref, signal) => {
        const read = await real.get(ref, signal);
        if (read.ok) await change(read.value);
        return read;
      };
      return fromClients({ api: { ...real, get }, streams: createStreams(client), clock: realClock, log: memoryLog() });
    }

    it(`${shows('operate', 'conflict', 'delete_options')} changes and deletes only what it has read`, async () => {
      const { live, name: app } = await make('deployment');
      const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: under.namespace, name: app };
      let changes = 0;
      const touched = overtaken(() => {
        changes += 1;
        return under.cluster.mergePatch(ref, { metadata: { labels: { change: String(changes) } } });
      });
      const reference = `${under.namespace}/deployment/${app}`;
      for (const action of ['workload.restart', 'workload.delete'])
        expect(await touched.operate({ id: '1', action, reference })).toEqual(denied('conflict'));
      const scale = { id: '1', action: 'workload.scale', reference, expects: { replicas: 5 } };
      expect(await touched.operate(scale)).toEqual(denied('conflict'));
      expect(await get(live)).toMatchObject({ metadata: { uid: live.metadata.uid }, spec: { replicas: 0 } });
    });

    it(`${shows('readWorkload', 'no_secret_value', 'env_field_ref', 'env_truncated', 'argv_truncated', 'env_from_limit', 'containers_limit', 'managed')} says what it leaves out, and reads no Secret`, async () => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kept', namespace: under.namespace } };
      must(await under.cluster.create({ ...secret, stringData: { key: 'correct horse' } } as Manifest));
      const valueFrom = { secretKeyRef: { name: 'kept', key: 'key' } };
      const container = {
        args: ['a', 'b'.repeat(4097)],
        env: [
          { name: 'KEY', valueFrom },
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'LONG', value: 'x'.repeat(16_385) },
        ],
        envFrom: Array.from({ length: 33 }, (_, index) => ({ secretRef: { name: `s${index}` } })),
      };
      const labels = { 'app.kubernetes.io/managed-by': 'hakopod' };
      const { ref } = await make('deployment', { container, labels });
      const read = must(await operations.readWorkload(ref));
      expect(read.unsupported).toEqual(['argv_truncated', 'env_field_ref', 'env_truncated']);
      expect([read.managed, read.envFrom.length, read.containers[0]?.args]).toEqual([true, 32, ['a']]);
      expect(read.containers[0]?.env).toEqual([{ name: 'KEY', secret: 'kept/key' }]);
      expect(JSON.stringify(read)).not.toContain('correct horse');
      const one = { image: 'registry.test/web:1' };
      const spec = { template: { metadata: { labels: { app: 'seventeen' } }, spec: { containers: [] as object[] } } };
      for (let index = 0; index < 17; index += 1) spec.template.spec.containers.push({ ...one, name: `c${index}` });
      const selector = { matchLabels: { app: 'seventeen' } };
      const many = await make('deployment', { spec: { ...spec, selector } });
      const seen = must(await operations.readWorkload(many.ref));
      expect([seen.containers.length, seen.unsupported]).toEqual([16, []]);
    });

    it(`${shows('operate', 'forbidden', 'one_review_one_write')} does nothing without the right, and says so`, async () => {
      const { live, ref } = await make('deployment');
      const missing = [
        { verb: 'patch', resource: 'deployments' },
        { verb: 'delete', resource: 'deployments' },
      ];
      const reference = `${under.namespace}/deployment/${ref.name}`;
      await asAccountWithout(missing, async (limited) => {
        for (const action of ['workload.restart', 'workload.delete'])
          expect(await limited.operate({ id: '1', action, reference })).toEqual(denied('forbidden'));
      });
      expect(await get(live)).toBeDefined();
    });

    /** What an account sees that may not use these verbs. */
    async function asAccountWithout<T>(missing: readonly Missing[], see: (limited: ClusterOperations) => Promise<T>) {
      const { connection, back } = await under.without(missing);
      try {
        return await see(connectOperations(connection, { clock: realClock, log: memoryLog(), userAgent: 'test' }));
      } finally {
        await back();
      }
    }

    it(`${shows('facts', 'unknown')} says unknown for what an account may not read`, async () => {
      const seen = await asAccountWithout([{ verb: 'list', resource: 'nodes' }], (limited) => limited.facts());
      expect(seen).toMatchObject({ node_count: 'unknown', platform: expect.stringContaining('/') });
    });

    it(`${shows('snapshot', 'one_workload_kind', 'forbidden_list')} names the lists an account may not read`, async () => {
      const { live } = await make('deployment');
      const missing = ['nodes', 'statefulsets', 'pods'].map((resource) => ({ verb: 'list', resource }));
      const seen = await asAccountWithout(missing, (limited) => limited.snapshot());
      expect(seen.truncated).toEqual(['nodes', 'workloads', 'pods']);
      expect(seen.workloads.map(({ uid }) => uid)).toContain(live.metadata.uid);
    });

    it(`${shows('inspect', 'unavailable')} answers forbidden when the verb is missing`, async () => {
      const { live, ref } = await make('deployment');
      const target = { namespace: under.namespace, name: ref.name, uid: live.metadata.uid ?? '' };
      const missing = [{ verb: 'get', resource: 'deployments' }];
      await asAccountWithout(missing, async (limited) => {
        for (const read of [limited.readWorkload(ref), limited.inspect(target)])
          expect(await read).toMatchObject({ problem: { code: 'forbidden' } });
      });
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
        const listed = await createRequests(client).list(
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
