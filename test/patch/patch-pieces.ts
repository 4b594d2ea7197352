import type { Fields, PatchKind } from '../../src/patch/index.ts';

function pod(spec: Fields): Fields {
  return { spec: { template: { spec } } };
}

function app(fields: Fields): Fields {
  return pod({ containers: [{ name: 'app', ...fields }] });
}

const VOLUME = { name: 'mine', emptyDir: {} };
const REF = { secretKeyRef: { name: 'other', key: 'x' } };

/** Such patches as the page allows. */
export const FRIENDLY: Readonly<Record<PatchKind, readonly Fields[]>> = {
  deployment: [
    { metadata: { labels: { team: 'blue', 'app.kubernetes.io/version': '1' } } },
    { metadata: { annotations: { 'example.com/x': 'y' } } },
    { spec: { template: { metadata: { annotations: { 'prometheus.io/scrape': 'true' } } } } },
    { spec: { template: { metadata: { labels: { team: 'blue' } } } } },
    pod({ tolerations: [{ key: 'dedicated', operator: 'Exists' }] }),
    pod({ nodeSelector: { pool: 'fast' } }),
    pod({ affinity: { podAntiAffinity: {} } }),
    pod({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] }),
    pod({ priorityClassName: 'batch', terminationGracePeriodSeconds: 60, enableServiceLinks: true }),
    pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['10.0.0.10'] } }),
    pod({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }], readinessGates: [{ conditionType: 'example.com/x' }] }),
    {
      spec: {
        template: {
          spec: {
            volumes: [VOLUME],
            containers: [{ name: 'app', volumeMounts: [{ name: 'mine', mountPath: '/mine' }] }],
          },
        },
      },
    },
    pod({
      volumes: [{ name: 'info', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } }],
    }),
    app({
      env: [
        { name: 'NEW', value: 'x' },
        { name: 'LOG_LEVEL', value: 'debug' },
      ],
    }),
    app({ env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    app({ resources: { limits: { cpu: '2', memory: '2Gi' }, requests: { 'ephemeral-storage': '64Mi' } } }),
    app({ livenessProbe: { httpGet: { path: '/livez', port: 8080 }, periodSeconds: 10 } }),
    app({ startupProbe: null, readinessProbe: { tcpSocket: { port: 9000 } } }),
    app({ lifecycle: { preStop: { sleep: { seconds: 5 } } } }),
    app({ ports: [{ name: 'metrics', containerPort: 9500 }] }),
    app({ terminationMessagePath: '/dev/why', terminationMessagePolicy: 'File' }),
    app({ volumeMounts: [] }),
    { spec: { replicas: 2 } },
  ],
  service: [
    { metadata: { labels: { team: 'blue' }, annotations: { 'example.com/x': 'y', 'haproxy.org/check': 'true' } } },
    { spec: { ports: [{ name: 'extra', port: 81 }] } },
    { spec: { ports: [{ name: 'udp', port: 82, protocol: 'UDP', targetPort: 'metrics' }] } },
    { spec: { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 9 } } } },
    { spec: { publishNotReadyAddresses: true, internalTrafficPolicy: 'Local', trafficDistribution: 'PreferClose' } },
    { spec: { type: 'ClusterIP' } },
  ],
  ingress: [
    { metadata: { annotations: { 'haproxy.org/load-balance': 'leastconn', 'haproxy.org/timeout-server': '120s' } } },
    { metadata: { annotations: { 'haproxy.org/ssl-redirect': 'false' } } },
    { metadata: { annotations: { 'haproxy.org/check': 'true' } } },
  ],
};

