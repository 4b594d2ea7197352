import { describe, expect, it } from 'vitest';
import { protect } from '../../src/patch/protect.ts';
import type { PatchKind } from '../../src/patch/types.ts';
import { ANNOTATIONS, LABELS } from '../../src/render/index.ts';
import { add, base, type Case, drop, POD_APP, put, refusedFields } from './protect-fixture.ts';

/** Where labels and annotations are, by kind. */
const PLACES: readonly (readonly [PatchKind, readonly string[]])[] = [
  ['deployment', ['metadata']],
  ['deployment', ['spec', 'template', 'metadata']],
  ['service', ['metadata']],
];
const REFUSED_KEYS = [
  'hakopod',
  'hakopod.io/x',
  'x.HAKOPOD.io/y',
  'example.com/my-hakopod-key',
  'kubernetes.io/x',
  'k8s.io/x',
  'networking.k8s.io/x',
  'container.apparmor.security.beta.kubernetes.io/app',
  'Deployment.Kubernetes.IO/revision',
  'kubectl.kubernetes.io/restartedAt',
  'app.kubernetes.io/managed-by-me',
  'sub.app.kubernetes.io/name',
];
const FREE_KEYS = [
  'team',
  'example.com/team',
  'prometheus.io/scrape',
  'sidecar.istio.io/inject',
  'notkubernetes.io/x',
  'kubernetes.io.example.com/x',
];

describe.each(PLACES)('protect: keys of %s at %j', (kind, place) => {
  const path = place.join('.');
  const tried = (map: string, key: string): readonly string[] =>
    refusedFields(kind, base(kind), put([...place, map, key], 'x'));

  it.each(REFUSED_KEYS)('refuses %s', (key) => {
    expect(tried('labels', key)).toEqual([`${path}.labels[${key}]`]);
    expect(tried('annotations', key)).toEqual([`${path}.annotations[${key}]`]);
  });
  it.each(FREE_KEYS)('allows %s', (key) => {
    expect([...tried('labels', key), ...tried('annotations', key)]).toEqual([]);
  });
  it.each(['name', 'instance', 'version', 'component', 'part-of'])('allows the recommended label %s', (name) => {
    expect(tried('labels', `app.kubernetes.io/${name}`)).toEqual([]);
    expect(tried('annotations', `app.kubernetes.io/${name}`)).toEqual([
      `${path}.annotations[app.kubernetes.io/${name}]`,
    ]);
  });
  it.each(Object.keys(base(kind).metadata.labels))('keeps the label %s', (key) => {
    expect(tried('labels', key)).toEqual([`${path}.labels[${key}]`]);
    expect(refusedFields(kind, base(kind), drop([...place, 'labels', key]))).toEqual([`${path}.labels[${key}]`]);
  });
  it.each(['name', 'namespace', 'generateName', 'ownerReferences', 'finalizers', 'uid', 'later'])(
    'keeps %s',
    (field) => {
      expect(refusedFields(kind, base(kind), put([...place, field], ['x']))).toEqual([`${path}.${field}`]);
    },
  );
  it('refuses labels and annotations of another type', () => {
    expect(refusedFields(kind, base(kind), put([...place, 'labels'], 'x'))).toEqual([`${path}.labels`]);
    expect(refusedFields(kind, base(kind), put([...place, 'annotations'], ['x']))).toEqual([`${path}.annotations`]);
  });
});

describe('protect: membership of networks', () => {
  const labels = ['spec', 'template', 'metadata', 'labels'];
  it.each([`hakopod.io/net-other`, `hakopod.io/shared-0123`, 'acme.cert-manager.io/http01-solver', LABELS.service])(
    'does not let a pod have %s',
    (key) => {
      const refused = refusedFields('deployment', base('deployment'), put([...labels, key], 'true'));
      expect(refused).toEqual([`spec.template.metadata.labels[${key}]`]);
    },
  );
});

describe('protect: how a pod is connected and confined', () => {
  const annotations = ['spec', 'template', 'metadata', 'annotations'];
  it.each([
    'k8s.v1.cni.cncf.io/networks',
    'cni.projectcalico.org/ipAddrs',
    'CNI.cilium.io/x',
    'io.kubernetes.cri-o.Devices',
    'io.kubernetes.cri-o.userns-mode',
    'io.kubernetes.cri-o.seccompNotifierAction/app',
    'v1.multus-cni.io/default-network',
    'k8s.ovn.org/pod-networks',
    'io.katacontainers.config.hypervisor.path',
    'io.containerd.runtime',
    'devices.nri.io/container.app',
    'run.oci.handler',
    'org.systemd.property.CPUQuotaPerSecUSec',
  ])('does not let an annotation of the pod be %s', (key) => {
    const refused = refusedFields('deployment', base('deployment'), put([...annotations, key], 'x'));
    expect(refused).toEqual([`spec.template.metadata.annotations[${key}]`]);
    expect(refusedFields('deployment', base('deployment'), put(['metadata', 'annotations', key], 'x'))).toEqual([]);
  });
});

