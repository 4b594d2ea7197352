/** An object as a client sends it. */
export type Sent = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
};

const securityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
};

/** A pod template as Hakopod renders one, with every protected field set. */
function template(labels: Record<string, string>, more: object = {}): unknown {
  return {
    metadata: { labels, annotations: {} },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostNetwork: false,
      hostPID: false,
      initContainers: [],
      imagePullSecrets: [],
      hostAliases: [],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10001,
        fsGroup: 10001,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
        supplementalGroups: [],
      },
      containers: [
        {
          name: 'app',
          image: 'example.org/app@sha256:4be1ad94ee64a5b3b8d0ce8fa4de5dbd6e2a4c0a4b4d5b4a1f5e4f3c2b1a0f9e',
          command: [],
          env: [
            { name: 'A', value: '' },
            { name: 'B', value: 'b' },
            { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
          envFrom: [],
          ports: [
            { name: 'service', containerPort: 80 },
            { name: 'metrics', containerPort: 81, protocol: 'UDP' },
          ],
          resources: { limits: { cpu: '1', memory: '128Mi' }, requests: { cpu: '100m' } },
          readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 3, initialDelaySeconds: 0 },
          startupProbe: { tcpSocket: { port: 80 }, failureThreshold: 90 },
          securityContext,
          volumeMounts: [
            { name: 'tmp', mountPath: '/tmp', readOnly: false },
            { name: 'file', mountPath: '/etc/x', subPath: 'file', readOnly: true },
          ],
          stdin: false,
          tty: false,
        },
      ],
      volumes: [
        { name: 'tmp', emptyDir: { sizeLimit: '16Mi' } },
        { name: 'file', configMap: { name: 'files', items: [{ key: 'a', path: 'file', mode: 420 }] } },
        { name: 'secret', secret: { secretName: 's' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'none' },
      ],
      ...more,
    },
  };
}

const labels = { app: 'web' };
export const OBJECTS: readonly Sent[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: template(labels),
      strategy: { type: 'Recreate' },
      minReadySeconds: 2,
      paused: false,
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'plain' },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'x' }] } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: {
      selector: labels,
      ports: [
        { name: 'http', port: 80 },
        { name: 'x', port: 81, targetPort: 'x', protocol: 'UDP' },
      ],
      externalIPs: [],
      publishNotReadyAddresses: false,
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'headless' },
    spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'once' },
    spec: {
      suspend: true,
      completions: 1,
      parallelism: 1,
      backoffLimit: 0,
      activeDeadlineSeconds: 60,
      template: template({}, { restartPolicy: 'Never' }),
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: {
      schedule: '0 3 * * *',
      timeZone: 'Etc/UTC',
      suspend: true,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 60,
      jobTemplate: { spec: { template: template({}, { restartPolicy: 'Never' }) } },
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'deny' },
    spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [] },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'web' },
    spec: {
      podSelector: { matchLabels: labels },
      ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b' } } }], ports: [{ port: 80 }] }, {}],
      egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }], ports: [] }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', annotations: {} },
    spec: {
      ingressClassName: 'haproxy',
      tls: [],
      rules: [
        {
          host: 'a.example.org',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'budget' },
    spec: { hard: { pods: '64', 'requests.cpu': '8', 'limits.memory': '16Gi' } },
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { k: 'v' }, data: { z: 'eg==' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'files', labels: {} }, immutable: true, data: { a: 'b' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'empty' }, data: {} },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner' }, automountServiceAccountToken: false },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 },
  },
];
