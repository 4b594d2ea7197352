import { fail, type Manifest, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import { dependencyOrder, type Service } from '../spec/index.ts';
import { renderDeployment } from './deployment.ts';
import { renderEnvironmentSecret } from './env-secret.ts';
import { renderIngress } from './ingress.ts';
import type { RenderInput } from './input.ts';
import { renderJob } from './job.ts';
import { renderNamespace } from './namespace.ts';
import { renderNetworkPolicies } from './network-policy.ts';
import { renderQuota } from './quota.ts';
import { renderService } from './service.ts';

/** What one service runs as. */
export type RenderedWorkload = {
  readonly service: string;
  /** The snapshot of secret values its pods read; applied before the workload. */
  readonly secret?: Manifest;
  /** A Deployment, or a Job for a deployment job. */
  readonly workload: Manifest;
  /** Applied only once the workload is ready. */
  readonly ingress?: Manifest;
};

/** Every object of an application, grouped and ordered as they are applied (facts 3.2). */
export type Rendered = {
  readonly namespace: Manifest;
  readonly networkPolicies: readonly Manifest[];
  readonly quota: Manifest;
  readonly services: readonly Manifest[];
  /** In dependency order. */
  readonly workloads: readonly RenderedWorkload[];
};

/** The kinds a rendering can hold, for listing what an application owns. The namespace apart, all are namespaced. */
export const RENDERED_KINDS = [
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'v1', kind: 'ResourceQuota' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
] as const;

const PINNED = /@sha256:[0-9a-f]{64}$/;

function refusal(input: RenderInput, name: string, service: Service): Problem | undefined {
  const at = `services.${name}`;
  if (service.public && input.options.appDomain === undefined) {
    return problem('app_domain_required', undefined, { at: `${at}.public` });
  }
  if (input.preview === true) return undefined;
  if (!PINNED.test(input.images[name] ?? '')) {
    return problem('invalid_image', 'the image is not pinned to a digest', { at: `${at}.image` });
  }
  const missing = Object.keys(service.secrets)
    .sort()
    .find((key) => input.secrets[name]?.[key] === undefined);
  return missing === undefined ? undefined : problem('missing_secrets', undefined, { at: `${at}.secrets.${missing}` });
}

function renderWorkload(input: RenderInput, name: string, service: Service): RenderedWorkload {
  const secret = renderEnvironmentSecret(input, name);
  const ingress = renderIngress(input, name, service);
  const workload =
    service.job === undefined
      ? renderDeployment(input, name, service)
      : renderJob(input, name, { service, job: service.job });
  return {
    service: name,
    workload,
    ...(secret === undefined ? {} : { secret }),
    ...(ingress === undefined ? {} : { ingress }),
  };
}

/**
 * Renders every object of an application. The same input gives the same bytes, whatever the order of keys in it. Refuses, naming the
 * service, `app_domain_required`, `invalid_image` (not pinned) and `missing_secrets`. `kubernetes` patches are a later stage.
 */
export function renderApplication(input: RenderInput): Result<Rendered> {
  const { services } = input.application;
  const workloads: RenderedWorkload[] = [];
  const clusterServices: Manifest[] = [];
  for (const name of dependencyOrder(input.application)) {
    const service = services[name];
    if (service === undefined) continue;
    const refused = refusal(input, name, service);
    if (refused !== undefined) return fail(refused);
    workloads.push(renderWorkload(input, name, service));
    const manifest = renderService(input, name, service);
    if (manifest !== undefined) clusterServices.push(manifest);
  }
  clusterServices.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return ok({
    namespace: renderNamespace(input),
    networkPolicies: renderNetworkPolicies(input),
    quota: renderQuota(input),
    services: clusterServices,
    workloads,
  });
}

/** All objects of a rendering in the order they are applied; each Ingress follows its workload. */
export function allObjects(rendered: Rendered): readonly Manifest[] {
  const { namespace, networkPolicies, quota, services, workloads } = rendered;
  const perService = workloads.flatMap(({ secret, workload, ingress }) => {
    return [...(secret === undefined ? [] : [secret]), workload, ...(ingress === undefined ? [] : [ingress])];
  });
  return [namespace, ...networkPolicies, quota, ...services, ...perService];
}
