import { GPU, type Manifest } from '../kernel/index.ts';
import { resourceAmounts, type Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, ownershipLabels } from './labels.ts';
import { namespaceName, QUOTA } from './names.ts';
import { keepsData } from './storage.ts';

const MI = 2 ** 20;
const GI = 2 ** 30;

/** The installation's floors (facts 3.2): cores, GiB and devices. */
const FLOOR = { cpu: 8, cpuLimit: 16, memory: 8, memoryLimit: 16 } as const;
const GPU_FLOOR = { cpu: 32, cpuLimit: 64, memory: 64, memoryLimit: 128 } as const;
const GPUS = 8;

/** Pods a service may have at once: while it rolls out, the old ones that still terminate, the new ones and one surge pod. */
function podsOf(service: Service): number {
  if (service.job !== undefined) return 2;
  return 2 * Math.max(service.replicas, service.autoscaling?.max_replicas ?? 0) + 1;
}

/**
 * The budget of the namespace (facts 3.2): the installation's floor, or what the reviewed specification needs while every service
 * rolls out at once, whichever is more. A release is thus never stopped by its own budget, and nothing beside it fits in.
 */
export function renderQuota(input: RenderInput): Manifest {
  const services = Object.values(input.application.services);
  const sum = (of: (service: Service) => number): number => services.reduce((n, s) => n + podsOf(s) * of(s), 0);
  const atLeast = (floor: number, n: number): number => Math.max(floor, Math.ceil(n));
  const cores = (floor: number, ofMillis: (service: Service) => number): string => {
    return String(atLeast(floor, sum(ofMillis) / 1000));
  };
  const gib = (floor: number, of: (service: Service) => number): string => `${atLeast(floor, sum(of) / GI)}Gi`;
  const hasGpu = services.some(({ gpu }) => gpu !== undefined);
  const floor = hasGpu ? GPU_FLOOR : FLOOR;
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
        'requests.cpu': cores(floor.cpu, (s) => resourceAmounts(s).cpuRequest),
        'limits.cpu': cores(floor.cpuLimit, (s) => resourceAmounts(s).cpuLimit),
        'requests.memory': gib(floor.memory, (s) => resourceAmounts(s).memoryRequest),
        'limits.memory': gib(floor.memoryLimit, (s) => resourceAmounts(s).memoryLimit),
        'requests.ephemeral-storage': gib(services.some(keepsData) ? 8 : 4, () => 16 * MI),
        'limits.ephemeral-storage': gib(8, () => 128 * MI),
        ...(hasGpu
          ? {
              [`requests.${GPU}`]: String(
                atLeast(
                  GPUS,
                  sum(({ gpu }) => gpu?.count ?? 0),
                ),
              ),
            }
          : {}),
        pods: String(
          atLeast(
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
