import type { Manifest } from '../kernel/index.ts';
import { resourceAmounts, type Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, ownershipLabels } from './labels.ts';
import { namespaceName, QUOTA } from './names.ts';

const MI = 2 ** 20;
const GI = 2 ** 30;

/** Pods a service may have at once: while it rolls out, the old ones that still terminate, the new ones and one surge pod. */
function podsOf(service: Service): number {
  return service.job === undefined ? 2 * service.replicas + 1 : 2;
}

/**
 * The budget of the namespace (facts 3.2): the installation's floor, or what the reviewed specification needs while every service
 * rolls out at once, whichever is more. A release is thus never stopped by its own budget, and nothing beside it fits in.
 */
export function renderQuota(input: RenderInput): Manifest {
  const services = Object.values(input.application.services);
  const sum = (of: (service: Service) => number): number => services.reduce((n, s) => n + podsOf(s) * of(s), 0);
  const cores = (floor: number, ofMillis: (service: Service) => number): string => {
    return String(Math.max(floor, Math.ceil(sum(ofMillis) / 1000)));
  };
  const gib = (floor: number, of: (service: Service) => number): string => {
    return `${Math.max(floor, Math.ceil(sum(of) / GI))}Gi`;
  };
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: {
      name: QUOTA,
      namespace: namespaceName(input.id),
      labels: ownershipLabels(input.id),
      annotations: operationAnnotation(input),
    },
    spec: {
      hard: {
        'requests.cpu': cores(8, (s) => resourceAmounts(s).cpuRequest),
        'limits.cpu': cores(16, (s) => resourceAmounts(s).cpuLimit),
        'requests.memory': gib(8, (s) => resourceAmounts(s).memoryRequest),
        'limits.memory': gib(16, (s) => resourceAmounts(s).memoryLimit),
        'requests.ephemeral-storage': gib(4, () => 16 * MI),
        'limits.ephemeral-storage': gib(8, () => 128 * MI),
        pods: String(
          Math.max(
            64,
            sum(() => 1),
          ),
        ),
        services: '25',
        persistentvolumeclaims: '20',
        'requests.storage': '200Gi',
      },
    },
  };
}
