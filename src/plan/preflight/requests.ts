import { type Amounts, mostAmounts, NO_AMOUNTS, plusAmounts, timesAmounts, totalAmounts } from '../../kernel/index.ts';
import { type Application, isDeploymentJob, resourceAmounts, type Service } from '../../spec/index.ts';

/** Pods that a service for sessions counts as (facts 11.2). */
const SESSION_PODS = 8;

/** What one service asks for. */
export type ServiceRequest = {
  readonly name: string;
  readonly service: Service;
  /** One pod. */
  readonly pod: Amounts;
  /** All of its pods at once. */
  readonly all: Amounts;
  /** Runs once, and only one of its kind is counted. */
  readonly isDeploymentJob: boolean;
};

/** Every service of an application by name, with what it asks for (facts 11.2). */
export function requestsOf(application: Application): readonly ServiceRequest[] {
  return Object.entries(application.services)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, service]) => {
      const pod = podOf(service);
      return { name, service, pod, all: timesAmounts(pod, podsOf(service)), isDeploymentJob: isDeploymentJob(service) };
    });
}

function podOf(service: Service): Amounts {
  const { cpuRequest, memoryRequest } = resourceAmounts(service);
  return { cpuMillis: cpuRequest, memoryBytes: memoryRequest, gpus: service.gpu?.count ?? 0 };
}

/** A stopped service counts as what it is when it is started again. */
function podsOf({ replicas, autoscaling, session }: Service): number {
  return session === undefined ? Math.max(replicas, 1, autoscaling?.max_replicas ?? 0) : SESSION_PODS;
}

/** What several services ask for at once: all of them, but of the deployment jobs only the largest CPU and the largest memory (facts 11.2). */
export function together(requests: readonly ServiceRequest[]): Amounts {
  const running = totalAmounts(requests.filter((one) => !one.isDeploymentJob).map(({ all }) => all));
  const largest = requests
    .filter((one) => one.isDeploymentJob)
    .map(({ pod }) => pod)
    .reduce(mostAmounts, NO_AMOUNTS);
  return plusAmounts(running, largest);
}

/** GiB of all volumes; only reported, since no cluster says how much storage is free (facts 11.2). */
export function storageGib(application: Application): number {
  const own = Object.values(application.services).map(({ volume }) => volume?.size_gib ?? 0);
  const named = Object.values(application.volumes).map(({ size_gib }) => size_gib);
  return [...own, ...named].reduce((sum, size) => sum + size, 0);
}
