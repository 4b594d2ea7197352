import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART_SETTINGS } from '../../scripts/values-schema.ts';
import { createCluster } from '../../src/adapters/kubernetes/index.ts';
import { DEPLOY_RULES } from '../../src/adapters/kubernetes/manifest/rules.ts';
import { Config, loadConfig, variableOf } from '../../src/config.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { connectReal, memoryLog, realClock } from '../support/kubernetes.ts';
import { CHART, grants, helm, KUBE_VERSION, renderChart } from './chart.ts';
import { helmBinary } from './rig/cache.ts';

const hasHelm = (await helmBinary()) !== undefined;
if (!hasHelm) console.warn('SKIPPED: the chart: there is neither helm 3.22 nor Go to build it with');
const kubeconfig = process.env.HAKOPOD_TEST_KUBECONFIG;

const NAMESPACE = 'hakopod-system';
/** Values that reach every branch of the templates. */
const VALUES = [
  'config.publicUrl=https://hakopod.example.com',
  'config.appDomain=apps.example.com',
  'config.gitCacheBytes=1073741824',
  'config.policySettleSeconds=0.5',
  'config.localRepositories=true',
  'config.localRegistries={registry.example.com:5000,http://10.0.0.1:5000}',
  'ingress.enabled=true',
  'ingress.host=hakopod.example.com',
  'ingress.className=haproxy',
  'ingress.tlsSecret=hakopod-tls',
  'image.digest=sha256:'.concat('0'.repeat(64)),
];

