import { type Manifest, sha256 } from '../../kernel/index.ts';
import type { Cause } from './errors.ts';
import { at, type Fields, isRecord, items, record, records, sameJson, text, withMetadata } from './objects.ts';
import { builtIn } from './resources.ts';
import type { ObjectStore } from './store.ts';

function withSpec(object: Manifest, values: Fields): Manifest {
  return { ...object, spec: { ...record(object.spec), ...values } };
}

/** The labels the Job controller relies on, and the selector made from the uid. */
function newJob(job: Manifest): Manifest {
  const uid = job.metadata.uid ?? '';
  const template = record(at(job, 'spec', 'template'));
  const metadata = record(template.metadata);
  const own = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': job.metadata.name,
    'controller-uid': uid,
    'job-name': job.metadata.name,
  };
  const labels = { ...record(metadata.labels), ...own };
  const labelled = Object.keys(job.metadata.labels ?? {}).length > 0;
  return withSpec(labelled ? job : withMetadata(job, { labels }), {
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    template: { ...template, metadata: { ...metadata, labels } },
  });
}

/** The cluster's service range is 10.96.0.0/12; addresses are handed out in a fixed order, beginning at a hash of the name. */
function freeAddress(store: ObjectStore, service: Manifest): string {
  const start = Number.parseInt(sha256(`${service.metadata.namespace}/${service.metadata.name}`).slice(0, 5), 16);
  for (let tried = 0; ; tried += 1) {
    const n = ((start + tried) % 0xffffe) + 1;
    const address = `10.${96 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
    if (!addressTaken(store, address)) return address;
  }
}

function addressTaken(store: ObjectStore, address: string): boolean {
  const fields = [{ path: 'spec.clusterIP', equal: true, value: address }];
  return store.list(builtIn('services'), { labels: [], fields }).length > 0;
}

function newService(store: ObjectStore, service: Manifest): Manifest {
  const spec = record(service.spec);
  if (spec.type === 'ExternalName') return service;
  const address = text(spec.clusterIP) ?? freeAddress(store, service);
  return withSpec(service, {
    clusterIP: address,
    clusterIPs: [address],
    ipFamilies: spec.ipFamilies ?? ['IPv4'],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
  });
}

function newNamespace(namespace: Manifest): Manifest {
  const labels = { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name };
  return { ...withMetadata(namespace, { labels }), spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
}

/** Holds a claim until no pod uses it. */
export const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';

/** What the API server adds to a new object of some kinds; `status` is its first status. */
export function completeNew(store: ObjectStore, object: Manifest): Manifest {
  switch (`${object.apiVersion}/${object.kind}`) {
    case 'v1/Namespace':
      return newNamespace(object);
    case 'v1/Service':
      return { ...newService(store, object), status: { loadBalancer: {} } };
    case 'batch/v1/Job':
      return { ...newJob(object), status: {} };
    case 'v1/Pod':
      return { ...object, status: { phase: 'Pending', qosClass: 'BestEffort' } };
    case 'v1/PersistentVolumeClaim':
      return { ...withMetadata(object, { finalizers: [CLAIM_FINALIZER] }), status: { phase: 'Pending' } };
    case 'networking.k8s.io/v1/Ingress':
      return { ...object, status: { loadBalancer: {} } };
    case 'apps/v1/Deployment':
    case 'apps/v1/ReplicaSet':
    case 'apps/v1/StatefulSet':
    case 'apps/v1/DaemonSet':
    case 'batch/v1/CronJob':
      return { ...object, status: {} };
    default:
      return object;
  }
}

/** What an update that leaves a field out does not mean to remove: addresses of a service, the namespace's own label. */
export function carryOver(live: Manifest, next: Manifest): Manifest {
  if (next.kind === 'Namespace' && next.apiVersion === 'v1') {
    const labels = { ...next.metadata.labels, 'kubernetes.io/metadata.name': next.metadata.name };
    return { ...withMetadata(next, { labels }), spec: live.spec };
  }
  if (next.kind !== 'Service' || next.apiVersion !== 'v1') return next;
  const spec: Record<string, unknown> = { ...record(next.spec) };
  const old = record(live.spec);
  for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    const empty =
      spec[key] === undefined || spec[key] === '' || (Array.isArray(spec[key]) && items(spec[key]).length === 0);
    if (empty && old[key] !== undefined) spec[key] = old[key];
  }
  return { ...next, spec };
}

const IMMUTABLE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'apps/v1/Deployment': [['spec', 'selector']],
  'apps/v1/ReplicaSet': [['spec', 'selector']],
  'batch/v1/Job': [
    ['spec', 'selector'],
    ['spec', 'template'],
    ['spec', 'completions'],
    ['spec', 'completionMode'],
  ],
  'v1/Secret': [['type']],
};

/** No finalizer may join once an object is being deleted. */
export function lateFinalizers(live: Manifest, next: Manifest): readonly Cause[] {
  const before = live.metadata.finalizers ?? [];
  const added = (next.metadata.finalizers ?? []).some((finalizer) => !before.includes(finalizer));
  if (live.metadata.deletionTimestamp === undefined || !added) return [];
  const message = 'Forbidden: no new finalizers can be added if the object is being deleted';
  return [{ reason: 'FieldValueForbidden', message, field: 'metadata.finalizers' }];
}

/** The fields of a kind that may never change, checked against the live object; 422 causes. */
export function immutableCauses(live: Manifest, next: Manifest): readonly Cause[] {
  const kind = `${next.apiVersion}/${next.kind}`;
  const causes: Cause[] = [];
  for (const path of IMMUTABLE[kind] ?? []) {
    if (sameJson(at(live, ...path), at(next, ...path))) continue;
    causes.push({ reason: 'FieldValueInvalid', message: 'Invalid value: field is immutable', field: path.join('.') });
  }
  if ((kind === 'v1/Secret' || kind === 'v1/ConfigMap') && live.immutable === true) {
    for (const field of ['data', 'binaryData', 'immutable']) {
      if (sameJson(live[field] ?? {}, next[field] ?? {})) continue;
      causes.push({
        reason: 'FieldValueForbidden',
        message: 'Forbidden: field is immutable when `immutable` is set',
        field,
      });
    }
  }
  if (kind === 'v1/Service' && !sameJson(addressesOf(live), addressesOf(next))) {
    causes.push({
      reason: 'FieldValueInvalid',
      message: 'Invalid value: may not change once set',
      field: 'spec.clusterIPs[0]',
    });
  }
  if (kind === 'v1/PersistentVolumeClaim' && !sameJson(fixedClaim(live), fixedClaim(next))) {
    const message =
      'Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName';
    causes.push({ reason: 'FieldValueForbidden', message, field: 'spec' });
  }
  return causes;
}

function addressesOf(service: Manifest): readonly unknown[] {
  return [at(service, 'spec', 'clusterIP'), at(service, 'spec', 'clusterIPs')];
}

function fixedClaim(claim: Manifest): Fields {
  const { resources: _resources, volumeAttributesClassName: _class, ...rest } = record(claim.spec);
  return rest;
}

const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_KINDS: ReadonlySet<string> = new Set(['Namespace', 'Service']);

function nameCauses(object: Manifest): readonly Cause[] {
  const { name } = object.metadata;
  const limit = LABEL_KINDS.has(object.kind) ? 63 : 253;
  const dotted = name.includes('.') && LABEL_KINDS.has(object.kind);
  if (NAME.test(name) && name.length <= limit && !dotted) return [];
  const message = "Invalid value: a lowercase RFC 1123 name must consist of lower case alphanumeric characters or '-'";
  return [{ reason: 'FieldValueInvalid', message, field: 'metadata.name' }];
}

function containerCauses(pod: Fields, path: string): readonly Cause[] {
  const containers = records(pod.containers);
  if (containers.length === 0) {
    return [{ reason: 'FieldValueRequired', message: 'Required value', field: `${path}.containers` }];
  }
  return containers.flatMap((container, index) =>
    ['name', 'image']
      .filter((field) => (text(container[field]) ?? '') === '')
      .map((field) => ({
        reason: 'FieldValueRequired',
        message: 'Required value',
        field: `${path}.containers[${index}].${field}`,
      })),
  );
}

function templateCauses(object: Manifest): readonly Cause[] {
  const template = record(at(object, 'spec', 'template'));
  const causes = [...containerCauses(record(template.spec), 'spec.template.spec')];
  if (object.kind !== 'Deployment' && object.kind !== 'ReplicaSet') return causes;
  const wanted = record(at(object, 'spec', 'selector', 'matchLabels'));
  const labels = record(at(template, 'metadata', 'labels'));
  if (!isRecord(at(object, 'spec', 'selector'))) {
    causes.push({ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.selector' });
  } else if (!Object.entries(wanted).every(([key, value]) => labels[key] === value)) {
    const message = 'Invalid value: `selector` does not match template `labels`';
    causes.push({ reason: 'FieldValueInvalid', message, field: 'spec.template.metadata.labels' });
  }
  return causes;
}

function serviceCauses(store: ObjectStore, live: Manifest | undefined, service: Manifest): readonly Cause[] {
  const address = text(at(service, 'spec', 'clusterIP'));
  const asked = address !== undefined && address !== 'None' && live === undefined;
  if (!asked || !addressTaken(store, address)) return [];
  const message = 'Invalid value: failed to allocate IP: provided IP is already allocated';
  return [{ reason: 'FieldValueInvalid', message, field: 'spec.clusterIPs' }];
}

/** What the API server would refuse as invalid in a built-in kind; a small part of its rules. */
export function builtInCauses(store: ObjectStore, live: Manifest | undefined, next: Manifest): readonly Cause[] {
  const names = live === undefined ? nameCauses(next) : [];
  switch (`${next.apiVersion}/${next.kind}`) {
    case 'apps/v1/Deployment':
    case 'apps/v1/ReplicaSet':
    case 'batch/v1/Job':
      return [...names, ...templateCauses(next)];
    case 'v1/Pod':
      return [...names, ...containerCauses(record(next.spec), 'spec')];
    case 'v1/Service':
      return [...names, ...serviceCauses(store, live, next)];
    default:
      return names;
  }
}
