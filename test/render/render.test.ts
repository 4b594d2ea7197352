import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Manifest } from '../../src/kernel/index.ts';
import { allObjects, RENDERED_KINDS, type RenderInput, renderApplication } from '../../src/render/index.ts';
import { allowsPeer } from '../../src/spec/index.ts';
import { ID, inputFor, pinned, rendered, SHOP } from './fixture.ts';

const GOLDEN = join(import.meta.dirname, '../golden/render');

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seed));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, seed)] as const);
  const rank = (key: string): number => [...key].reduce((n, c) => (n * 31 + c.charCodeAt(0)) % 9973, seed);
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b)));
}

function find(kind: string, name: string, input = inputFor(SHOP)): Manifest {
  const found = allObjects(rendered(input)).find((o) => o.kind === kind && o.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind}/${name}`);
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
const spec = (manifest: Manifest): any => manifest.spec;

const refusalOf = (input: RenderInput): unknown => {
  const result = renderApplication(input);
  return result.ok ? undefined : { code: result.problem.code, at: result.problem.at };
};

describe('renderApplication', () => {
  it.each([
    ['shop', inputFor(SHOP)],
    ['shop-plain-http', inputFor(SHOP, { options: { ...inputFor(SHOP).options, tlsIssuer: undefined as never } })],
    ['empty', inputFor('schema_version = 1\nname = "shop"\n[services]\n')],
  ])('renders %s as recorded', async (name, input) => {
    const text = `${JSON.stringify(JSON.parse(canonicalJson(rendered(input))), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(GOLDEN, `${name}.json`));
  });

  it('gives the same bytes whatever the order of keys', () => {
    const input = inputFor(SHOP);
    const expected = JSON.stringify(allObjects(rendered(input)).map((o) => canonicalJson(o)));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9972 }), (seed) => {
        const other = shuffled(input, seed) as RenderInput;
        expect(JSON.stringify(allObjects(rendered(other)).map((o) => canonicalJson(o)))).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('refuses what can not run, naming the service', () => {
    const input = inputFor(SHOP);
    const { appDomain: _, ...noDomain } = input.options;
    expect(refusalOf({ ...input, options: noDomain })).toEqual({
      code: 'app_domain_required',
      at: 'services.web.public',
    });
    for (const image of ['registry.example.com/web:1', `${pinned('web')}x`, 'web@sha256:short']) {
      const images = { ...input.images, web: image };
      expect(refusalOf({ ...input, images })).toEqual({ code: 'invalid_image', at: 'services.web.image' });
    }
    const { db: _db, ...images } = input.images;
    expect(refusalOf({ ...input, images })).toEqual({ code: 'invalid_image', at: 'services.db.image' });
    const secrets = { ...input.secrets, api: { DATABASE_URL: 'eA==' } };
    expect(refusalOf({ ...input, secrets })).toEqual({ code: 'missing_secrets', at: 'services.api.secrets.SIGNING' });
  });

  it('renders a preview without digests and without secrets', () => {
    const input = { ...inputFor(SHOP), images: { web: 'registry.example.com/web:1' }, secrets: {}, preview: true };
    const objects = allObjects(rendered(input));
    expect(objects.some((o) => o.kind === 'Secret')).toBe(false);
    expect(objects.some((o) => o.kind === 'Deployment')).toBe(true);
  });

  it('marks every object as the application’s and as written by the release', () => {
    for (const object of allObjects(rendered())) {
      expect(object.metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'hakopod',
        'hakopod.io/application-id': ID,
      });
      expect(object.metadata.annotations?.['hakopod.io/operation']).toBe('acme.production.shop.3');
      expect(object.kind === 'Namespace' ? object.metadata.name : object.metadata.namespace).toBe(`hp-${ID}`);
      expect(RENDERED_KINDS.some((k) => k.kind === object.kind && k.apiVersion === object.apiVersion)).toBe(true);
    }
  });

  it('puts dependencies first', () => {
    const order = rendered().workloads.map((w) => w.service);
    expect(order.indexOf('db')).toBeLessThan(order.indexOf('migrate'));
    expect(order.indexOf('migrate')).toBeLessThan(order.indexOf('api'));
    expect(order.indexOf('api')).toBeLessThan(order.indexOf('web'));
  });
});

