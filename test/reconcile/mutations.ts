import type { Manifest } from '../../src/kernel/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: a stranger's hand knows no types
type Loose = any;

/** One thing a stranger does to a live object, and what we must do about it. */
export type Mutation = {
  readonly title: string;
  /** `Kind/name` of the object of the rendered shop. */
  readonly object: string;
  readonly change: (live: Loose) => void;
  readonly expect: 'apply' | 'replace';
};

const app = (live: Loose): Loose => live.spec.template.spec.containers[0];
const pod = (live: Loose): Loose => live.spec.template.spec;

function deployment(title: string, expect: Mutation['expect'], change: Mutation['change']): Mutation {
  return { title, object: 'Deployment/api', expect, change };
}
function on(object: string, title: string, rest: Pick<Mutation, 'expect' | 'change'>): Mutation {
  return { title, object, ...rest };
}

const BUSYBOX = 'registry.example.com/busybox:1';

/** What DESIGN 7 and the measured list call protected places: each is detected and put right. */
export const MUTATIONS: readonly Mutation[] = [
  deployment('an extra container', 'replace', (live) => pod(live).containers.push({ name: 'miner', image: BUSYBOX })),
  deployment('an init container', 'replace', (live) => (pod(live).initContainers = [{ name: 'init', image: BUSYBOX }])),
  deployment('an environment variable', 'replace', (live) =>
    app(live).env.push({ name: 'LD_PRELOAD', value: '/x.so' }),
  ),
  deployment('a changed environment variable', 'apply', (live) => (app(live).env[1].value = 'debug')),
  deployment('a removed environment variable', 'apply', (live) => app(live).env.splice(1, 1)),
  deployment('environment in another order', 'replace', (live) => app(live).env.reverse()),
  deployment('envFrom a secret', 'replace', (live) => (app(live).envFrom = [{ secretRef: { name: 'other' } }])),
  deployment('a hostPath volume', 'replace', (live) => {
    pod(live).volumes = [{ name: 'root', hostPath: { path: '/' } }];
    app(live).volumeMounts = [{ name: 'root', mountPath: '/host' }];
  }),
  deployment('privileged', 'apply', (live) => {
    app(live).securityContext.privileged = true;
    app(live).securityContext.allowPrivilegeEscalation = true;
  }),
  deployment('hostNetwork', 'replace', (live) => {
    pod(live).hostNetwork = true;
    for (const port of app(live).ports) port.hostPort = port.containerPort;
  }),
  deployment('hostPID', 'replace', (live) => (pod(live).hostPID = true)),
  deployment('hostIPC', 'replace', (live) => (pod(live).hostIPC = true)),
  deployment('an added capability', 'replace', (live) => (app(live).securityContext.capabilities.add = ['SYS_ADMIN'])),
  deployment('dropped capabilities kept', 'apply', (live) => delete app(live).securityContext.capabilities.drop),
  deployment('another user in the container', 'replace', (live) => (app(live).securityContext.runAsUser = 0)),
  deployment('another user in the pod', 'apply', (live) => (pod(live).securityContext.runAsUser = 0)),
  deployment('no seccomp', 'apply', (live) => (pod(live).securityContext.seccompProfile = { type: 'Unconfined' })),
  deployment('runAsNonRoot removed', 'apply', (live) => delete pod(live).securityContext.runAsNonRoot),
  deployment('supplemental groups', 'replace', (live) => (pod(live).securityContext.supplementalGroups = [0])),
  deployment(
    'a sysctl',
    'replace',
    (live) => (pod(live).securityContext.sysctls = [{ name: 'net.ipv4.ip_forward', value: '1' }]),
  ),
  deployment('another service account', 'apply', (live) => {
    pod(live).serviceAccountName = 'admin';
    pod(live).serviceAccount = 'admin';
  }),
  deployment('a service account token', 'apply', (live) => (pod(live).automountServiceAccountToken = true)),
  deployment('the token switch removed', 'apply', (live) => delete pod(live).automountServiceAccountToken),
  deployment(
    'a label on the pods',
    'replace',
    (live) => (live.spec.template.metadata.labels['hakopod.io/net-other'] = 'true'),
  ),
  deployment('a plain label on the pods', 'replace', (live) => (live.spec.template.metadata.labels.team = 'red')),
  deployment('a label with a name every object has', 'replace', (live) => {
    live.spec.template.metadata.labels.constructor = 'x';
  }),
  deployment(
    'a removed label on the pods',
    'apply',
    (live) => delete live.spec.template.metadata.labels['hakopod.io/net-back'],
  ),
  deployment('an AppArmor annotation on the pods', 'replace', (live) => {
    live.spec.template.metadata.annotations = { 'container.apparmor.security.beta.kubernetes.io/app': 'unconfined' };
  }),
  deployment('another image', 'apply', (live) => (app(live).image = BUSYBOX)),
  deployment('a command', 'replace', (live) => (app(live).command = ['/bin/sh'])),
  deployment('arguments', 'replace', (live) => (app(live).args = ['-c', 'x'])),
  deployment('a host port', 'replace', (live) => (app(live).ports[0].hostPort = 9000)),
  deployment('another port', 'replace', (live) =>
    app(live).ports.push({ name: 'more', containerPort: 22, protocol: 'TCP' }),
  ),
  deployment('a toleration', 'replace', (live) => (pod(live).tolerations = [{ operator: 'Exists' }])),
  deployment('a node selector', 'replace', (live) => (pod(live).nodeSelector = { pool: 'x' })),
  deployment('a node name', 'replace', (live) => (pod(live).nodeName = 'control-plane')),
  deployment('affinity', 'replace', (live) => {
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { a: 'b' } } };
    pod(live).affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  }),
  deployment('pull secrets', 'replace', (live) => (pod(live).imagePullSecrets = [{ name: 'stolen' }])),
  deployment('a liveness probe', 'replace', (live) => (app(live).livenessProbe = { exec: { command: ['/bin/x'] } })),
  deployment('another readiness probe', 'replace', (live) => {
    app(live).readinessProbe = { ...app(live).readinessProbe, tcpSocket: { port: 9000, host: '169.254.169.254' } };
  }),
  deployment('a removed readiness probe', 'apply', (live) => delete app(live).readinessProbe),
  deployment(
    'a lifecycle hook',
    'replace',
    (live) => (app(live).lifecycle = { postStart: { exec: { command: ['/x'] } } }),
  ),
  deployment('a runtime class', 'replace', (live) => (pod(live).runtimeClassName = 'insecure')),
  deployment('host aliases', 'replace', (live) => (pod(live).hostAliases = [{ ip: '10.0.0.1', hostnames: ['db'] }])),
  deployment('a shared process namespace', 'apply', (live) => (pod(live).shareProcessNamespace = true)),
  deployment('another DNS', 'replace', (live) => {
    pod(live).dnsPolicy = 'None';
    pod(live).dnsConfig = { nameservers: ['10.0.0.1'] };
  }),
  deployment('a terminal', 'replace', (live) => {
    app(live).stdin = true;
    app(live).tty = true;
  }),
  deployment('higher limits', 'apply', (live) => (app(live).resources.limits.memory = '8Gi')),
  deployment('an extra resource', 'replace', (live) => {
    app(live).resources.limits['example.com/gpu'] = '1';
    app(live).resources.requests['example.com/gpu'] = '1';
  }),
  deployment('replicas', 'apply', (live) => (live.spec.replicas = 9)),
  deployment('paused', 'replace', (live) => (live.spec.paused = true)),
  deployment('another strategy', 'apply', (live) => (live.spec.strategy = { type: 'Recreate' })),
  deployment('an owner', 'replace', (live) => {
    live.metadata.ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '0b6d5e0c-0000-4000-8000-000000000000' },
    ];
  }),
  deployment('a mark of ours', 'replace', (live) => (live.metadata.annotations['hakopod.io/other'] = 'x')),

  on('Service/api', 'an extra port', {
    expect: 'replace',
    change: (live) => live.spec.ports.push({ name: 'ssh', port: 22, targetPort: 22, protocol: 'TCP' }),
  }),
  on('Service/api', 'external addresses', {
    expect: 'replace',
    change: (live) => (live.spec.externalIPs = ['198.51.100.7']),
  }),
  on('Service/api', 'a node port', {
    expect: 'replace',
    change: (live) => Object.assign(live.spec, { type: 'NodePort', externalTrafficPolicy: 'Cluster' }),
  }),
  on('Service/api', 'another selector', {
    expect: 'apply',
    change: (live) => (live.spec.selector['hakopod.io/service'] = 'web'),
  }),
  on('Service/api', 'a wider selector', {
    expect: 'apply',
    change: (live) => delete live.spec.selector['hakopod.io/service'],
  }),
  on('Service/api', 'another target', { expect: 'apply', change: (live) => (live.spec.ports[0].targetPort = 22) }),
  on('Service/api', 'unready addresses', {
    expect: 'replace',
    change: (live) => (live.spec.publishNotReadyAddresses = true),
  }),
  on('Service/api', 'an annotation the ingress controller reads', {
    expect: 'replace',
    change: (live) => (live.metadata.annotations['haproxy.org/backend-config-snippet'] = 'x'),
  }),

  on('HorizontalPodAutoscaler/front', 'another bound', {
    expect: 'apply',
    change: (live) => (live.spec.maxReplicas = 50),
  }),
  on('HorizontalPodAutoscaler/front', 'another target', {
    expect: 'apply',
    change: (live) => (live.spec.scaleTargetRef.name = 'pg'),
  }),
  on('HorizontalPodAutoscaler/front', 'another pace', {
    expect: 'apply',
    change: (live) => (live.spec.behavior.scaleUp.policies = [{ type: 'Pods', value: 50, periodSeconds: 1 }]),
  }),
  on('HorizontalPodAutoscaler/front', 'another metric', {
    expect: 'replace',
    change: (live) =>
      live.spec.metrics.push({
        type: 'Resource',
        resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 1 } },
      }),
  }),
  on('CronJob/nightly-cron', 'another schedule', {
    expect: 'apply',
    change: (live) => (live.spec.schedule = '* * * * *'),
  }),
  on('CronJob/nightly-cron', 'suspended', { expect: 'apply', change: (live) => (live.spec.suspend = true) }),
  on('CronJob/nightly-cron', 'more at once', {
    expect: 'apply',
    change: (live) => (live.spec.concurrencyPolicy = 'Allow'),
  }),
  on('CronJob/nightly-cron', 'a privileged container', {
    expect: 'apply',
    change: (live) => {
      const { securityContext } = live.spec.jobTemplate.spec.template.spec.containers[0];
      Object.assign(securityContext, { privileged: true, allowPrivilegeEscalation: true });
    },
  }),
  on('CronJob/nightly-cron', 'another container', {
    expect: 'replace',
    change: (live) => live.spec.jobTemplate.spec.template.spec.containers.push({ name: 'miner', image: BUSYBOX }),
  }),
  on('CronJob/nightly-cron', 'a volume of the host', {
    expect: 'replace',
    change: (live) => (live.spec.jobTemplate.spec.template.spec.volumes = [{ name: 'x', hostPath: { path: '/' } }]),
  }),
  on('PersistentVolumeClaim/hakopod-volume-media', 'a mark less', {
    expect: 'apply',
    change: (live) => delete live.metadata.annotations['hakopod.io/retain-data'],
  }),
  on('PersistentVolumeClaim/hakopod-volume-media', 'a mark of ours', {
    expect: 'replace',
    change: (live) => (live.metadata.annotations['hakopod.io/other'] = 'x'),
  }),

  on('NetworkPolicy/hakopod-default-deny', 'open egress', {
    expect: 'replace',
    change: (live) => (live.spec.egress = [{}]),
  }),
  on('NetworkPolicy/hakopod-default-deny', 'open ingress', {
    expect: 'replace',
    change: (live) => (live.spec.ingress = [{}]),
  }),
  on('NetworkPolicy/hakopod-default-deny', 'one direction only', {
    expect: 'apply',
    change: (live) => (live.spec.policyTypes = ['Ingress']),
  }),
  on('NetworkPolicy/hakopod-default-deny', 'fewer pods', {
    expect: 'replace',
    change: (live) => (live.spec.podSelector = { matchLabels: { a: 'b' } }),
  }),
  on('NetworkPolicy/hakopod-service-db', 'another peer', {
    expect: 'replace',
    change: (live) => live.spec.ingress[0].from.push({ podSelector: {} }),
  }),
  on('NetworkPolicy/hakopod-service-db', 'peers of every namespace', {
    expect: 'replace',
    change: (live) => (live.spec.ingress[0].from = [{ namespaceSelector: {} }]),
  }),
  on('NetworkPolicy/hakopod-service-db', 'any peer', {
    expect: 'apply',
    change: (live) => delete live.spec.ingress[0].from,
  }),
  on('NetworkPolicy/hakopod-service-api', 'private addresses', {
    expect: 'apply',
    change: (live) => delete live.spec.egress.at(-1).to[0].ipBlock.except,
  }),

  on('Ingress/web', 'another host', {
    expect: 'replace',
    change: (live) => live.spec.rules.push({ ...live.spec.rules[0], host: 'evil.example.com' }),
  }),
  on('Ingress/web', 'another backend', {
    expect: 'apply',
    change: (live) => (live.spec.rules[0].http.paths[0].backend.service.name = 'api'),
  }),
  on('Ingress/web', 'a default backend', {
    expect: 'replace',
    change: (live) => (live.spec.defaultBackend = { service: { name: 'api', port: { number: 9000 } } }),
  }),
  on('Ingress/web', 'an injected snippet', {
    expect: 'replace',
    change: (live) => (live.metadata.annotations['haproxy.org/backend-config-snippet'] = 'x'),
  }),
  on('Ingress/web', 'TLS removed', { expect: 'apply', change: (live) => delete live.spec.tls }),
  on('Ingress/web', 'another issuer', {
    expect: 'apply',
    change: (live) => (live.metadata.annotations['cert-manager.io/cluster-issuer'] = 'x'),
  }),

  on('ResourceQuota/hakopod-budget', 'a bigger budget', {
    expect: 'apply',
    change: (live) => (live.spec.hard['limits.cpu'] = '1k'),
  }),
  on('ResourceQuota/hakopod-budget', 'another budget', {
    expect: 'replace',
    change: (live) => (live.spec.hard.secrets = '0'),
  }),
  on('Namespace/hp-0123456789abcdef0123456789abcdef', 'no Pod Security', {
    expect: 'apply',
    change: (live) => (live.metadata.labels['pod-security.kubernetes.io/enforce'] = 'privileged'),
  }),
];

