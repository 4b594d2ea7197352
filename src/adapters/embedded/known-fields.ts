import type { Manifest } from '../../kernel/index.ts';
import { FIELD_TABLE, type FieldType } from '../../patch/index.ts';
import { isRecord, items } from './objects.ts';

/** The fields of a type and the type of each; `*` is anything, `[T]` a list of T. */
type Shape = Readonly<Record<string, string>>;

function all(names: string, type = '*'): Shape {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]));
}

/** Kubernetes 1.35 types that are not in the table of patches, as deep as a misspelt field is likely. */
const SHAPES: Readonly<Record<string, Shape>> = {
  Pod: { spec: 'PodSpec', status: '*' },
  Job: { spec: 'JobSpec', status: '*' },
  JobSpec: {
    ...all(
      'parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes selector manualSelector ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy',
    ),
    template: 'PodTemplateSpec',
  },
  CronJob: { spec: 'CronJobSpec', status: '*' },
  CronJobSpec: {
    ...all(
      'schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend successfulJobsHistoryLimit failedJobsHistoryLimit',
    ),
    jobTemplate: 'JobTemplate',
  },
  JobTemplate: { metadata: 'ObjectMeta', spec: 'JobSpec' },
  Ingress: { spec: 'IngressSpec', status: '*' },
  IngressSpec: { ingressClassName: '*', defaultBackend: '*', tls: '[IngressTls]', rules: '[IngressRule]' },
  IngressTls: all('hosts secretName'),
  IngressRule: { host: '*', http: 'IngressHttp' },
  IngressHttp: { paths: '[IngressPath]' },
  IngressPath: all('path pathType backend'),
  NetworkPolicy: { spec: 'PolicySpec' },
  PolicySpec: { podSelector: '*', policyTypes: '*', ingress: '[IngressRules]', egress: '[EgressRules]' },
  IngressRules: { ports: '[PolicyPort]', from: '[PolicyPeer]' },
  EgressRules: { ports: '[PolicyPort]', to: '[PolicyPeer]' },
  PolicyPort: all('protocol port endPort'),
  PolicyPeer: all('podSelector namespaceSelector ipBlock'),
  HorizontalPodAutoscaler: { spec: 'AutoscalerSpec', status: '*' },
  AutoscalerSpec: all('scaleTargetRef minReplicas maxReplicas metrics behavior'),
  ConfigMap: all('data binaryData immutable'),
  Secret: all('data stringData type immutable'),
  Namespace: { spec: 'NamespaceSpec', status: '*' },
  NamespaceSpec: all('finalizers'),
  ResourceQuota: { spec: 'QuotaSpec', status: '*' },
  QuotaSpec: all('hard scopes scopeSelector'),
  PersistentVolumeClaim: { spec: 'PersistentVolumeClaimSpec', status: '*' },
  Lease: { spec: 'LeaseSpec' },
  LeaseSpec: all('holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy preferredHolder'),
};

function unknown(value: unknown, type: string, path: string): readonly string[] {
  if (type.startsWith('[')) {
    return items(value).flatMap((item, index) => unknown(item, type.slice(1, -1), `${path}[${index}]`));
  }
  const shape = SHAPES[type];
  if (shape === undefined) return unknownIn(value, { ref: type }, path);
  return unknownKeys(value, path, (name, child, at) => {
    const inner = shape[name];
    return inner === undefined ? undefined : unknown(child, inner, at);
  });
}

/** The same by the table of all fields of Deployment, Service and Ingress. */
function unknownIn(value: unknown, type: FieldType, path: string): readonly string[] {
  if ('scalar' in type) return [];
  if ('list' in type) return items(value).flatMap((item, index) => unknownIn(item, type.list, `${path}[${index}]`));
  if ('map' in type) return unknownKeys(value, path, (_name, child, at) => unknownIn(child, type.map, at));
  const fields = FIELD_TABLE.types[type.ref];
  if (fields === undefined) return [];
  return unknownKeys(value, path, (name, child, at) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field === undefined ? undefined : unknownIn(child, field.type, at);
  });
}

/** What a visit of each key finds; a key whose visit answers undefined is itself unknown. */
function unknownKeys(
  value: unknown,
  path: string,
  visit: (name: string, child: unknown, at: string) => readonly string[] | undefined,
): readonly string[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const at = `${path}.${name}`;
    return visit(name, child, at) ?? [at];
  });
}

/** Dotted names of the fields that Kubernetes 1.35 does not know in a built-in object; kinds not described here know all. */
export function unknownBuiltIn(object: Manifest): readonly string[] {
  const { apiVersion: _a, kind: _k, metadata, ...content } = object;
  if (SHAPES[object.kind] === undefined && !Object.values(FIELD_TABLE.kinds).includes(object.kind)) return [];
  return [...unknown(metadata, 'ObjectMeta', '.metadata'), ...unknown(content, object.kind, '')];
}