type Env = { readonly name: string; readonly value?: string; readonly valueFrom?: unknown };
type Container = {
  readonly env: readonly Env[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly livenessProbe: { readonly httpGet: object };
  readonly readinessProbe: { readonly httpGet: object };
};
type Pod = {
  readonly containers: readonly Container[];
  readonly enableServiceLinks: boolean;
  readonly volumes: object[];
};

function podOf(deployment: Manifest): Pod {
  return (deployment.spec as { readonly template: { readonly spec: Pod } }).template.spec;
}

describe.skipIf(!hasHelm)('the chart', () => {
  let objects: readonly Manifest[] = [];
  let plain: readonly Manifest[] = [];
  const of = (kind: string): readonly Manifest[] => objects.filter((object) => object.kind === kind);
  const named = (kind: string, end: string): Manifest => of(kind).find(({ metadata }) => metadata.name.endsWith(end))!;

  beforeAll(async () => {
    objects = await renderChart(NAMESPACE, VALUES);
    plain = await renderChart(NAMESPACE);
  });

  it('passes helm lint, strictly', async () => {
    expect(await helm('lint', '--strict', CHART, ...KUBE_VERSION)).toContain('0 chart(s) failed');
  });

  it('renders with its own values alone', () => {
    expect(plain.map(({ kind }) => kind).filter((kind) => kind === 'Deployment')).toHaveLength(2);
    expect(plain.some(({ kind }) => kind === 'Ingress')).toBe(false);
  });

  it('holds no secret and makes none', () => {
    expect([...objects, ...plain].some(({ kind }) => kind === 'Secret')).toBe(false);
    for (const deployment of of('Deployment')) {
      const [container] = podOf(deployment).containers;
      const redis = container?.env.find(({ name }) => name === 'HAKOPOD_REDIS_URL');
      expect(redis).toEqual({
        name: 'HAKOPOD_REDIS_URL',
        valueFrom: { secretKeyRef: { name: 'hakopod-redis', key: 'url' } },
      });
    }
  });

  it('sets variables that are settings, with values Hakopod accepts, and lets no other in', () => {
    const settings = new Set(Object.keys(Config.shape).map(variableOf));
    const [config] = of('ConfigMap') as readonly (Manifest & { data: Record<string, string> })[];
    expect(Object.keys(config!.data)).toHaveLength(6);
    for (const deployment of of('Deployment')) {
      const pod = podOf(deployment);
      const env = Object.fromEntries(
        (pod.containers[0]?.env ?? []).map(({ name, value }) => [name, value ?? 'redis://redis:6379']),
      );
      const all = { ...config!.data, ...env };
      expect(Object.keys(all).filter((name) => !settings.has(name))).toEqual([]);
      const loaded = must(loadConfig({}, all));
      expect(loaded).toMatchObject({
        namespace: NAMESPACE,
        gitCacheBytes: 1_073_741_824,
        policySettleSeconds: 0.5,
        localRepositories: true,
        localRegistries: ['registry.example.com:5000', 'http://10.0.0.1:5000'],
      });
      // Kubernetes would add HAKOPOD_PORT and the like for a Service of our name, and Hakopod refuses what is no setting.
      expect(pod.enableServiceLinks).toBe(false);
    }
  });

  it('refuses values that are none', async () => {
    for (const name of ['nonsense', ...CHART_SETTINGS])
      await expect(renderChart(NAMESPACE, [`config.${name}=1`]), name).rejects.toThrow(name);
    await expect(renderChart(NAMESPACE, ['server.replica=2'])).rejects.toThrow('replica');
  });

  it('exposes the receiver alone, and asks each role for its health where it answers', () => {
    const [service] = of('Service') as readonly (Manifest & { spec: { ports: unknown; selector: object } })[];
    expect(of('Service')).toHaveLength(1);
    expect(service!.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }]);
    expect(service!.spec.selector).toMatchObject({ 'app.kubernetes.io/component': 'server' });
    const [server] = podOf(named('Deployment', 'server')).containers;
    expect(server?.ports.map(({ containerPort }) => containerPort)).toEqual([8080]);
    expect(server?.env).toContainEqual({ name: 'HAKOPOD_ADMIN_LISTEN', value: '127.0.0.1:9090' });
    for (const [role, port] of [
      ['server', 'http'],
      ['worker', 'admin'],
    ] as const) {
      const [container] = podOf(named('Deployment', role)).containers;
      expect(container?.livenessProbe.httpGet).toEqual({ path: '/healthz', port });
      expect(container?.readinessProbe.httpGet).toEqual({ path: '/readyz', port });
    }
    const [ingress] = of('Ingress') as readonly (Manifest & {
      spec: { rules: { http: { paths: { path: string }[] } }[] };
    })[];
    expect(ingress!.spec.rules[0]!.http.paths.map(({ path }) => path)).toEqual(['/hooks/']);
  });

  it('exposes the API and the pages of plans, and nothing else, when it is told to', async () => {
    const exposed = await renderChart(NAMESPACE, [...VALUES, 'ingress.api=true']);
    const ingress = exposed.find(({ kind }) => kind === 'Ingress') as Manifest & {
      readonly spec: { readonly rules: readonly { readonly http: { readonly paths: readonly object[] } }[] };
    };
    const service = { name: 'hakopod', port: { name: 'http' } };
    expect(ingress.spec.rules.map(({ http }) => http.paths)).toEqual([
      ['/hooks/', '/api/', '/plans/'].map((path) => ({ path, pathType: 'Prefix', backend: { service } })),
    ]);
    await expect(renderChart(NAMESPACE, [...VALUES, 'ingress.api=maybe'])).rejects.toThrow('ingress');
  });

  it('gives no wildcard, no escalation and nothing cluster-wide to the server but logs', () => {
    const roles = [...of('Role'), ...of('ClusterRole')];
    expect(roles.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`).sort()).toEqual([
      'ClusterRole  hakopod-system-hakopod-operations-server',
      'ClusterRole  hakopod-system-hakopod-preflight',
      'ClusterRole  hakopod-system-hakopod-worker',
      'Role hakopod-system hakopod-server',
      'Role hakopod-system hakopod-worker',
    ]);
    for (const grant of roles.flatMap(grants)) {
      expect(grant).not.toContain('*');
      expect(grant).not.toMatch(/^(bind|escalate|impersonate|deletecollection) /);
      // What a refused write asks about the own rights, every account may: `system:basic-user`.
      expect(grant).not.toContain('accessreviews');
      expect(grant).not.toMatch(
        / (rbac|apiextensions|admissionregistration)|exec|serviceaccounts|nodes\/|(?<!list )nodes/,
      );
    }
    const all = ['get', 'list', 'watch', 'create', 'update', 'delete'];
    const ours = {
      ...{ gitrepositories: all, gitsources: all, applications: all, projects: all, identities: all, roles: all },
      settings: ['get', 'list', 'watch', 'create', 'update'],
      releases: ['get', 'list', 'watch', 'create'],
      domainclaims: ['get', 'list', 'create', 'update', 'delete'],
      'domainclaims/status': ['update'],
      'applications/status': ['update'],
      'releases/status': ['update'],
      'gitrepositories/status': ['update'],
      plans: ['get', 'list', 'watch'],
      auditrecords: ['list', 'watch', 'create'],
    };
    const expected = Object.entries(ours).flatMap(([kind, verbs]) => verbs.map((verb) => `${verb} hakopod.io/${kind}`));
    expect(grants(named('Role', 'server'))).toEqual([...expected, ...all.map((verb) => `${verb} secrets`)].sort());
    expect(grants(named('ClusterRole', 'operations-server'))).toEqual(['get pods', 'get pods/log', 'list pods']);
    expect(grants(named('ClusterRole', 'preflight'))).toEqual([
      ...['get persistentvolumes', 'list nodes', 'list persistentvolumeclaims', 'list pods'],
      'list storage.k8s.io/storageclasses',
    ]);
    expect(grants(named('ClusterRole', 'worker'))).not.toContain('delete resourcequotas');
    type Subjects = readonly { readonly kind: string; readonly namespace: string }[];
    for (const binding of [...of('RoleBinding'), ...of('ClusterRoleBinding')])
      for (const { kind, namespace } of binding.subjects as Subjects)
        expect([kind, namespace]).toEqual(['ServiceAccount', NAMESPACE]);
  });

  it('lets the server operate on everything, or on nothing, when told to', async () => {
    const roles = async (operations: string): Promise<readonly Manifest[]> =>
      (await renderChart(NAMESPACE, [`server.operations=${operations}`])).filter(({ metadata }) =>
        metadata.name.endsWith('-operations-server'),
      );
    expect(await roles('none')).toEqual([]);
    const [role, binding, ...more] = await roles('all');
    expect([binding?.kind, more]).toEqual(['ClusterRoleBinding', []]);
    const given = grants(role!);
    for (const grant of given) expect(grant).not.toMatch(/\*|secrets|configmaps|watch|rbac|impersonate/);
    for (const grant of ['create pods/exec', 'get pods/exec', 'list nodes', 'patch apps/statefulsets'])
      expect(given).toContain(grant);
    await expect(renderChart(NAMESPACE, ['server.operations=some'])).rejects.toThrow('operations');
  });

  it('keeps the server to the namespaces that are named, and lets it deploy there', async () => {
    const named = await renderChart(NAMESPACE, ['server.operations=all', 'config.operationNamespaces={shop,blog}']);
    const roles = named.filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name.endsWith('-server'));
    const of = (end: string): readonly Manifest[] => roles.filter(({ metadata }) => metadata.name.endsWith(end));
    const deploy = of('-deploy-server');
    expect(deploy.map(({ metadata }) => metadata.namespace)).toEqual(['shop', 'blog']);
    const wanted = DEPLOY_RULES.flatMap(({ group, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${join(group, resource)}`)),
    );
    for (const role of deploy) expect(grants(role)).toEqual([...wanted].sort());
    expect(grants(of('-operations-server')[0]!).filter((grant) => /^(create|patch|update|delete)/.test(grant))).toEqual(
      ['create pods/exec'],
    );
    expect(grants(of('-runs-server')[0]!)).toContain('update hakopod.io/clusterruns/status');
    const config = named.find(({ kind }) => kind === 'ConfigMap');
    expect(config?.data).toMatchObject({ HAKOPOD_OPERATION_NAMESPACES: 'shop,blog' });
    const everywhere = await renderChart(NAMESPACE, ['server.operations=all', 'config.operationNamespaces={*,shop}']);
    const all = everywhere.filter(({ metadata }) => /(operations|deploy)-server$/.test(metadata.name));
    expect(all.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
      ['ClusterRole', undefined],
      ['ClusterRoleBinding', undefined],
      ['Role', 'shop'],
      ['RoleBinding', 'shop'],
    ]);
    expect(grants(all[0]!)).toContain('delete apps/deployments');
  });

  it('asks kubelets only when told to', async () => {
    const asking = await renderChart(NAMESPACE, ['nodeStatistics=true']);
    const role = asking.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name.endsWith('-preflight'));
    expect(grants(role!)).toContain('get nodes/proxy');
  });

  it('lets the worker read every kind of resource there is, and change what is no business of people', () => {
    const given = grants(named('Role', 'worker'));
    const folder = join(CHART, 'crds');
    const plurals = readdirSync(folder).map(
      (name) => parse(readFileSync(join(folder, name), 'utf8')).spec.names.plural,
    );
    for (const plural of plurals) {
      // Runs are carried out where they are asked for.
      if (plural === 'clusterruns') {
        expect(given.filter((grant) => grant.includes(plural))).toEqual([]);
        continue;
      }
      expect(given).toContain(`list hakopod.io/${plural}`);
      const isPeoples = ['projects', 'identities', 'roles', 'settings', 'auditrecords'].includes(plural);
      if (!isPeoples) expect(given).toContain(`update hakopod.io/${plural}/status`);
      else if (plural !== 'auditrecords') expect(given).not.toContain(`update hakopod.io/${plural}`);
    }
    expect(given).not.toContain('update hakopod.io/auditrecords');
  });

  it.skipIf(kubeconfig === undefined)('makes pods that a namespace held to "restricted" admits', async () => {
    const connection = connectReal(kubeconfig!);
    const cluster: Cluster = createCluster(connection, { clock: realClock, log: memoryLog(), userAgent: 'test' });
    const name = `chart-${randomBytes(4).toString('hex')}`;
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const made = must(await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }));
    try {
      for (const object of await renderChart(name, VALUES)) must(await cluster.apply(object, { dryRun: true }));
      for (const deployment of of('Deployment')) {
        const { serviceAccountName: _, ...spec } = podOf(deployment) as Pod & { serviceAccountName: string };
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: deployment.metadata.name, namespace: name },
          spec,
        };
        // Admission alone is asked: as a bare pod, because a Deployment's pods are judged only when they are made.
        must(await cluster.apply(pod, { dryRun: true }));
        const open = { ...pod, spec: { ...spec, securityContext: {} } };
        expect(await cluster.apply(open, { dryRun: true })).toMatchObject({ ok: false });
      }
    } finally {
      await cluster.delete(
        { apiVersion: 'v1', kind: 'Namespace', name },
        { uid: made.metadata.uid!, propagation: 'Background' },
      );
      await connection.close();
    }
  });
});
