import { OBJECTS, type Sent } from './oracle-objects.ts';
import type { Step } from './real-api.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

const PLURAL: Readonly<Record<string, string>> = {
  Ingress: 'ingresses',
  NetworkPolicy: 'networkpolicies',
  ResourceQuota: 'resourcequotas',
};

function collection(namespace: string, object: Pick<Sent, 'apiVersion' | 'kind'>): string {
  const root = object.apiVersion === 'v1' ? '/api/v1' : `/apis/${object.apiVersion}`;
  return `${root}/namespaces/${namespace}/${PLURAL[object.kind] ?? `${object.kind.toLowerCase()}s`}`;
}

const query = '?fieldManager=hakopod&force=true&fieldValidation=Strict';

function item(namespace: string, object: Sent): string {
  return `${collection(namespace, object)}/${object.metadata.name}`;
}

/** Requests to send to both API servers in this order. */
export function steps(namespace: string): readonly Step[] {
  const each = (make: (object: Sent) => Step): readonly Step[] => OBJECTS.map(make);
  const config = collection(namespace, { apiVersion: 'v1', kind: 'ConfigMap' });
  const web = item(namespace, OBJECTS[0]!);
  const svc = item(namespace, OBJECTS[2]!);
  const job = item(namespace, OBJECTS[4]!);
  const map = (name: string, data: unknown, more: object = {}): Sent => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
    ...more,
  });
  const deploy = OBJECTS[0]!;
  return [
    ...each((object) => ({
      method: 'POST',
      path: `${collection(namespace, object)}?fieldManager=hakopod&dryRun=All`,
      body: object,
    })),
    ...each((object) => ({ method: 'PATCH', path: `${item(namespace, object)}${query}`, body: object, type: APPLY })),
    ...each((object) => ({ method: 'PATCH', path: `${item(namespace, object)}${query}`, body: object, type: APPLY })),
    // refusals
    { method: 'POST', path: config, body: map('empty', {}) },
    { method: 'POST', path: config, body: map('Not_A_Name', {}) },
    { method: 'POST', path: config, body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } } },
    { method: 'POST', path: config, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } },
    {
      method: 'POST',
      path: config,
      body: { ...map('other', {}), metadata: { name: 'other', namespace: 'elsewhere' } },
    },
    { method: 'POST', path: config.replace(namespace, 'no-such-namespace'), body: map('a', {}) },
    { method: 'POST', path: `${config}?fieldValidation=Strict`, body: map('unknown', {}, { nonsense: 1 }) },
    { method: 'GET', path: `${config}/missing` },
    { method: 'DELETE', path: `${config}/missing` },
    { method: 'PATCH', path: `${config}/missing`, body: {}, type: MERGE },
    { method: 'GET', path: `${config}?labelSelector=a%20in%20b` },
    { method: 'GET', path: `${config}?fieldSelector=spec.nothing%3D1` },
    { method: 'GET', path: '/apis/nothing.example.org/v1/things' },
    {
      method: 'PATCH',
      path: `${config}/files${query}`,
      body: map('files', { a: 'changed' }, { immutable: true }),
      type: APPLY,
    },
    {
      method: 'PATCH',
      path: web + query,
      body: { ...deploy, spec: { ...(deploy.spec as object), replica: 1 } },
      type: APPLY,
    },
    {
      method: 'PATCH',
      path: web,
      body: { spec: { selector: { matchLabels: { other: 'x' } }, template: { metadata: { labels: { other: 'x' } } } } },
      type: MERGE,
    },
    { method: 'PATCH', path: svc, body: { spec: { clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7'] } }, type: MERGE },
    {
      method: 'PATCH',
      path: job,
      body: { spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } } },
      type: MERGE,
    },
    { method: 'PATCH', path: job, body: { spec: { completions: 2 } }, type: MERGE },
    { method: 'PATCH', path: web, body: { metadata: { resourceVersion: '1' } }, type: MERGE },
    { method: 'PATCH', path: web, body: { metadata: { uid: '00000000-0000-0000-0000-000000000000' } }, type: MERGE },
    {
      method: 'PATCH',
      path: web + query,
      body: { ...deploy, metadata: { name: 'web', uid: '00000000-0000-0000-0000-000000000000' } },
      type: APPLY,
    },
    {
      method: 'PATCH',
      path: web + query,
      body: { ...deploy, metadata: { name: 'web', resourceVersion: '1' } },
      type: APPLY,
    },
    { method: 'PATCH', path: web, body: {}, type: APPLY },
    { method: 'PATCH', path: web, body: [{ op: 'test', path: '/spec/replicas', value: 7 }], type: JSON_PATCH },
    { method: 'PATCH', path: web, body: [{ op: 'remove', path: '/spec/nothing' }], type: JSON_PATCH },
    { method: 'PATCH', path: web, body: {}, type: 'application/nonsense' },
    { method: 'DELETE', path: web, body: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } } },
    { method: 'DELETE', path: web, body: { preconditions: { resourceVersion: '1' } } },
    // field managers
    { method: 'PATCH', path: `${config}/shared${query}`, body: map('shared', { a: '1', b: '1' }), type: APPLY },
    {
      method: 'PATCH',
      path: `${config}/shared?fieldManager=other`,
      body: map('shared', { a: '2', c: '1' }),
      type: APPLY,
    },
    {
      method: 'PATCH',
      path: `${config}/shared?fieldManager=other&force=true`,
      body: map('shared', { a: '2', c: '1' }),
      type: APPLY,
    },
    { method: 'PATCH', path: `${config}/shared${query}`, body: map('shared', { a: '2' }), type: APPLY },
    {
      method: 'PATCH',
      path: `${config}/shared?fieldManager=editor`,
      body: { data: { a: '3', d: '4' }, metadata: { labels: { x: 'y' } } },
      type: MERGE,
    },
    { method: 'PATCH', path: `${config}/shared${query}`, body: map('shared', { d: '4' }), type: APPLY },
    { method: 'PATCH', path: `${config}/shared?fieldManager=editor`, body: { data: null }, type: MERGE },
    // foreign additions survive a forced apply
    {
      method: 'PATCH',
      path: `${web}?fieldManager=intruder`,
      body: [
        { op: 'add', path: '/spec/template/spec/containers/0', value: { name: 'extra', image: 'y' } },
        { op: 'add', path: '/spec/template/spec/volumes/-', value: { name: 'host', hostPath: { path: '/' } } },
        { op: 'add', path: '/spec/template/spec/hostNetwork', value: true },
      ],
      type: JSON_PATCH,
    },
    {
      method: 'PATCH',
      path: `${web}?fieldManager=intruder`,
      body: [
        { op: 'add', path: '/spec/template/spec/containers/1/env/-', value: { name: 'EVIL', value: '1' } },
        { op: 'replace', path: '/spec/replicas', value: 0 },
      ],
      type: JSON_PATCH,
    },
    { method: 'PATCH', path: web + query, body: deploy, type: APPLY },
    {
      method: 'PATCH',
      path: `${svc}?fieldManager=intruder`,
      body: [
        { op: 'add', path: '/spec/externalIPs', value: ['1.2.3.4'] },
        { op: 'add', path: '/spec/ports/-', value: { name: 'evil', port: 99, protocol: 'TCP' } },
      ],
      type: JSON_PATCH,
    },
    { method: 'PATCH', path: svc + query, body: OBJECTS[2], type: APPLY },
    { method: 'PUT', path: svc, body: OBJECTS[2] },
    { method: 'PUT', path: svc, body: OBJECTS[2] },
    { method: 'PUT', path: item(namespace, OBJECTS[6]!), body: OBJECTS[6] },
    { method: 'PUT', path: item(namespace, OBJECTS[16]!), body: OBJECTS[16] },
    {
      method: 'PATCH',
      path: `${item(namespace, OBJECTS[13]!)}${query}`,
      body: { ...OBJECTS[13], data: undefined },
      type: APPLY,
    },
    { method: 'GET', path: `${web}/scale` },
    { method: 'PATCH', path: `${web}/scale`, body: { spec: { replicas: -1 } }, type: MERGE },
    {
      method: 'PATCH',
      path: `${web}?fieldManager=hakopod`,
      body: { metadata: { annotations: { a: 'b' } } },
      type: MERGE,
    },
    { method: 'GET', path: `${collection(namespace, OBJECTS[2]!)}?limit=1` },
    { method: 'GET', path: `${config}?fieldSelector=metadata.name%3Dshared` },
    { method: 'DELETE', path: `${config}/shared?dryRun=All` },
    { method: 'DELETE', path: `${config}/shared` },
    {
      method: 'POST',
      path: config,
      body: { ...map('held', {}), metadata: { name: 'held', finalizers: ['example.org/hold'] } },
    },
    { method: 'DELETE', path: `${config}/held` },
    {
      method: 'PATCH',
      path: `${config}/held`,
      body: { metadata: { finalizers: ['example.org/hold', 'example.org/late'] } },
      type: MERGE,
    },
    { method: 'PATCH', path: `${config}/held`, body: { metadata: { finalizers: null } }, type: MERGE },
    { method: 'GET', path: `${config}/held` },
  ];
}
