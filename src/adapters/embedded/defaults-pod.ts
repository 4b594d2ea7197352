import { type Fields, isRecord, record, records } from './objects.ts';

/** Lays values under an object: keys it sets itself stay. */
export function under(object: Fields, values: Fields): Fields {
  const result: Record<string, unknown> = { ...object };
  for (const [key, value] of Object.entries(values)) if (result[key] === undefined) result[key] = value;
  return result;
}

/** The object with one field replaced by a function of it, when it is there. */
export function mapField(object: Fields, name: string, change: (value: Fields) => Fields): Fields {
  const value = object[name];
  return isRecord(value) ? { ...object, [name]: change(value) } : object;
}

/** The object with each item of a list replaced by a function of it, when the list is there. */
export function mapItems(object: Fields, name: string, change: (value: Fields) => Fields): Fields {
  return Array.isArray(object[name]) ? { ...object, [name]: records(object[name]).map(change) } : object;
}

function probe(value: Fields): Fields {
  const filled = under(value, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  const http = mapField(filled, 'httpGet', (get) => under(get, { path: '/', scheme: 'HTTP' }));
  return mapField(http, 'grpc', (grpc) => under(grpc, { service: '' }));
}

function envEntry(entry: Fields): Fields {
  return mapField(entry, 'valueFrom', (from) => mapField(from, 'fieldRef', (ref) => under(ref, { apiVersion: 'v1' })));
}

/** `Always` for `latest` or no tag, else `IfNotPresent`. */
function pullPolicy(image: unknown): string {
  if (typeof image !== 'string' || image.includes('@')) return 'IfNotPresent';
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** Requests follow limits in pods, and only there: a template keeps what it says. */
function resources(value: Fields): Fields {
  const limits = record(value.limits);
  return Object.keys(limits).length === 0 ? value : { ...value, requests: under(record(value.requests), limits) };
}

function container(value: Fields): Fields {
  let filled = under(value, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(value.image),
    resources: {},
  });
  for (const name of ['readinessProbe', 'livenessProbe', 'startupProbe']) filled = mapField(filled, name, probe);
  filled = mapItems(filled, 'ports', (port) => under(port, { protocol: 'TCP' }));
  return mapItems(filled, 'env', envEntry);
}

function volume(value: Fields): Fields {
  const sources = ['emptyDir', 'secret', 'configMap', 'persistentVolumeClaim', 'projected', 'hostPath', 'downwardAPI'];
  let filled = value;
  if (![...sources, 'csi', 'nfs', 'ephemeral', 'image'].some((name) => value[name] !== undefined)) {
    filled = { ...value, emptyDir: {} };
  }
  for (const name of ['secret', 'configMap', 'projected', 'downwardAPI']) {
    filled = mapField(filled, name, (source) => under(source, { defaultMode: 420 }));
  }
  return mapField(filled, 'hostPath', (path) => under(path, { type: '' }));
}

/** What the API server fills into a pod's spec (v1.35 defaults). */
export function podSpec(spec: Fields): Fields {
  let filled = under(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  if (typeof filled.serviceAccountName === 'string') {
    filled = under(filled, { serviceAccount: filled.serviceAccountName });
  }
  filled = mapItems(filled, 'containers', container);
  filled = mapItems(filled, 'initContainers', container);
  return mapItems(filled, 'volumes', volume);
}

/** What the API server fills into a pod of its own, beyond what a template gets. */
export function ownPodSpec(spec: Fields): Fields {
  const filled = under(podSpec(spec), {
    serviceAccountName: 'default',
    serviceAccount: 'default',
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
  });
  return mapItems(filled, 'containers', (value) => mapField(value, 'resources', resources));
}

/** A pod template with defaults. */
export function podTemplate(template: Fields): Fields {
  const metadata = under(record(template.metadata), {});
  return mapField({ ...template, metadata }, 'spec', podSpec);
}
