import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Manifest } from '../../src/kernel/index.ts';
import type { WorkloadApply } from '../../src/ports/cluster-operations/index.ts';
import { shows } from '../support/claims.ts';
import { type DeployStage, label, live, type OpenStage, run, stepsOf } from '../support/deploy-stage.ts';
import { type RecordedApi, refused } from '../support/recorded-api.ts';
import { must } from './cluster.contract.ts';
import { sleeper } from './deploy.contract.ts';

const NONE = { requests: { cpu: '', memory: '' }, limits: { cpu: '', memory: '' } };

/** How a Deployment is made that is no application's. */
export function describeCreateWorkloadContract(name: string, open: OpenStage): void {
  describe(`createWorkload: ${name}`, () => {
    let stage: DeployStage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    const newName = (): string => `n${randomBytes(4).toString('hex')}`;
    const requestFor = (own: string, change: Partial<WorkloadApply['spec']> = {}): WorkloadApply => {
      const target = { namespace: stage.namespace, kind: 'deployment' as const, name: own };
      const main = { name: 'main', image: stage.image, command: [], args: [], env: [], resources: NONE };
      const spec = {
        ...{ target, resourceVersion: '', replicas: 0, strategy: '' as const, initContainers: [], envFrom: [] },
        ...{ managed: false, unsupported: [], containers: [main], ...change },
      };
      return {
        ...{ request: randomUUID(), endpoint: 'endpoint-1', target, resourceVersion: '', spec, create: true },
        issuedAt: new Date().toISOString(),
        deadline: new Date(Date.now() + 600_000).toISOString(),
      };
    };
    const create = (request: WorkloadApply, prepare?: (recorded: RecordedApi) => void) =>
      run(stage, 'applyWorkload', request, prepare === undefined ? {} : { prepare });
    const body = (own: string, change: { metadata?: object; spec?: object; pod?: object } = {}): Manifest => {
      const labels = { app: own };
      const pod = { containers: [{ name: 'main', image: stage.image }], ...change.pod };
      const template = { metadata: { labels }, spec: pod };
      return {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
        metadata: { name: own, namespace: stage.namespace, ...change.metadata },
        spec: { replicas: 0, selector: { matchLabels: labels }, template, ...change.spec },
      };
    };

    it(`${shows('createWorkload', 'rendered')} makes what was asked, labelled as nobody's`, async () => {
      const own = newName();
      const main = {
        ...{ name: 'main', image: stage.image, command: ['run'], args: ['--a'] },
        env: [
          { name: 'A', value: '1' },
          { name: 'B', secret: 'tokens/b' },
          { name: 'C', configMap: 'modes/c' },
        ],
        resources: { requests: { cpu: '10m', memory: '' }, limits: { cpu: '', memory: '32Mi' } },
      };
      const { result, started } = await create(requestFor(own, { containers: [main] }));
      expect(stepsOf(result), JSON.stringify(result)).toEqual([
        'workload precondition succeeded',
        'workload create succeeded',
        'workload rollout succeeded',
      ]);
      expect([started, result.services]).toEqual([1, []]);
      const labels = {
        'app.kubernetes.io/name': own,
        'app.kubernetes.io/instance': own,
        'hakopod.io/run': own,
      };
      const made = await live(stage, 'Deployment', own);
      expect(made?.metadata.labels).toEqual(labels);
      expect(made?.spec).toMatchObject({
        replicas: 0,
        strategy: { type: 'RollingUpdate' },
        progressDeadlineSeconds: 540,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { restartPolicy: 'Always', automountServiceAccountToken: false } },
      });
      const { containers } = (made as Manifest & { spec: { template: { spec: { containers: object[] } } } }).spec
        .template.spec;
      expect(containers[0]).toMatchObject({
        command: ['run'],
        args: ['--a'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', valueFrom: { secretKeyRef: { name: 'tokens', key: 'b' } } },
          { name: 'C', valueFrom: { configMapKeyRef: { name: 'modes', key: 'c' } } },
        ],
        resources: { requests: { cpu: '10m' }, limits: { memory: '32Mi' } },
      });
    });

    it(`${shows('createWorkload', 'name_taken')} changes nothing that is there`, async () => {
      const own = newName();
      must(await stage.cluster.create({ ...body(own), spec: sleeper(stage.image) }));
      const { result, writes, started } = await create(requestFor(own));
      expect(stepsOf(result)).toEqual([
        `workload precondition denied name_taken Deployment/${own}`,
        'workload create skipped',
        'workload rollout skipped',
      ]);
      expect([writes(), started]).toEqual([[], 0]);
    });

    it(`${shows('createWorkload', 'lost_race')} takes no name that someone else took meanwhile`, async () => {
      const own = newName();
      const { result } = await create(requestFor(own), ({ meet }) =>
        meet('create Deployment', async () => {
          must(await stage.cluster.create({ ...body(own), spec: sleeper(stage.image) }));
          return undefined;
        }),
      );
      expect(stepsOf(result)[1]).toBe(`workload create denied name_taken Deployment/${own}`);
    });

    it(`${shows('createWorkload', 'forbidden', 'pod_security', 'admission_denied')} names what refuses it`, async () => {
      const no = ({ meet }: RecordedApi): void =>
        meet('review create deployments', () => ({ ok: true, value: false as never }));
      expect(stepsOf((await create(requestFor(newName()), no)).result)[0]).toBe(
        'workload precondition denied forbidden',
      );
      await label(stage);
      expect(stepsOf((await create(requestFor(newName()))).result)[0]).toBe(
        'workload precondition denied pod_security missing',
      );
      await label(stage, 'baseline');
      const policy = await create(requestFor(newName()), ({ meet }) => meet('create Deployment', () => refused(403)));
      expect(stepsOf(policy.result)[1]).toBe('workload create denied admission_denied');
    });

    it(`${shows('createWorkload', 'run_manifest')} makes a native Deployment as it stands, in JSON or YAML`, async () => {
      for (const write of [JSON.stringify, stringify]) {
        const own = newName();
        const probe = { exec: { command: ['true'] }, periodSeconds: 33 };
        const pod = { containers: [{ name: 'main', image: stage.image, livenessProbe: probe }] };
        const { result } = await create(requestFor(own, { runManifest: write(body(own, { pod })) }));
        expect(result.outcome, JSON.stringify(result)).toBe('succeeded');
        const made = (await live(stage, 'Deployment', own))?.spec;
        const container = { livenessProbe: { periodSeconds: 33 } };
        expect(made).toMatchObject({
          template: { spec: { containers: [container], automountServiceAccountToken: false } },
        });
      }
    });

    const container = (image: string): object => ({ name: 'side', image });
    it.each<[string, (own: string, image: string) => Manifest | string]>([
      ['no document', () => ''],
      ['two documents', (own) => `${stringify(body(own))}---\n${stringify(body(own))}`],
      ['another kind', (own) => ({ ...body(own), kind: 'StatefulSet' })],
      ['another name', (own) => body(own, { metadata: { name: `${own}x` } })],
      ['another namespace', (own) => body(own, { metadata: { namespace: 'default' } })],
      ['a field nobody knows', (own) => body(own, { spec: { surprise: true } })],
      ['a field on top', (own) => ({ ...body(own), status: {} })],
      ['a uid', (own) => body(own, { metadata: { uid: randomUUID() } })],
      ['owners', (own) => body(own, { metadata: { ownerReferences: [] } })],
      ['finalizers', (own) => body(own, { metadata: { finalizers: ['a/b'] } })],
      ['a selector of expressions', (own) => body(own, { spec: { selector: { matchExpressions: [] } } })],
      ['a selector the pods do not meet', (own) => body(own, { spec: { selector: { matchLabels: { other: 'x' } } } })],
      ['a pause', (own) => body(own, { spec: { paused: true } })],
      ['a label of ours', (own) => body(own, { metadata: { labels: { 'hakopod.io/instance': 'x' } } })],
      [
        'our name as manager',
        (own) => body(own, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'hakopod' } } }),
      ],
      ['a service account', (own) => body(own, { pod: { serviceAccountName: 'builder' } })],
      ['the old service account field', (own) => body(own, { pod: { serviceAccount: 'default' } })],
      ['a mounted token', (own) => body(own, { pod: { automountServiceAccountToken: true } })],
      [
        'a projected token',
        (own) =>
          body(own, {
            pod: { volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } }] },
          }),
      ],
      ['another restart policy', (own) => body(own, { pod: { restartPolicy: 'Never' } })],
      ['ephemeral containers', (own, image) => body(own, { pod: { ephemeralContainers: [container(image)] } })],
      ['no containers', (own) => body(own, { pod: { containers: [] } })],
      ['other containers than the spec', (own, image) => body(own, { pod: { containers: [container(image)] } })],
      ['other replicas than the spec', (own) => body(own, { spec: { replicas: 1 } })],
    ])(`${shows('createWorkload', 'configuration_unreported')} refuses a manifest with %s`, async (_, change) => {
      const own = newName();
      const manifest = change(own, stage.image);
      const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
      const { result } = await create(requestFor(own, { runManifest: text }));
      expect(stepsOf(result)[1], JSON.stringify(result)).toBe('workload create denied configuration_unreported');
      expect(await live(stage, 'Deployment', own)).toBeUndefined();
    });

    it(`${shows('createWorkload', 'run_manifest_limits')} takes 16 containers and 32 volumes, and no more`, async () => {
      const of = (containers: number, volumes: number) => {
        const own = newName();
        const init = Array.from({ length: containers - 1 }, (_, i) => ({ name: `i${i}`, image: stage.image }));
        const pod = {
          initContainers: init,
          volumes: Array.from({ length: volumes }, (_, i) => ({ name: `v${i}`, emptyDir: {} })),
          containers: [{ name: 'main', image: stage.image }],
        };
        return create(requestFor(own, { runManifest: JSON.stringify(body(own, { pod })) }));
      };
      expect((await of(16, 32)).result.outcome).toBe('succeeded');
      expect(stepsOf((await of(17, 0)).result)[1]).toBe('workload create denied configuration_unreported');
      expect(stepsOf((await of(1, 33)).result)[1]).toBe('workload create denied configuration_unreported');
      const long = await create(requestFor(newName(), { runManifest: ' '.repeat(64 * 1024 + 1) }));
      expect(long.result.code).toBe('invalid_request');
    });
  });
}
