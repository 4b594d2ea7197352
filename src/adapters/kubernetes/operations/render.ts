import { MANAGED_BY, type Manifest } from '../../../kernel/index.ts';
import {
  type DeploymentClaim,
  type DeploymentRequest,
  type DeploymentService,
  OPERATION_ANNOTATIONS,
  OPERATION_LABELS,
  OPERATION_LIMITS,
} from '../../../ports/cluster-operations/index.ts';
import { envName, objectNames, secretName } from './names.ts';

/** The objects of one service of a request. */
export type RenderedService = {
  readonly service: string;
  /** Name of its Deployment and Service. */
  readonly name: string;
  readonly imageDigest: string;
  readonly clusterIP?: string;
  readonly configMap: Manifest;
  /** Absent without secret keys. */
  readonly secret?: Manifest;
  readonly deployment: Manifest;
  /** Absent without published ports. */
  readonly network?: Manifest;
  readonly claims: readonly Manifest[];
};

/** Renders a validated request, in its order (cluster operations 17). Pure. */
export function renderDeployment(request: DeploymentRequest): readonly RenderedService[] {
  const names = objectNames(
    request.project,
    request.services.map((service) => service.name),
  );
  return request.services.map((service) => renderService(request, service, names.get(service.name) ?? ''));
}

function renderService(request: DeploymentRequest, service: DeploymentService, name: string): RenderedService {
  const { target } = request;
  const shared = {
    namespace: target.namespace,
    labels: labelsOf(request, service.name),
    annotations: {
      [OPERATION_ANNOTATIONS.revision]: String(request.revision),
      [OPERATION_ANNOTATIONS.deployment]: request.deployment,
      [OPERATION_ANNOTATIONS.specDigest]: target.specDigest,
    },
  };
  const metadata = (own: string) => ({ name: own, ...shared });
  const isSecret = new Set(service.secretKeys);
  const part = (secret: boolean): Record<string, string> =>
    Object.fromEntries(Object.entries(service.env).filter(([key]) => isSecret.has(key) === secret));
  const mounted = new Set(service.mounts.map((mount) => mount.claim));
  return {
    service: service.name,
    name,
    imageDigest: service.image.digest,
    ...(service.clusterIP === undefined ? {} : { clusterIP: service.clusterIP }),
    configMap: { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(envName(name)), data: part(false) },
    ...(isSecret.size === 0 ? {} : { secret: secretOf(metadata(secretName(name)), part(true)) }),
    deployment: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(name),
      spec: deploymentSpec(request, service, { name, labels: shared.labels }),
    },
    ...(service.ports.length === 0 ? {} : { network: networkOf(metadata(name), service, request) }),
    claims: target.claims
      .filter((claim) => mounted.has(claim.name))
      .map((claim) => claimOf(metadata(claim.name), claim)),
  };
}

/** Labels of every object and of the pods. */
function labelsOf({ project, target }: DeploymentRequest, service: string): Readonly<Record<string, string>> {
  return {
    [OPERATION_LABELS.name]: service,
    // A project may be a character longer than a label, and end in one that a label may not.
    [OPERATION_LABELS.instanceName]: project.slice(0, 63).replace(/[^A-Za-z0-9]+$/, ''),
    ...MANAGED_BY,
    [OPERATION_LABELS.application]: target.applicationId,
    ...selectorOf(target.instanceId, service),
  };
}

/** What selects the pods: the same in every apply, as a selector can not change. */
function selectorOf(instanceId: string, service: string): Readonly<Record<string, string>> {
  return { [OPERATION_LABELS.instance]: instanceId, [OPERATION_LABELS.service]: service };
}

function secretOf(metadata: Manifest['metadata'], values: Readonly<Record<string, string>>): Manifest {
  const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: Object.fromEntries(data) };
}

function deploymentSpec(
  request: DeploymentRequest,
  service: DeploymentService,
  { name, labels }: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): object {
  return {
    replicas: 1,
    // One pod at a time may attach a claim.
    strategy: { type: 'Recreate' },
    minReadySeconds: OPERATION_LIMITS.minReadySeconds,
    progressDeadlineSeconds: OPERATION_LIMITS.progressDeadlineSeconds,
    selector: { matchLabels: selectorOf(request.target.instanceId, service.name) },
    template: {
      // A new deployment rolls the pods, so that changed variables reach the process.
      metadata: { labels, annotations: { [OPERATION_ANNOTATIONS.deployment]: request.deployment } },
      spec: podSpec(service, name),
    },
  };
}

function podSpec(service: DeploymentService, name: string): object {
  const ports = new Map(
    service.ports.map(({ target, protocol }) => [
      `${target}/${protocol}`,
      { containerPort: target, protocol: protocol.toUpperCase() },
    ]),
  );
  const claims = [...new Set(service.mounts.map((mount) => mount.claim))];
  const mounts = service.mounts.map(({ claim, path, readOnly }) => ({
    name: claim,
    mountPath: path,
    ...(readOnly === true ? { readOnly } : {}),
  }));
  const secret = service.secretKeys.length === 0 ? [] : [{ secretRef: { name: secretName(name) } }];
  const container = {
    name: service.name.replaceAll('_', '-'),
    image: service.image.reference,
    ...(ports.size === 0 ? {} : { ports: [...ports.values()] }),
    envFrom: [{ configMapRef: { name: envName(name) } }, ...secret],
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
  const volumes = claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claim } }));
  return {
    restartPolicy: 'Always',
    automountServiceAccountToken: false,
    containers: [container],
    ...(volumes.length === 0 ? {} : { volumes }),
  };
}

function networkOf(metadata: Manifest['metadata'], service: DeploymentService, request: DeploymentRequest): Manifest {
  const ports = service.ports.map(({ protocol, published, target }) => ({
    name: `${protocol}-${published}`,
    port: published,
    targetPort: target,
    protocol: protocol.toUpperCase(),
  }));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      type: 'ClusterIP',
      ...(service.clusterIP === undefined ? {} : { clusterIP: service.clusterIP }),
      selector: selectorOf(request.target.instanceId, service.name),
      ports,
    },
  };
}

function claimOf(metadata: Manifest['metadata'], claim: DeploymentClaim): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    spec: {
      accessModes: [claim.accessMode],
      resources: { requests: { storage: claim.size } },
      ...(claim.class === undefined || claim.class === '' ? {} : { storageClassName: claim.class }),
    },
  };
}
