import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connect,
  createCluster,
  createIdentityStore,
  createLeases,
  fromClients,
  IDENTITY_SECRET,
  type KubeConnection,
  renderEnrolment,
  renderPermissions,
} from '../../src/adapters/kubernetes/index.ts';
import { createStreams } from '../../src/adapters/kubernetes/operations/streams.ts';
import { createRequests } from '../../src/adapters/kubernetes/requests.ts';
import { type Manifest, ok, type Result } from '../../src/kernel/index.ts';
import type { ClusterOperations, DeploymentResult } from '../../src/ports/cluster-operations/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { describeIdentityStoreContract } from '../contracts/identity-store.contract.ts';
import { shows } from '../support/claims.ts';
import { newInstance, removalOf, requestOf, serviceOf } from '../support/deploy-stage.ts';
import { connectReal, inNewNamespace, memoryLog, realClock } from '../support/kubernetes.ts';
import { pushBusybox, startPod } from '../support/real-pods.ts';
import { recordedApi } from '../support/recorded-api.ts';
import { until } from '../support/world.ts';
import { documents, expectedGrants, foreign, RESOURCES, VERBS } from './account-table.ts';

/* Every cluster operation as the account of the enrolment file, and everything that account must not be able to do. */

const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
if (kubeconfig === undefined) console.warn('SKIPPED: the account of the enrolment file: there is no API server');
const hasPods = registry !== undefined && rig !== undefined;

if (kubeconfig !== undefined)
  describeIdentityStoreContract('real API server', () => inNewNamespace(connectReal(kubeconfig)));

const OWN = 'hakopod-operations';
const ID = randomBytes(3).toString('hex');
/** Granted; granted without Pod Security; not granted at all. */
const GRANTED = `granted-${ID}`;
const OPEN = `open-${ID}`;
const OTHER = `other-${ID}`;
const BASELINE = { 'pod-security.kubernetes.io/enforce': 'baseline' };
const IMAGE = `registry.example.com/web@sha256:${'a'.repeat(64)}`;