/** Such as nobody may. */
export const HOSTILE: Readonly<Record<PatchKind, readonly Fields[]>> = {
  deployment: [
    { metadata: { labels: { 'hakopod.io/service': 'other' } } },
    { metadata: { annotations: { 'deployment.kubernetes.io/revision': '9' } } },
    { metadata: { $patch: 'replace', labels: { a: 'b' } } },
    { metadata: { labels: { $patch: 'delete' } } },
    { spec: { template: { metadata: { labels: { 'hakopod.io/net-x': 'true' } } } } },
    {
      spec: {
        template: { metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/app': 'unconfined' } } },
      },
    },
    { spec: { replicas: null } },
    { spec: { $retainKeys: ['template'], template: {} } },
    { spec: { strategy: { $patch: 'replace', type: 'Recreate' } } },
    pod({ hostNetwork: true }),
    pod({ serviceAccountName: 'admin', automountServiceAccountToken: true }),
    pod({ securityContext: { $patch: 'delete' } }),
    pod({ tolerations: [{ operator: 'Exists' }] }),
    pod({ tolerations: [{ key: 'hakopod.io/edge', operator: 'Exists' }] }),
    pod({ nodeSelector: { $patch: 'replace' } }),
    pod({ priorityClassName: 'system-node-critical' }),
    pod({ volumes: [{ name: 'host', hostPath: { path: '/' } }] }),
    pod({ volumes: [{ $patch: 'replace' }, VOLUME] }),
    pod({ volumes: [{ name: 'data', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }] }),
    pod({ volumes: [{ name: 'temporary-0', emptyDir: null, projected: {} }] }),
    pod({ containers: [{ name: 'sidecar', image: 'x' }] }),
    pod({ containers: [{ $patch: 'replace' }, { name: 'app', image: 'x' }] }),
    pod({ containers: [{ name: 'app', $patch: 'delete' }] }),
    pod({ initContainers: [{ name: 'copy', command: ['/bin/sh'] }] }),
    pod({ '$setElementOrder/initContainers': [{ name: 'copy' }, { name: 'helper' }] }),
    app({ image: 'x' }),
    app({ securityContext: { privileged: true } }),
    app({ securityContext: { capabilities: { drop: null, add: ['ALL'] } } }),
    app({ '$deleteFromPrimitiveList/command': ['/copy'], args: ['x'] }),
    app({ envFrom: [{ secretRef: { name: 'x' } }] }),
    app({ env: [{ name: 'NEW', valueFrom: REF }] }),
    app({ env: [{ name: 'LOG_LEVEL', value: null, valueFrom: REF }] }),
    app({ env: [{ name: 'SIGNING', value: 'x', valueFrom: null }] }),
    app({ env: [{ name: 'SIGNING', $patch: 'delete' }] }),
    app({ env: [{ $patch: 'replace' }, { name: 'NEW', value: 'x' }] }),
    app({
      env: [
        { name: 'NEW', value: 'a' },
        { name: 'NEW', valueFrom: REF },
      ],
    }),
    app({ resources: { limits: { 'nvidia.com/gpu': '8' } } }),
    app({ resources: { $patch: 'replace', limits: { cpu: '1' } } }),
    app({ livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } }),
    app({ readinessProbe: { $patch: 'replace', tcpSocket: { host: 'x', port: 1 } } }),
    app({ lifecycle: { postStart: { tcpSocket: { host: 'x', port: 1 } } } }),
    app({ ports: [{ containerPort: 9000, hostPort: 80 }] }),
    app({ volumeMounts: [{ name: 'data', mountPath: '/again' }] }),
    app({ volumeMounts: [{ name: 'mine', mountPath: '/data' }] }),
    app({ volumeMounts: [{ name: 'mine', mountPath: 'run/secrets/x' }] }),
    app({ terminationMessagePath: '/data/x' }),
  ],
  service: [
    { metadata: { annotations: { 'example.com/backend-config-snippet': 'x' } } },
    { spec: { type: 'LoadBalancer' } },
    { spec: { selector: { $patch: 'replace', app: 'x' } } },
    { spec: { ports: [{ port: 9000, protocol: 'UDP' }] } },
    { spec: { ports: [{ port: 9000, $patch: 'delete' }] } },
    { spec: { ports: [{ $patch: 'replace' }, { name: 'x', port: 1 }] } },
    { spec: { ports: [{ name: 'x', port: 1, nodePort: 30_000 }] } },
    { spec: { externalIPs: ['192.0.2.1'] } },
    { spec: { clusterIP: 'None' } },
  ],
  ingress: [
    { metadata: { annotations: { 'haproxy.org/backend-config-snippet': 'x' } } },
    { metadata: { annotations: { 'cert-manager.io/cluster-issuer': null } } },
    { metadata: { annotations: { 'haproxy.org/ssl-redirect': null } } },
    { metadata: { annotations: { $patch: 'replace', 'haproxy.org/check': 'true' } } },
    { metadata: { labels: { a: 'b' } } },
    { spec: { ingressClassName: 'other' } },
    { spec: { rules: [] } },
    { spec: { tls: null } },
  ],
};
