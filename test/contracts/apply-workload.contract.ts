import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWorkload } from '../../src/adapters/kubernetes/operations/read-workload.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import type { WorkloadApply, WorkloadConfiguration, WorkloadKind } from '../../src/ports/cluster-operations/index.ts';
import { shows } from '../support/claims.ts';
import { type DeployStage, label, type OpenStage, run, stepsOf } from '../support/deploy-stage.ts';
import { realClock } from '../support/kubernetes.ts';
import { type RecordedApi, refused } from '../support/recorded-api.ts';
import { must } from './cluster.contract.ts';

const KINDS = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet' };
const ENV = [
  { name: 'FIRST', value: '1' },
  { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', key: 'a', optional: true } } },
  { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'modes', key: 'm' } } },
  { name: 'LAST', value: '$(FIRST)' },
];

type Config = WorkloadConfiguration;
type Container = Config['containers'][number];

/** How a workload is changed, and what refuses a change. */
export function describeApplyWorkloadContract(name: string, open: OpenStage): void {
  describe(`applyWorkload: ${name}`, () => {
    let stage: DeployStage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    /** A workload as someone else made it, without pods. */
    const made = async (
      kind: WorkloadKind = 'deployment',
      extra: { labels?: object; spec?: object; main?: object } = {},
    ) => {
      const own = `w${randomBytes(4).toString('hex')}`;
      const labels = { app: own };
      const image = stage.image;
      const containers = [
        {
          name: 'main',
          image,
          env: ENV,
          args: ['--a', '--b'],
          resources: { requests: { cpu: '10m', memory: '16Mi', 'ephemeral-storage': '1Mi' } },
          livenessProbe: { exec: { command: ['true'] }, periodSeconds: 33 },
          ...extra.main,
        },
        { name: 'side', image, envFrom: [{ configMapRef: { name: 'absent', optional: true } }] },
      ];
      const spec = {
        ...(kind === 'daemonset' ? {} : { replicas: 0 }),
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers, nodeSelector: { none: 'here' } } },
        ...extra.spec,
      };
      const metadata = { name: own, namespace: stage.namespace, labels: { ...labels, ...extra.labels } };
      must(await stage.cluster.create({ apiVersion: 'apps/v1', kind: KINDS[kind], metadata, spec }));
      return own;
    };
    const liveOf = async (kind: WorkloadKind, own: string): Promise<Manifest> =>
      must(
        await stage.cluster.get({ apiVersion: 'apps/v1', kind: KINDS[kind], namespace: stage.namespace, name: own }),
      ) as Manifest;
    /** Reads until no controller writes to it any more; not every cluster under test has one for every kind. */
    const read = async (kind: WorkloadKind, own: string): Promise<Config> => {
      for (let before = '', turn = 0; ; turn += 1) {
        const target = { namespace: stage.namespace, kind, name: own };
        const config = must(await readWorkload({ api: stage.api, clock: realClock }, target));
        const observed = ((await liveOf(kind, own)).status as { observedGeneration?: number }).observedGeneration ?? 0;
        if (config.resourceVersion === before && (observed > 0 || turn >= 3)) return config;
        before = config.resourceVersion;
        await realClock.sleep(150);
      }
    };
    const requestFor = (config: Config, change: Partial<Config> = {}): WorkloadApply => {
      const { observedAt: _, managed: _m, ...spec } = config;
      return {
        request: randomUUID(),
        endpoint: 'endpoint-1',
        issuedAt: new Date().toISOString(),
        deadline: new Date(Date.now() + 600_000).toISOString(),
        target: config.target,
        resourceVersion: change.resourceVersion ?? config.resourceVersion,
        spec: { ...spec, managed: false, unsupported: [], ...change },
        create: false,
      };
    };
    const main = (config: Config, change: Partial<Container>): Partial<Config> => ({
      containers: config.containers.map((one) => (one.name === 'main' ? { ...one, ...change } : one)),
    });
    const apply = (config: Config, change: Partial<Config> = {}, prepare?: (recorded: RecordedApi) => void) =>
      run(stage, 'applyWorkload', requestFor(config, change), prepare === undefined ? {} : { prepare });
    const patchOf = ({ calls }: { readonly calls: readonly { key: string; body?: unknown }[] }): unknown =>
      calls.find(({ key }) => key.startsWith('patch'))?.body;
    const containersOf = (object: Manifest): readonly Record<string, unknown>[] =>
      (object.spec as { template: { spec: { containers: Record<string, unknown>[] } } }).template.spec.containers;

    it(`${shows('readWorkload', 'image_without_tag')} leaves an image without a tag as it is written, until it is changed`, async () => {
      const own = await made('deployment', { main: { image: 'registry.test/web' } });
      const imageOf = async (): Promise<unknown> => containersOf(await liveOf('deployment', own))[0]?.image;
      const config = await read('deployment', own);
      expect(config.containers[0]?.image).toBe('registry.test/web:latest');
      const kept = await apply(config, main(config, { command: ['run'] }));
      expect([kept.result.outcome, await imageOf()]).toEqual(['succeeded', 'registry.test/web']);
      const again = await read('deployment', own);
      const changed = await apply(again, main(again, { image: 'registry.test/web:2' }));
      expect([changed.result.outcome, await imageOf()]).toEqual(['succeeded', 'registry.test/web:2']);
    });

    it(`${shows('applyWorkload', 'only_changes', 'unknown_fields_survive')} changes the paths that differ alone`, async () => {
      const own = await made();
      const config = await read('deployment', own);
      const before = containersOf(await liveOf('deployment', own));
      const resources = { requests: { cpu: '20m', memory: '' }, limits: { cpu: '', memory: '32Mi' } };
      const change = { command: ['run'], args: [], resources };
      const ran = await apply(config, { ...main(config, change), replicas: 0 });
      expect(stepsOf(ran.result), JSON.stringify(ran.result)).toEqual([
        'workload precondition succeeded',
        'workload apply succeeded',
        'workload rollout succeeded',
      ]);
      const container = {
        name: 'main',
        command: ['run'],
        args: null,
        resources: { requests: { cpu: '20m', memory: null }, limits: { memory: '32Mi' } },
      };
      const body = {
        metadata: { resourceVersion: config.resourceVersion },
        spec: { template: { spec: { containers: [container] } } },
      };
      expect(patchOf(ran)).toEqual({ type: 'strategic', body });
      const [first, second] = containersOf(await liveOf('deployment', own));
      const { args: _, ...rest } = before[0] ?? {};
      expect(first).toEqual({
        ...rest,
        command: ['run'],
        resources: { requests: { cpu: '20m', 'ephemeral-storage': '1Mi' }, limits: { memory: '32Mi' } },
      });
      expect(second).toEqual(before[1]);
      expect(ran.result.deployment).toMatch(/^[0-9a-f-]{36}$/);
      expect(ran.started).toBe(1);
    });

    it(`${shows('applyWorkload', 'unchanged')} sends the version alone when nothing differs`, async () => {
      const own = await made();
      const config = await read('deployment', own);
      const ran = await apply(config);
      expect(ran.result.outcome, JSON.stringify(ran.result)).toBe('succeeded');
      expect(patchOf(ran)).toEqual({
        type: 'strategic',
        body: { metadata: { resourceVersion: config.resourceVersion } },
      });
      expect((await liveOf('deployment', own)).metadata.generation).toBe(1);
    });

    it.each<[string, Container['env'], unknown[]]>([
      [
        'one changed, one added in front, one removed',
        [
          { name: 'NEW', value: 'n' },
          { name: 'FIRST', value: '2' },
          { name: 'TOKEN', secret: 'tokens/a' },
          { name: 'LAST', value: '$(FIRST)' },
        ],
        [{ name: 'NEW', value: 'n' }, { name: 'FIRST', value: '2' }, ENV[1], ENV[3]],
      ],
      [
        'another order',
        [
          { name: 'LAST', value: '$(FIRST)' },
          { name: 'MODE', configMap: 'modes/m' },
          { name: 'TOKEN', secret: 'tokens/a' },
          { name: 'FIRST', value: '1' },
        ],
        [ENV[3], ENV[2], ENV[1], ENV[0]],
      ],
      [
        'a literal to a reference, and back',
        [
          { name: 'FIRST', configMap: 'modes/x' },
          { name: 'TOKEN', value: 'open' },
          { name: 'MODE', secret: 'tokens/a' },
          { name: 'LAST', value: '' },
        ],
        [
          { name: 'FIRST', valueFrom: { configMapKeyRef: { name: 'modes', key: 'x' } } },
          { name: 'TOKEN', value: 'open' },
          { name: 'MODE', valueFrom: { secretKeyRef: { name: 'tokens', key: 'a' } } },
          { name: 'LAST' },
        ],
      ],
      ['none', [], []],
    ])(`${shows('applyWorkload', 'env_merge')} writes variables: %s`, async (_, env, expected) => {
      const own = await made();
      const config = await read('deployment', own);
      const { result } = await apply(config, main(config, { env }));
      expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
      const [first] = containersOf(await liveOf('deployment', own));
      const found = ((first?.env ?? []) as { name: string; value?: string }[]).map(({ value, ...entry }) =>
        value === undefined || value === '' ? entry : { ...entry, value },
      );
      expect(found).toEqual(expected);
    });

    it.each<WorkloadKind>(['statefulset', 'daemonset'])(
      `${shows('applyWorkload', 'rollout_skipped')} does not wait for a %s`,
      async (kind) => {
        const config = await read(kind, await made(kind));
        const { result } = await apply(config, main(config, { args: ['--c'] }));
        expect(stepsOf(result).at(-1), JSON.stringify(result)).toBe('workload rollout skipped');
        expect(result.outcome).toBe('succeeded');
      },
    );

    it(`${shows('applyWorkload', 'rollout_skipped')} does not wait for a paused Deployment`, async () => {
      const own = await made();
      const { result } = await apply(await read('deployment', own), { paused: true, replicas: 2 });
      expect(stepsOf(result).at(-1)).toBe('workload rollout skipped');
      expect((await liveOf('deployment', own)).spec).toMatchObject({ paused: true, replicas: 2 });
    });

    it(`${shows('applyWorkload', 'rollout_timeout')} says by the conditions why a rollout stands still`, async () => {
      const own = await made();
      const config = await read('deployment', own);
      const request = { ...requestFor(config), deadline: new Date(Date.now() + 1500).toISOString() };
      const reason = 'MinimumReplicasUnavailable';
      const status = {
        observedGeneration: 9,
        replicas: 1,
        conditions: [{ type: 'Available', status: 'False', reason }],
      };
      const { result } = await run(stage, 'applyWorkload', request, {
        prepare: (recorded) =>
          recorded.meet(
            'get Deployment',
            async () =>
              recorded.writes().length === 0
                ? undefined
                : { ok: true, value: { ...(await liveOf('deployment', own)), status } as never },
            Number.POSITIVE_INFINITY,
          ),
      });
      expect(stepsOf(result).at(-1)).toBe(`workload rollout timed_out rollout_timeout available=${reason}`);
      expect(result.outcome).toBe('timed_out');
    });

    const refusal = async (
      own: string,
      change: Partial<Config>,
      options: {
        readonly kind?: WorkloadKind;
        readonly prepare?: (recorded: RecordedApi) => void;
        readonly before?: () => Promise<unknown>;
      } = {},
    ) => {
      const config = await read(options.kind ?? 'deployment', own);
      await options.before?.();
      const ran = await apply(config, change, options.prepare);
      expect(ran.result.outcome).toBe('denied');
      expect(stepsOf(ran.result).slice(1)).toEqual(['workload apply skipped', 'workload rollout skipped']);
      expect([ran.writes(), ran.started]).toEqual([[], 0]);
      return stepsOf(ran.result)[0];
    };

    it(`${shows('applyWorkload', 'forbidden')} refuses without the right to patch exactly this object`, async () => {
      const own = await made();
      const prepare = ({ meet }: RecordedApi): void =>
        meet('review patch deployments', () => ({ ok: true, value: false as never }));
      expect(await refusal(own, {}, { prepare })).toBe('workload precondition denied forbidden');
    });

    it(`${shows('applyWorkload', 'pod_security')} refuses in a namespace below the baseline`, async () => {
      const own = await made();
      const before = () => label(stage, 'privileged');
      expect(await refusal(own, {}, { before })).toBe('workload precondition denied pod_security privileged');
      await label(stage, 'baseline');
    });

    it(`${shows('applyWorkload', 'conflict_missing')} calls what is gone a conflict`, async () => {
      const own = await made();
      const prepare = ({ meet }: RecordedApi): void => meet('get Deployment', () => refused(404));
      expect(await refusal(own, {}, { prepare })).toBe('workload precondition denied conflict');
    });

    it(`${shows('applyWorkload', 'application_managed')} leaves an application's objects to it`, async () => {
      const own = await made('deployment', { labels: { 'app.kubernetes.io/managed-by': 'hakopod' } });
      expect(await refusal(own, {})).toBe('workload precondition denied application_managed');
    });

    it(`${shows('applyWorkload', 'conflict_version')} refuses at another version than the read`, async () => {
      expect(await refusal(await made(), { resourceVersion: '1' })).toBe('workload precondition denied conflict');
    });

    it(`${shows('applyWorkload', 'configuration_unreported')} refuses what a read does not show whole`, async () => {
      const env = [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
      expect(await refusal(await made('deployment', { main: { env } }), {})).toBe(
        'workload precondition denied configuration_unreported',
      );
    });

    it(`${shows('applyWorkload', 'secret_ref_refused')} points no container at another Secret`, async () => {
      const own = await made();
      const config = await read('deployment', own);
      const env = [...(config.containers[0]?.env ?? []), { name: 'MORE', secret: 'tokens/b' }];
      expect(await refusal(own, main(config, { env }))).toBe('workload precondition denied secret_ref_refused');
      const moved = [...(config.containers[0]?.env ?? []), { name: 'AGAIN', secret: 'tokens/a' }];
      expect((await apply(await read('deployment', own), main(config, { env: moved }))).result.outcome).toBe(
        'succeeded',
      );
    });

    it(`${shows('applyWorkload', 'pvc_retention')} does not scale claims away`, async () => {
      const spec = { replicas: 2, persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } };
      const own = await made('statefulset', { spec });
      expect(await refusal(own, { replicas: 1 }, { kind: 'statefulset' })).toBe(
        'workload precondition denied pvc_retention',
      );
      expect((await apply(await read('statefulset', own), { replicas: 3 })).result.outcome).toBe('succeeded');
    });

    it(`${shows('applyWorkload', 'conflict_container')} refuses a container that is not there`, async () => {
      const own = await made();
      const config = await read('deployment', own);
      const more = { ...(config.containers[0] as Container), name: 'more' };
      expect(await refusal(own, { containers: [...config.containers, more] })).toBe(
        'workload precondition denied conflict',
      );
      expect(await refusal(own, { initContainers: [more] })).toBe('workload precondition denied conflict');
    });

    it(`${shows('applyWorkload', 'conflict_on_write')} reports a write that came between as a conflict`, async () => {
      const own = await made();
      const config = await read('deployment', own);
      const { result } = await apply(config, main(config, { args: [] }), ({ meet }) =>
        meet('patch', async () => {
          const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: stage.namespace, name: own };
          must(await stage.cluster.mergePatch(ref, { metadata: { labels: { touched: 'yes' } } }));
          return undefined;
        }),
      );
      expect(stepsOf(result)[1]).toBe('workload apply denied conflict');
    });

    it(`${shows('applyWorkload', 'admission_denied')} takes a refused write for a policy's, as the review allowed it`, async () => {
      const config = await read('deployment', await made());
      const { result, calls } = await apply(config, {}, ({ meet }) => meet('patch', () => refused(403)));
      expect(stepsOf(result)[1]).toBe('workload apply denied admission_denied');
      expect(calls.filter(({ key }) => key.startsWith('review'))).toHaveLength(1);
    });
  });
}