/** What may stay: nothing is written for these. */
export const HARMLESS: readonly Omit<Mutation, 'expect'>[] = [
  {
    title: 'a restart by hand',
    object: 'Deployment/api',
    change: (live) =>
      (live.spec.template.metadata.annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' }),
  },
  {
    title: "the controller's revision",
    object: 'Deployment/api',
    change: (live) => (live.metadata.annotations['deployment.kubernetes.io/revision'] = '4'),
  },
  { title: 'a label for people', object: 'Deployment/api', change: (live) => (live.metadata.labels.team = 'red') },
  { title: 'a finalizer', object: 'Service/api', change: (live) => (live.metadata.finalizers = ['example.com/wait']) },
  {
    title: 'an earlier release as the last writer',
    object: 'Service/api',
    change: (live) => (live.metadata.annotations['hakopod.io/operation'] = 'acme.production.shop.1'),
  },
  {
    title: 'another spelling of a quantity',
    object: 'ResourceQuota/hakopod-budget',
    change: (live) => (live.spec.hard['limits.cpu'] = '16000m'),
  },
  {
    title: 'status',
    object: 'Service/api',
    change: (live) => (live.status = { loadBalancer: { ingress: [{ ip: '198.51.100.7' }] } }),
  },
  {
    title: 'a label of the namespace',
    object: 'Namespace/hp-0123456789abcdef0123456789abcdef',
    change: (live) => (live.metadata.labels.team = 'red'),
  },
];

/** A changed copy. */
export function mutated(live: Manifest, mutation: Pick<Mutation, 'change'>): Manifest {
  const copy = structuredClone(live);
  mutation.change(copy);
  return copy;
}
