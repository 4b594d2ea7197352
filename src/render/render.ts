import { fail, type Manifest, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import { unsupportedFeatures } from '../plan/index.ts';
import { dependencyOrder, type Service } from '../spec/index.ts';
import { renderAutoscaler } from './autoscaler.ts';
import { renderCertificate } from './certificate.ts';
import { renderDeployment } from './deployment.ts';
import { renderIngress, uploadedCertificate } from './ingress.ts';
import type { RenderInput } from './input.ts';
import { renderCronJob, renderJob } from './job.ts';
import { renderNamespace } from './namespace.ts';
import { renderNetworkPolicies } from './network-policy.ts';
import { DOCKER_CONFIG, renderPullSecret } from './pull-secret.ts';
import { renderQuota } from './quota.ts';
import { secretSources } from './secret-values.ts';
import { renderService } from './service.ts';
import { renderEnvironmentSecret, renderFiles } from './snapshots.ts';
import { renderClaims } from './storage.ts';

/** What one service runs as. */
export type RenderedWorkload = {
  readonly service: string;
  /** The snapshot of secret variables and binding URLs its pods read; applied before the workload. */
  readonly secret?: Manifest;
  /** The login its image is pulled with; applied before the workload. */
  readonly pullSecret?: Manifest;
  /** The snapshots of the files its pods mount; applied before the workload. */
  readonly files: readonly Manifest[];
  /** A Deployment, a Job for a deployment job, or a CronJob for a scheduled one, the last as it is when all is done. */
  readonly workload: Manifest;
  /** Applied after the Deployment whose replicas it owns from then on. */
  readonly autoscaler?: Manifest;
  /** The uploaded certificate of its hosts; applied just before the Ingress that names it. */
  readonly certificate?: Manifest;
  /** Applied only once the workload is ready. */
  readonly ingress?: Manifest;
};

/** Every object of an application, grouped and ordered as they are applied (facts 3.2). */
export type Rendered = {
  readonly namespace: Manifest;
  readonly networkPolicies: readonly Manifest[];
  readonly quota: Manifest;
  readonly claims: readonly Manifest[];
  readonly services: readonly Manifest[];
  /** In dependency order. */
  readonly workloads: readonly RenderedWorkload[];
};

/** The kinds a rendering can hold, for listing what an application owns. The namespace apart, all are namespaced. */
export const RENDERED_KINDS = [
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'v1', kind: 'ResourceQuota' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'batch/v1', kind: 'CronJob' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
] as const;

const PINNED = /@sha256:[0-9a-f]{64}$/;
/** Bytes of all secret values of one service (facts 6.6). */
const SECRET_BYTES = 512 * 1024;

function refusal(input: RenderInput, name: string, service: Service): Problem | undefined {
  const at = `services.${name}`;
  if (service.public && input.options.appDomain === undefined) {
    return problem('app_domain_required', undefined, { at: `${at}.public` });
  }
  if (input.preview === true) return undefined;
  if (!PINNED.test(input.images[name] ?? '')) {
    return problem('invalid_image', 'the image is not pinned to a digest', { at: `${at}.image` });
  }
  if (uploadedCertificate(service) !== undefined && input.certificates?.[name] === undefined)
    return problem('certificate_missing', undefined, { at: `${at}.tls.certificate` });
  const values = input.secrets[name] ?? {};
  const missing = secretSources(input.application, name).find(({ key }) => values[key] === undefined);
  if (missing !== undefined) return problem('missing_secrets', undefined, { at: missing.at });
  if (input.credentials?.[name] !== undefined && values[DOCKER_CONFIG] === undefined) {
    return problem('missing_secrets', undefined, { at: `${at}.registry_credential` });
  }
  const bytes = Object.values(values).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  if (bytes <= SECRET_BYTES) return undefined;
  return problem('invalid_secret', 'the secret values of one service are larger than 512 KiB together', { at });
}

function workloadOf(input: RenderInput, name: string, service: Service): Manifest {
  const { job } = service;
  if (job === undefined) return renderDeployment(input, name, service);
  if (job.schedule === undefined) return renderJob(input, name, { service, job });
  return renderCronJob(input, name, { service, job, schedule: job.schedule });
}

function renderWorkload(input: RenderInput, name: string, service: Service): RenderedWorkload {
  const secret = renderEnvironmentSecret(input, name);
  const pullSecret = renderPullSecret(input, name);
  const ingress = renderIngress(input, name, service);
  const autoscaler = renderAutoscaler(input, name, service);
  const certificate = renderCertificate(input, name);
  return {
    service: name,
    files: renderFiles(input, name),
    workload: workloadOf(input, name, service),
    ...(secret === undefined ? {} : { secret }),
    ...(pullSecret === undefined ? {} : { pullSecret }),
    ...(autoscaler === undefined ? {} : { autoscaler }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(ingress === undefined ? {} : { ingress }),
  };
}

/**
 * Renders every object of an application. The same input gives the same bytes, whatever the order of keys in it. Refuses, naming the
 * service, `unsupported_feature` (what a plan refuses too), `app_domain_required`, `invalid_image` (not pinned), `missing_secrets`,
 * `certificate_missing` and `invalid_secret` (too large together). `kubernetes` patches are a later stage.
 */
export function renderApplication(input: RenderInput): Result<Rendered> {
  const { services } = input.application;
  const unsupported = unsupportedFeatures(input.application)[0];
  if (unsupported !== undefined) return fail(unsupported);
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
    claims: renderClaims(input),
    services: clusterServices,
    workloads,
  });
}

/** All objects of a rendering in the order they are applied; each Ingress follows its workload. */
export function allObjects(rendered: Rendered): readonly Manifest[] {
  const { namespace, networkPolicies, quota, claims, services, workloads } = rendered;
  const perService = workloads.flatMap(({ secret, pullSecret, files, workload, autoscaler, certificate, ingress }) => [
    ...(secret === undefined ? [] : [secret]),
    ...(pullSecret === undefined ? [] : [pullSecret]),
    ...files,
    workload,
    ...(autoscaler === undefined ? [] : [autoscaler]),
    ...(certificate === undefined ? [] : [certificate]),
    ...(ingress === undefined ? [] : [ingress]),
  ]);
  return [namespace, ...networkPolicies, quota, ...claims, ...services, ...perService];
}
