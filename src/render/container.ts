import { GPU } from '../kernel/index.ts';
import { effectiveEnv, effectiveResources, effectiveSecrets, type Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { renderProbes } from './probes.ts';
import { bindingKey } from './secret-values.ts';
import { portsOf } from './service.ts';
import { environmentSecretOf } from './snapshots.ts';

/** The only container of a service's pod; patches refer to it by this name (facts 3.3). */
export const CONTAINER = 'app';

/** Seconds a service has to start and become ready (facts 3.3). */
export function startupSeconds(service: Service, rolloutTimeoutSeconds: number): number {
  return service.startup_timeout_seconds ?? rolloutTimeoutSeconds;
}

/** Plain variables by name, then those that come from the snapshot: secrets, and the URLs of bindings. */
function environment(input: RenderInput, name: string, service: Service): unknown[] {
  const plain = Object.entries(effectiveEnv(input.application, service)).map(([key, value]) => ({ name: key, value }));
  const keys = [
    ...Object.keys(effectiveSecrets(input.application, service)).map((variable) => [variable, variable] as const),
    ...Object.keys(service.bindings).map((variable) => [variable, bindingKey(variable)] as const),
  ];
  const snapshot = keys.length === 0 ? '' : environmentSecretOf(input, name);
  const secret = keys.map(([variable, key]) => {
    return { name: variable, valueFrom: { secretKeyRef: { name: snapshot, key, optional: false } } };
  });
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return [...plain.sort(byName), ...secret.sort(byName)];
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

function resourcesOf(service: Service): object {
  const { cpu_request, cpu_limit, memory_request, memory_limit } = effectiveResources(service);
  // Devices are handed out whole: what is asked for is what there is.
  const devices = service.gpu === undefined ? {} : { [GPU]: String(service.gpu.count) };
  return {
    requests: { cpu: cpu_request, memory: memory_request, 'ephemeral-storage': '16Mi', ...devices },
    limits: { cpu: cpu_limit, memory: memory_limit, 'ephemeral-storage': '128Mi', ...devices },
  };
}

/** The container of a service's or job's pod; `volumeMounts` as the pod's volumes go. */
export function renderContainer(
  input: RenderInput,
  name: string,
  options: { readonly service: Service; readonly volumeMounts: readonly object[] },
): Record<string, unknown> {
  const { service, volumeMounts } = options;
  return {
    name: CONTAINER,
    image: input.images[name],
    imagePullPolicy: 'IfNotPresent',
    command: service.command,
    args: service.args,
    ...(service.working_dir === '' ? {} : { workingDir: service.working_dir }),
    env: environment(input, name, service),
    envFrom: [],
    ports: containerPorts(service),
    resources: resourcesOf(service),
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: service.read_only_root_filesystem,
      capabilities: { drop: ['ALL'], add: [] },
    },
    stdin: false,
    tty: false,
    volumeMounts,
    volumeDevices: [],
    ...renderProbes(service, startupSeconds(service, input.options.rolloutTimeoutSeconds)),
  };
}