describe('workloads', () => {
  it('gives a service the time it asks for, in probes and progress deadline', () => {
    const db = spec(find('Deployment', 'db'));
    expect(db.progressDeadlineSeconds).toBe(601);
    expect(db.template.spec.containers[0].startupProbe.failureThreshold).toBe(301);
    const api = spec(find('Deployment', 'api'));
    expect(api.progressDeadlineSeconds).toBe(180);
    expect(api.template.spec.containers[0].startupProbe).toMatchObject({ failureThreshold: 90, periodSeconds: 2 });
  });

  it('probes HTTP when there is a health check, TCP otherwise, never liveness', () => {
    const container = (name: string) => spec(find('Deployment', name)).template.spec.containers[0];
    expect(container('web').readinessProbe.httpGet).toEqual({ path: '/healthz', port: 8080, scheme: 'HTTP' });
    expect(container('web').startupProbe.tcpSocket).toEqual({ port: 8080 });
    expect(container('api').readinessProbe.tcpSocket).toEqual({ port: 9000 });
    expect(container('worker')).not.toHaveProperty('readinessProbe');
    for (const name of ['web', 'api', 'worker', 'db']) expect(container(name)).not.toHaveProperty('livenessProbe');
  });

  it('confines every pod explicitly', () => {
    const templates = ['db', 'api', 'web', 'worker'].map((name) => spec(find('Deployment', name)).template.spec);
    for (const pod of [...templates, spec(find('Job', 'migrate-job')).template.spec]) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        hostNetwork: false,
        hostPID: false,
        hostIPC: false,
        initContainers: [],
        volumes: [],
        imagePullSecrets: [],
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 10001,
          fsGroup: 10001,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      expect(pod.containers).toHaveLength(1);
      expect(pod.containers[0]).toMatchObject({
        name: 'app',
        imagePullPolicy: 'IfNotPresent',
        envFrom: [],
        volumeMounts: [],
        securityContext: {
          privileged: false,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'], add: [] },
        },
      });
    }
  });

  it('lists a port two Service ports lead to once in the pod', () => {
    const api = spec(find('Deployment', 'api')).template.spec.containers[0];
    expect(api.ports.map((p: { name: string }) => p.name)).toEqual(['service', 'gossip']);
    expect(spec(find('Service', 'api')).ports).toHaveLength(3);
    expect(spec(find('Service', 'api'))).toMatchObject({ type: 'ClusterIP', externalIPs: [] });
  });

  it('renders a job with its deadline, retries and marks', () => {
    const job = find('Job', 'migrate-job');
    expect(spec(job)).toMatchObject({ completions: 1, parallelism: 1, backoffLimit: 1, activeDeadlineSeconds: 300 });
    expect(spec(job).template.spec.restartPolicy).toBe('Never');
    expect(job.metadata.annotations).toMatchObject({
      'hakopod.io/job-revision': '3',
      'hakopod.io/job-creation': 'c0ffee00c0ffee00',
    });
  });
});

describe('environment secrets', () => {
  const secretNames = (input: RenderInput): readonly (string | undefined)[] =>
    rendered(input).workloads.map((w) => w.secret?.metadata.name);

  it('are immutable snapshots whose name follows the values, and roll the pods', () => {
    const input = inputFor(SHOP);
    const changed = { ...input, secrets: { ...input.secrets, api: { ...input.secrets.api, SIGNING: 'bmV3' } } };
    const [before, after] = [find('Deployment', 'api', input), find('Deployment', 'api', changed)];
    expect(canonicalJson(spec(before).template)).not.toBe(canonicalJson(spec(after).template));
    const secret = rendered(input).workloads.find((w) => w.service === 'api')?.secret;
    expect(secret).toMatchObject({ immutable: true, type: 'Opaque' });
    expect(secret?.metadata.name).toMatch(/^api-environment-[0-9a-f]{16}$/);
    expect(rendered(changed).workloads.find((w) => w.service === 'db')?.secret).toBeUndefined();
  });

  it('take from the snapshot only what the service declares', () => {
    const input = inputFor(SHOP);
    const more = { ...input, secrets: { ...input.secrets, api: { ...input.secrets.api, OTHER: 'eA==' } } };
    expect(secretNames(more)).toEqual(secretNames(input));
    expect(canonicalJson(rendered(more))).not.toContain('OTHER');
  });

  it('have names that differ between applications, and between keys of the installation', () => {
    const input = inputFor(SHOP);
    const names = [
      input,
      { ...input, id: 'f'.repeat(32) },
      { ...input, snapshotKey: 'k1' },
      { ...input, snapshotKey: 'k2' },
    ];
    expect(new Set(names.map((i) => secretNames(i).join())).size).toBe(4);
  });

  it('are the only place where values stand', () => {
    const value = Buffer.from('canary-value').toString('base64');
    const secrets = { migrate: { DATABASE_URL: value }, api: { DATABASE_URL: value, SIGNING: value } };
    for (const object of allObjects(rendered(inputFor(SHOP, { secrets })))) {
      if (object.kind !== 'Secret') expect(canonicalJson(object)).not.toContain(value);
    }
  });
});

