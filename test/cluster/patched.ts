import type { Manifest } from '../../src/kernel/index.ts';

/** A rendered Deployment after a patch that uses what patches may use, to prove the defaults of those fields too. */
export function patchedDeployment(rendered: Manifest): Manifest {
  // biome-ignore lint/suspicious/noExplicitAny: built by hand like a patch would
  const copy: any = structuredClone(rendered);
  copy.metadata.name = 'patched';
  copy.metadata.labels = { ...copy.metadata.labels, team: 'blue' };
  copy.metadata.annotations['example.com/note'] = 'x';
  copy.spec.template.metadata.annotations = { 'prometheus.io/scrape': 'true' };
  Object.assign(copy.spec.template.spec, {
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'api', effect: 'NoSchedule' }, { key: 'x' }],
    nodeSelector: { pool: 'fast' },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } } },
        ],
      },
    },
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    priorityClassName: 'batch',
    dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['x.example.com'] }],
    readinessGates: [{ conditionType: 'example.com/ready' }],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'bounded', emptyDir: { sizeLimit: '1024Mi', medium: 'Memory' } },
      { name: 'bare' },
      { name: 'info', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    ],
  });
  const container = copy.spec.template.spec.containers[0];
  container.volumeMounts = [
    { name: 'scratch', mountPath: '/scratch' },
    { name: 'info', mountPath: '/info', readOnly: true },
  ];
  container.env.push(
    { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
    { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1024Ki' } } },
  );
  container.resources.limits = { ...container.resources.limits, cpu: '1.5', memory: '1536Mi' };
  container.livenessProbe = { httpGet: { port: 9000 }, periodSeconds: 10, initialDelaySeconds: 0 };
  container.readinessProbe = { grpc: { port: 9000 } };
  container.startupProbe = { exec: { command: ['/bin/true'] }, failureThreshold: 5 };
  container.lifecycle = {
    preStop: { httpGet: { port: 'service', path: '/bye' } },
    postStart: { sleep: { seconds: 1 } },
  };
  return copy as Manifest;
}

/** A rendered Service after a patch. */
export function patchedService(rendered: Manifest): Manifest {
  // biome-ignore lint/suspicious/noExplicitAny: built by hand like a patch would
  const copy: any = structuredClone(rendered);
  copy.metadata.name = 'patched';
  Object.assign(copy.spec, { sessionAffinity: 'ClientIP', trafficDistribution: 'PreferClose' });
  copy.spec.ports.push({ name: 'more', port: 81 });
  return copy as Manifest;
}