describe.skipIf(kubeconfig === undefined)('the account of the enrolment file', () => {
  let admin: Cluster;
  let adminConnection: KubeConnection;
  let connection: KubeConnection;
  let operations: ClusterOperations;
  let mine: Cluster;
  let objects: readonly Manifest[];
  let shell: Manifest | undefined;

  beforeAll(async () => {
    adminConnection = connectReal(kubeconfig!);
    admin = createCluster(adminConnection, { clock: realClock, log: memoryLog(), userAgent: 'hakopod-test' });
    for (const [name, labels] of [
      [GRANTED, BASELINE],
      [OPEN, {}],
      [OTHER, BASELINE],
    ] as const)
      must(await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }));
    objects = documents(must(renderPermissions({ name: 'the rig', namespaces: [GRANTED, OPEN].sort() })));
    for (const object of objects) must(await admin.apply(object));
    connection = must(connect({ kubeconfigText: await kubeconfigOf(await token()) }));
    const client = { connection, clock: realClock, userAgent: 'hakopod-test', timeoutMs: 20_000 };
    // No image of this request exists; rollouts are taken for ready, so that each step gets its turn.
    const { api } = recordedApi(createRequests(client), { assumeReady: true });
    operations = fromClients({ api, streams: createStreams(client), clock: realClock, log: memoryLog(), pollMs: 20 });
    mine = createCluster(connection, { clock: realClock, log: memoryLog(), userAgent: 'hakopod-test' });
    if (hasPods) {
      const image = await pushBusybox({ registry, storage: rig });
      const command = ['sh', '-c', 'echo hello; sleep 3600'];
      [shell] = await Promise.all([
        startPod(admin, { namespace: GRANTED, name: 'shell', image, command }),
        startPod(admin, { namespace: OTHER, name: 'shell', image, command }),
      ]);
    }
    for (const namespace of [GRANTED, OPEN, OTHER])
      for (const object of foreign(namespace)) must(await admin.create(object));
  }, 180_000);

  afterAll(async () => {
    for (const { apiVersion, kind, metadata } of [
      ...objects.filter(({ kind }) => kind.startsWith('ClusterRole')),
      ...[OWN, GRANTED, OPEN, OTHER].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ]) {
      const ref = { apiVersion, kind, name: metadata.name };
      const live = must(await admin.get(ref));
      if (live !== undefined)
        must(await admin.delete(ref, { uid: live.metadata.uid ?? '', propagation: 'Background' }));
    }
    await connection?.close();
    await adminConnection?.close();
  });

  async function token(): Promise<string> {
    const answer = await adminConnection.send({
      method: 'POST',
      path: `/api/v1/namespaces/${OWN}/serviceaccounts/${OWN}/token`,
      accept: 'application/json',
      contentType: 'application/json',
      userAgent: 'hakopod-test',
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
      signal: AbortSignal.timeout(10_000),
    });
    const body = Buffer.concat(await answer.body.toArray()).toString('utf8');
    return (JSON.parse(body) as { readonly status: { readonly token: string } }).status.token;
  }

  /** The administrator's kubeconfig with the account's token in it. */
  async function kubeconfigOf(bearer: string): Promise<string> {
    const { readFile } = await import('node:fs/promises');
    const [document] = documents(await readFile(kubeconfig!, 'utf8')) as unknown as Record<string, unknown>[];
    const users = ((document?.users ?? []) as { readonly name: string }[]).map(({ name }) => ({
      name,
      user: { token: bearer },
    }));
    return JSON.stringify({ ...document, users });
  }

  const applyOf = (namespace: string, resourceVersion: string, image = 'registry.example.com/web:2') => ({
    request: randomUUID(),
    endpoint: 'endpoint-1',
    issuedAt: new Date().toISOString(),
    deadline: new Date(Date.now() + 60_000).toISOString(),
    target: { namespace, kind: 'statefulset', name: 'foreign' },
    resourceVersion,
    create: false,
    spec: {
      target: { namespace, kind: 'statefulset', name: 'foreign' },
      resourceVersion,
      replicas: 0,
      strategy: '',
      containers: [
        {
          name: 'main',
          image,
          command: [],
          args: [],
          env: [],
          resources: { requests: { cpu: '', memory: '' }, limits: { cpu: '', memory: '' } },
        },
      ],
      initContainers: [],
      envFrom: [],
      managed: false,
      unsupported: [],
    },
  });
  const createOf = (namespace: string) => {
    const { spec, ...apply } = applyOf(namespace, '');
    const target = { namespace, kind: 'deployment', name: 'made' };
    return { ...apply, target, create: true, spec: { ...spec, target, strategy: 'RollingUpdate' } };
  };
  const operate = async (action: string, reference: string, replicas?: number): Promise<string> => {
    const expects = replicas === undefined ? {} : { expects: { replicas } };
    let said = '';
    // The controllers write beside us; whoever is told of a conflict asks again.
    await until(`${action} is no conflict`, async () => {
      const { outcome, detail } = await operations.operate({ id: '1', action, reference, ...expects });
      said = [outcome, detail].filter((part) => part !== '').join(' ');
      return detail !== 'conflict';
    });
    return said;
  };
  const outcomeOf = (result: Awaited<ReturnType<ClusterOperations['deploy']>>): string => {
    const step = result.steps.find(({ code }) => code !== undefined);
    return [step?.outcome ?? result.outcome, step?.code, step?.detail].filter((part) => part !== undefined).join(' ');
  };
  const web = (change: object = {}) => [
    serviceOf({ image: IMAGE }, 'web', {
      ports: [{ protocol: 'tcp', published: 80, target: 8080 }],
      env: { A: '1', PASSWORD: 'x' },
      secretKeys: ['PASSWORD'],
      mounts: [{ claim: `data-${ID}`, path: '/data' }],
      ...change,
    }),
  ];
  const claims = [{ name: `data-${ID}`, size: '1Gi', accessMode: 'ReadWriteOnce' as const }];
  const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.problem.code);

  it(`${shows('manifest', 'strict', 'odd_names')} comes from a file whose every object the API server takes without an unknown field`, async () => {
    const rest = { namespaces: [GRANTED], image: IMAGE, link: 'https://hakopod.example.com/#token' };
    const [plain, odd] = ['the rig', 'a "rig"\n---\nkind: Node # \u2028 %'].map((name) =>
      documents(must(renderEnrolment({ name, ...rest }))),
    );
    expect(odd).toEqual(plain);
    for (const object of plain ?? []) {
      // The stricter way: a field nobody knows is an error, not a warning.
      if (object.kind === 'Secret') {
        const { stringData, ...fields } = object as Manifest & { readonly stringData: Record<string, string> };
        const data = Object.fromEntries(
          Object.entries(stringData).map(([k, v]) => [k, Buffer.from(v).toString('base64')]),
        );
        must(await admin.apply({ ...fields, data }, { dryRun: true }));
      } else must(await admin.apply(object, { dryRun: true }));
    }
  });

  it(`${shows('manifest', 'as_account')} reads the whole cluster`, async () => {
    const facts = await operations.facts();
    expect(Object.values(facts)).not.toContain('unknown');
    const { truncated, workloads } = await operations.snapshot();
    expect(truncated).toEqual([]);
    expect(workloads.filter(({ name }) => name === 'foreign').length).toBe(9);
    for (const namespace of [GRANTED, OPEN, OTHER]) {
      for (const kind of ['deployment', 'statefulset', 'daemonset'] as const)
        must(await operations.readWorkload({ namespace, kind, name: 'foreign' }));
      const live = must(await admin.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'foreign' }));
      const uid = live?.metadata.uid ?? '';
      expect(must(await operations.inspect({ namespace, name: 'foreign', uid }))).toMatchObject({
        missing: false,
        uid,
      });
    }
  });

  /** The controller may write a Deployment twice in a row beside us, which ends a run; whoever asked asks again. */
  async function deployed(request: () => unknown): Promise<DeploymentResult> {
    let result = await operations.deploy(request());
    for (let i = 0; i < 5 && result.steps.some(({ code }) => code === 'conflict'); i += 1)
      result = await operations.deploy(request());
    return result;
  }

  it(`${shows('manifest', 'as_account')} deploys, deploys again without its Secret and Service, and removes`, async () => {
    const instance = newInstance();
    const stage = { namespace: GRANTED };
    const less = web({ ports: [], secretKeys: [] });
    for (const services of [web(), less, web()])
      expect(outcomeOf(await deployed(() => requestOf(stage, instance, services, { claims })))).toBe('succeeded');
    expect(outcomeOf(await operations.remove(removalOf(stage, instance, ['web'])))).toBe('succeeded');
  });

  it(`${shows('manifest', 'as_account')} operates on and changes workloads of others`, async () => {
    for (const kind of ['deployment', 'statefulset', 'daemonset']) {
      const reference = `${GRANTED}/${kind}/foreign`;
      expect(await operate('workload.restart', reference), kind).toBe('succeeded');
      if (kind !== 'daemonset') expect(await operate('workload.scale', reference, 0), kind).toBe('succeeded');
    }
    const target = { namespace: GRANTED, kind: 'statefulset', name: 'foreign' } as const;
    const { resourceVersion } = must(await operations.readWorkload(target));
    expect(outcomeOf(await operations.applyWorkload(applyOf(GRANTED, resourceVersion)))).toBe('succeeded');
    expect(outcomeOf(await operations.applyWorkload(createOf(GRANTED)))).toBe('succeeded');
    expect(await operate('workload.delete', `${GRANTED}/deployment/made`)).toBe('succeeded');
    for (const kind of ['statefulset', 'daemonset'])
      expect(await operate('workload.delete', `${GRANTED}/${kind}/foreign`), kind).toBe('succeeded');
  });

  it.skipIf(!hasPods)(
    `${shows('manifest', 'as_account')} reads logs everywhere, and execs and deletes pods where it may`,
    async () => {
      for (const namespace of [GRANTED, OTHER]) {
        let text = '';
        const sink = async (chunk: Uint8Array): Promise<Result<void>> => {
          text += Buffer.from(chunk).toString();
          return ok(undefined);
        };
        must(await operations.logs({ pod: { namespace, name: 'shell' } }, sink));
        expect(text).toBe('hello\n');
      }
      const exec = async (namespace: string) => {
        const pod = must(await admin.get({ apiVersion: 'v1', kind: 'Pod', namespace, name: 'shell' }));
        const uid = pod?.metadata.uid ?? '';
        return operations.openExec({
          pod: { namespace, name: 'shell', container: 'main', uid },
          argv: ['sh', '-c', 'exit 3'],
        });
      };
      const session = must(await exec(GRANTED));
      while (must(await session.read()) !== undefined);
      expect(session.inspect()).toEqual({ running: false, exitCode: 3 });
      expect(codeOf(await exec(OTHER))).toBe('forbidden');
      expect(shell?.metadata.name).toBe('shell');
      expect(await operate('pod.delete', `${GRANTED}/pod/shell`)).toBe('succeeded');
      expect(await operate('pod.delete', `${OTHER}/pod/shell`)).toBe('denied forbidden');
    },
  );

  it(`${shows('machine', 'forbidden')} is refused with the right word where nothing is granted`, async () => {
    const instance = newInstance();
    const stage = { namespace: OTHER };
    expect(outcomeOf(await operations.deploy(requestOf(stage, instance, web(), { claims })))).toBe('denied forbidden');
    expect(outcomeOf(await operations.remove(removalOf(stage, instance, ['web'])))).toBe('denied forbidden');
    const target = { namespace: OTHER, kind: 'statefulset', name: 'foreign' } as const;
    const { resourceVersion } = must(await operations.readWorkload(target));
    expect(outcomeOf(await operations.applyWorkload(applyOf(OTHER, resourceVersion)))).toBe('denied forbidden');
    expect(outcomeOf(await operations.applyWorkload(createOf(OTHER)))).toBe('denied forbidden');
    for (const kind of ['deployment', 'statefulset', 'daemonset'])
      for (const action of ['workload.restart', 'workload.delete'])
        expect(await operate(action, `${OTHER}/${kind}/foreign`), `${action} ${kind}`).toBe('denied forbidden');
    expect(await operate('workload.scale', `${OTHER}/deployment/foreign`, 0)).toBe('denied forbidden');
  });

  it('is told apart: what the rules of the namespace refuse is no missing verb', async () => {
    const instance = newInstance();
    const open = await operations.deploy(requestOf({ namespace: OPEN }, instance, web(), { claims }));
    expect(outcomeOf(open)).toBe('denied pod_security missing');
    const metadata = { name: 'none', namespace: GRANTED };
    const hard = { 'count/configmaps': '0' };
    const quota = must(await admin.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } }));
    const ref = { apiVersion: 'v1', kind: 'ResourceQuota', ...metadata };
    await until('the quota is counted', async () => must(await admin.get(ref))?.status !== undefined);
    await until('the quota is enforced', async () => {
      const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe', namespace: GRANTED } };
      return !(await admin.apply(probe, { dryRun: true })).ok;
    });
    const refused = await operations.deploy(requestOf({ namespace: GRANTED }, instance, web({ mounts: [] })));
    expect(outcomeOf(refused)).toMatch(/^denied admission_denied ConfigMap\//);
    const map = (namespace: string): Manifest => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'mine', namespace },
    });
    // The same answer to whoever reconciles: asked for by the refused write, not read out of its sentence.
    expect(codeOf(await mine.create(map(GRANTED)))).toBe('admission_denied');
    expect(codeOf(await mine.create(map(OTHER)))).toBe('forbidden');
    must(await admin.delete(ref, { uid: quota.metadata.uid ?? '', propagation: 'Background' }));
  });

  it('may ask about its own rights without a rule of ours, as every account may', async () => {
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', name: 'system:basic-user' };
    const role = must(await admin.get({ ...rbac, kind: 'ClusterRole' })) as Manifest & { rules: object[] };
    expect(role.rules).toContainEqual(
      expect.objectContaining({
        apiGroups: ['authorization.k8s.io'],
        resources: expect.arrayContaining(['selfsubjectaccessreviews']),
        verbs: ['create'],
      }),
    );
    const binding = must(await admin.get({ ...rbac, kind: 'ClusterRoleBinding' }));
    expect(binding?.subjects).toContainEqual(expect.objectContaining({ kind: 'Group', name: 'system:authenticated' }));
  });

  it(`${shows('identity', 'create', 'update')} keeps its identity, and updates no other Secret`, async () => {
    const identity = {
      installation: 'a'.repeat(32),
      privateKey: 'b'.repeat(64),
      home: { namespace: OWN, uid: 'c' },
      generation: 1,
    };
    const store = must(createIdentityStore({ cluster: mine, namespace: OWN, name: IDENTITY_SECRET }));
    must(await store.load());
    must(await store.save(identity));
    must(await store.save({ ...identity, generation: 2 }));
    const other = must(createIdentityStore({ cluster: mine, namespace: OWN, name: 'another' }));
    must(await other.save(identity));
    expect(codeOf(await other.save({ ...identity, generation: 2 }))).toBe('forbidden');
    const leases = createLeases(mine, { namespace: OWN, holder: 'test', clock: realClock, log: memoryLog() });
    const lease = must(await leases.acquire('hakopod-identity'));
    await lease.release();
  });

  it(`${shows('manifest', 'rules', 'no_wildcard')} may do exactly what the table says, and nothing else`, async () => {
    const asked = RESOURCES.flatMap((resource) =>
      VERBS.flatMap((verb) => [OWN, GRANTED, OTHER].map((namespace) => ({ resource, verb, namespace }))),
    );
    const allowed: string[] = [];
    const ask = async (): Promise<void> => {
      for (let one = asked.pop(); one !== undefined; one = asked.pop()) {
        const { resource, verb, namespace } = one;
        const [path = '', subresource] = resource.split(':');
        const [group, plural] = path.includes('/') ? path.split('/') : ['', path];
        const attributes = {
          verb,
          group,
          resource: plural,
          namespace,
          ...(subresource === undefined ? {} : { subresource }),
        };
        const review = must(
          await mine.create({
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectAccessReview',
            metadata: { name: '' },
            spec: { resourceAttributes: attributes },
          }),
        );
        const place = namespace === OWN ? 'own' : namespace === GRANTED ? 'granted' : 'other';
        if ((review.status as { readonly allowed: boolean }).allowed) allowed.push(`${place} ${resource} ${verb}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, ask));
    expect(allowed.sort()).toEqual(expectedGrants());
    // and in deed: no Secret is listed, not even where they may be read by name
    for (const namespace of [OWN, GRANTED, OTHER, undefined])
      expect(
        codeOf(
          await mine.list({ apiVersion: 'v1', kind: 'Secret', ...(namespace === undefined ? {} : { namespace }) }),
        ),
      ).toBe('forbidden');
    expect(codeOf(await mine.list({ apiVersion: 'v1', kind: 'ConfigMap' }))).toBe('forbidden');
    expect(codeOf(await mine.get({ apiVersion: 'v1', kind: 'Secret', namespace: OTHER, name: 'x' }))).toBe('forbidden');
  }, 120_000);
});