describe('network policies', () => {
  type Peer = { podSelector?: { matchLabels?: Record<string, string> }; ipBlock?: { cidr: string; except: string[] } };
  type Rule = { from?: Peer[]; to?: Peer[]; ports?: { protocol: string; port: number }[] };
  const rules = (service: string, direction: 'ingress' | 'egress'): Rule[] =>
    spec(find('NetworkPolicy', `hakopod-service-${service}`))[direction];
  const names = (peers: Peer[] | undefined): (string | undefined)[] =>
    (peers ?? []).map((p) => p.podSelector?.matchLabels?.['hakopod.io/service']);

  it('let exactly the peers through that share a network', () => {
    const { application } = inputFor(SHOP);
    const services = Object.keys(application.services);
    for (const to of services) {
      for (const from of services) {
        const listens = application.services[to]!.port !== 0;
        const allowed = listens && allowsPeer(application, from, to);
        expect(rules(to, 'ingress').some((r) => names(r.from).includes(from))).toBe(allowed);
        expect(rules(from, 'egress').some((r) => names(r.to).includes(to))).toBe(allowed);
      }
    }
  });

  it('open the internet only to members of a network that is not internal', () => {
    const internet = (service: string): boolean => rules(service, 'egress').some((r) => r.to?.some((p) => p.ipBlock));
    expect(['db', 'migrate', 'api', 'web', 'worker'].map(internet)).toEqual([false, false, true, true, true]);
    const block = rules('web', 'egress').at(-1)?.to?.[0]?.ipBlock;
    expect(block?.cidr).toBe('0.0.0.0/0');
    for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8']) {
      expect(block?.except).toContain(range);
    }
  });

  it('let the ingress controller reach public ports only', () => {
    const controller = (service: string): boolean =>
      JSON.stringify(rules(service, 'ingress')).includes('haproxy-controller');
    expect(['db', 'migrate', 'api', 'web', 'worker'].map(controller)).toEqual([false, false, false, true, false]);
  });

  it('deny everything else, said explicitly', () => {
    expect(spec(find('NetworkPolicy', 'hakopod-default-deny'))).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [],
    });
    expect(rules('worker', 'ingress')).toEqual([]);
  });
});

describe('namespace, budget and ingress', () => {
  it('holds the namespace to the restricted Pod Security standard', () => {
    expect(find('Namespace', `hp-${ID}`).metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'v1.35',
      'pod-security.kubernetes.io/warn': 'restricted',
    });
  });

  it('has the floor of the installation, and room for a reviewed application that needs more', () => {
    expect(spec(find('ResourceQuota', 'hakopod-budget')).hard).toMatchObject({
      'requests.cpu': '8',
      'limits.memory': '16Gi',
      pods: '64',
    });
    const big = 'schema_version = 1\nname = "shop"\n[services.a]\nimage = "a:1"\nsize = "compute"\nreplicas = 20\n';
    // 41 pods of 1200m and 4916Mi: 20 old ones, 20 new ones, one surge.
    expect(spec(find('ResourceQuota', 'hakopod-budget', inputFor(big))).hard).toMatchObject({
      'requests.cpu': '50',
      'limits.cpu': '197',
      'requests.memory': '99Gi',
      'limits.memory': '197Gi',
      pods: '64',
    });
  });

  it('gives a public service one generated host, over TLS when there is an issuer', () => {
    const web = find('Ingress', 'web');
    const host = 'web-0123456789ab.apps.example.com';
    expect(spec(web).rules.map((r: { host: string }) => r.host)).toEqual([host]);
    expect(spec(web).tls).toEqual([{ hosts: [host], secretName: 'hakopod-tls-web' }]);
    expect(web.metadata.annotations?.['cert-manager.io/cluster-issuer']).toBe('letsencrypt');
    expect(allObjects(rendered()).filter((o) => o.kind === 'Ingress')).toHaveLength(1);
    const { tlsIssuer: _, ...options } = inputFor(SHOP).options;
    const plain = find('Ingress', 'web', inputFor(SHOP, { options }));
    expect(spec(plain).tls).toEqual([]);
    expect(JSON.stringify(plain)).not.toContain('cert-manager');
  });
});