const SERVICE: readonly Case[] = [
  ['a port', add('spec.ports', { name: 'x', port: 81, targetPort: 'main', appProtocol: 'kubernetes.io/h2c' }), []],
  ['53 in a second protocol', add('spec.ports', { name: 'x', port: 9000, protocol: 'UDP' }), []],
  ['a port on the node', add('spec.ports', { name: 'x', port: 81, nodePort: 30000 }), ['spec.ports[x].nodePort']],
  ['a later field', add('spec.ports', { name: 'x', port: 81, later: 1 }), ['spec.ports[x].later']],
  ['the same port twice', add('spec.ports', { name: 'x', port: 9000 }), ['spec.ports[x]']],
  ['a port without a number', add('spec.ports', { name: 'x' }), ['spec.ports[x]']],
  ['ours to elsewhere', put('spec.ports.0.targetPort', 1), ['spec.ports[service]']],
  ['ours in another protocol', put('spec.ports.0.protocol', 'UDP'), ['spec.ports[service]']],
  ['ours on the node', put('spec.ports.0.nodePort', 30000), ['spec.ports[service]']],
  ['ours renamed', put('spec.ports.0.name', 'x'), ['spec.ports[service]']],
  ['ours removed', drop('spec.ports.1'), ['spec.ports[admin]']],
  ['sessionAffinity', put('spec.sessionAffinity', 'ClientIP'), []],
  ['its configuration', put('spec.sessionAffinityConfig', { clientIP: { timeoutSeconds: 9 } }), []],
  ['publishNotReadyAddresses', put('spec.publishNotReadyAddresses', true), []],
  ['internalTrafficPolicy', put('spec.internalTrafficPolicy', 'Local'), []],
  ['trafficDistribution', put('spec.trafficDistribution', 'PreferClose'), []],
  ...Object.entries({
    type: 'LoadBalancer',
    selector: { app: 'other' },
    clusterIP: 'None',
    clusterIPs: ['None'],
    externalIPs: ['192.0.2.1'],
    externalName: 'example.com',
    externalTrafficPolicy: 'Local',
    loadBalancerIP: '192.0.2.1',
    loadBalancerClass: 'x',
    loadBalancerSourceRanges: ['0.0.0.0/0'],
    allocateLoadBalancerNodePorts: true,
    healthCheckNodePort: 30000,
    ipFamilies: ['IPv6'],
    ipFamilyPolicy: 'PreferDualStack',
    later: 'x',
  }).map(([field, value]): Case => [field, put(`spec.${field}`, value), [`spec.${field}`]]),
  ['no external addresses', put('spec.externalIPs', null), []],
];

describe('protect: a Service', () => {
  it.each(SERVICE)('%s', (_name, change, refused) => {
    expect(refusedFields('service', base('service'), change)).toEqual(refused);
  });
});

const DENIED = [
  'backend-config-snippet',
  'frontend-config-snippet',
  'anything-Snippet',
  'cr-backend',
  'CR-global',
  'auth-type',
  'auth-secret',
  'auth-realm',
  'server-ca',
  'server-crt',
  'client-ca',
  'client-crt-optional',
  'ssl-certificate',
  'ssl-passthrough',
  'src-ip-header',
  'route-acl',
  'path-rewrite',
  'set-host',
  'standalone-backend',
  'ingress.class',
];

