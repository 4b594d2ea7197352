import { effectiveResources, type Service } from '../spec/index.ts';
import { environmentSecretOf } from './env-secret.ts';
import type { RenderInput } from './input.ts';
import { podLabels } from './labels.ts';
import { portsOf } from './service.ts';

/** The only container of a service's pod; patches refer to it by this name (facts 3.3). */
export const CONTAINER = 'app';

/** User and group of every process (facts 3.3). */
const USER = 10_001;

/** Seconds a service has to start and become ready (facts 3.3). */
export function startupSeconds(service: Service, rolloutTimeoutSeconds: number): number {
  return service.startup_timeout_seconds ?? rolloutTimeoutSeconds;
}

function environment(input: RenderInput, name: string, service: Service): unknown[] {
  const plain = Object.entries(service.env).map(([key, value]) => ({ name: key, value }));
  const secret = Object.keys(service.secrets).map((key) => {
    return { name: key, valueFrom: { secretKeyRef: { name: environmentSecretOf(input, name), key, optional: false } } };
  });
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return [...plain.sort(byName), ...secret.sort(byName)];
}

function probes(service: Service, timeoutSeconds: number): Record<string, unknown> {
  if (service.port === 0) return {};
  const tcp = { tcpSocket: { port: service.port } };
  const ready =
    service.healthcheck === '' ? tcp : { httpGet: { path: service.healthcheck, port: service.port, scheme: 'HTTP' } };
  return {
    readinessProbe: { ...ready, periodSeconds: 3, timeoutSeconds: 2, failureThreshold: 3, successThreshold: 1 },
    // No liveness probe ever: a slow dependency must not restart what works (facts 3.3).
    startupProbe: {
      ...tcp,
      periodSeconds: 2,
      timeoutSeconds: 2,
      failureThreshold: Math.ceil(timeoutSeconds / 2),
      successThreshold: 1,
    },
  };
}

/** One entry for each port the pod listens on: two Service ports may lead to the same one, which an apply refuses to see twice. */
function containerPorts(service: Service): unknown[] {
  const seen = new Map<string, { name: string; containerPort: number; protocol: string }>();
  for (const { name, target, protocol } of portsOf(service)) {
    const key = `${protocol}/${target}`;
    if (!seen.has(key)) seen.set(key, { name, containerPort: target, protocol });
  }
  return [...seen.values()];
}

function container(input: RenderInput, name: string, service: Service): Record<string, unknown> {
  const resources = effectiveResources(service);
  return {
    name: CONTAINER,
    image: input.images[name],
    imagePullPolicy: 'IfNotPresent',
    command: service.command,
    args: service.args,
    env: environment(input, name, service),
    envFrom: [],
    ports: containerPorts(service),
    resources: {
      requests: { cpu: resources.cpu_request, memory: resources.memory_request, 'ephemeral-storage': '16Mi' },
      limits: { cpu: resources.cpu_limit, memory: resources.memory_limit, 'ephemeral-storage': '128Mi' },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: false,
      capabilities: { drop: ['ALL'], add: [] },
    },
    stdin: false,
    tty: false,
    volumeMounts: [],
    volumeDevices: [],
    ...probes(service, startupSeconds(service, input.options.rolloutTimeoutSeconds)),
  };
}

/**
 * The pod template of a service or job. What a stranger could use to widen the pod (host namespaces, privilege, more containers,
 * volumes) is said explicitly, so that a forced server-side apply owns it (DESIGN 7).
 */
export function renderPodTemplate(
  input: RenderInput,
  name: string,
  options: { readonly service: Service; readonly restartPolicy: 'Always' | 'Never' },
): Record<string, unknown> {
  return {
    metadata: { labels: podLabels(input, name) },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      shareProcessNamespace: false,
      restartPolicy: options.restartPolicy,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      serviceAccountName: 'default',
      terminationGracePeriodSeconds: 30,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
        supplementalGroups: [],
        sysctls: [],
      },
      imagePullSecrets: [],
      nodeSelector: {},
      tolerations: [],
      hostAliases: [],
      volumes: [],
      initContainers: [],
      containers: [container(input, name, options.service)],
    },
  };
}