describe('protect: an Ingress', () => {
  const change = (key: string, value: unknown = 'x'): readonly string[] =>
    refusedFields('ingress', base('ingress'), put(['metadata', 'annotations', key], value));

  it.each(['load-balance', 'timeout-server', 'ssl-redirect', 'check', 'rate-limit-requests', 'snippet-of-mine', 'crx'])(
    'allows haproxy.org/%s',
    (name) => {
      expect(change(`haproxy.org/${name}`)).toEqual([]);
    },
  );
  it.each(DENIED)('refuses haproxy.org/%s, and the name in any namespace on a Service', (name) => {
    expect(change(`haproxy.org/${name}`)).toEqual([`metadata.annotations[haproxy.org/${name}]`]);
    for (const key of [`haproxy.org/${name}`, `example.com/${name}`, name]) {
      const refused = refusedFields('service', base('service'), put(['metadata', 'annotations', key], 'x'));
      expect(refused).toEqual([`metadata.annotations[${key}]`]);
    }
  });
  it.each([
    'team',
    'cert-manager.io/cluster-issuer',
    'cert-manager.io/duration',
    'HAPROXY.org/check',
    'haproxy.org.example.com/check',
    'haproxy.com/check',
    'haproxy.org',
    'haproxy-ingress.github.io/timeout',
    'nginx.ingress.kubernetes.io/x',
    'haproxy.org/hakopod',
    ANNOTATIONS.operation,
  ])('refuses %s', (key) => {
    expect(change(key)).toEqual([`metadata.annotations[${key}]`]);
  });
  it('refuses a second line where the controller would write it into the configuration of HAProxy', () => {
    const lines = '.*\n  http-request set-var(txn.x) str(y)';
    const serviceWith = (key: string) =>
      refusedFields('service', base('service'), put(['metadata', 'annotations', key], lines));
    for (const name of ['cors-allow-origin', 'request-redirect', 'load-balance', 'ssl-redirect', 'of-a-later-version'])
      expect(change(`haproxy.org/${name}`, lines)).toEqual([`metadata.annotations[haproxy.org/${name}]`]);
    expect(change('haproxy.org/request-redirect', 'a\rb')).not.toEqual([]);
    for (const name of ['request-set-header', 'response-set-header', 'request-capture'])
      expect(change(`haproxy.org/${name}`, 'X-A 1\nX-B 2')).toEqual([]);
    for (const key of ['haproxy.org/load-balance', 'example.com/check-http', 'cookie-persistence'])
      expect(serviceWith(key)).toEqual([`metadata.annotations[${key}]`]);
    expect(serviceWith('example.com/notes')).toEqual([]);
  });
  it('keeps the annotations Hakopod sets, though a value under haproxy.org/ may change', () => {
    for (const key of Object.keys(base('ingress').metadata.annotations)) expect(change(key, null)).not.toEqual([]);
    expect(change('haproxy.org/ssl-redirect', 'false')).toEqual([]);
  });
  it.each([
    ['labels', put('metadata.labels.team', 'x'), 'metadata.labels'],
    ['the class', put('spec.ingressClassName', 'x'), 'spec'],
    ['a host', add('spec.rules', { host: 'x.example.com' }), 'spec'],
    ['a path', add('spec.rules.0.http.paths', { path: '/x' }), 'spec'],
    ['a backend', put('spec.rules.0.http.paths.0.backend.service.name', 'x'), 'spec'],
    ['the default backend', put('spec.defaultBackend', { service: { name: 'x' } }), 'spec'],
    ['TLS', put('spec.tls', []), 'spec'],
    ['a later field', put('spec.later', 'x'), 'spec'],
    ['the name', put('metadata.name', 'x'), 'metadata.name'],
    ['status', put('status', { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }), 'status'],
  ] as const)('keeps %s', (_name, made, field) => {
    expect(refusedFields('ingress', base('ingress'), made)).toEqual([field]);
  });
});

describe('protect: what it says', () => {
  it('names the object, the field and what to use, and no value', () => {
    const before = base('deployment');
    const after = structuredClone(before);
    put(`${POD_APP}.image`, 'a-secret-thing')(after);
    put('spec.replicas', 77)(after);
    const problems = protect('deployment', before, after);
    expect(problems.map(({ code, kind, message }) => ({ code, kind, message }))).toEqual([
      {
        code: 'protected_field',
        kind: 'rejected',
        message:
          'the patch may not change Deployment spec.replicas: use replicas, autoscaling and update_strategy in TOML',
      },
      {
        code: 'protected_field',
        kind: 'rejected',
        message:
          'the patch may not change Deployment spec.template.spec.containers[app].image: use image or build in TOML; the release resolves it to a digest',
      },
    ]);
    expect(JSON.stringify(problems)).not.toMatch(/a-secret-thing|77/);
  });
  it('says nothing of an object that did not change', () => {
    for (const kind of ['deployment', 'service', 'ingress'] as const) {
      expect(protect(kind, base(kind), base(kind))).toEqual([]);
    }
  });
});
