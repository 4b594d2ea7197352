import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../src/kernel/index.ts';

/** What is asked for about each resource. */
export const VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'impersonate',
  'bind',
  'escalate',
];
/** `group/resource:subresource`. */
export const RESOURCES = [
  ...[
    'namespaces',
    'nodes',
    'pods',
    'pods:log',
    'pods:exec',
    'pods:attach',
    'pods:portforward',
    'pods:eviction',
    'events',
  ],
  ...[
    'services',
    'services:proxy',
    'persistentvolumeclaims',
    'persistentvolumes',
    'secrets',
    'configmaps',
    'serviceaccounts',
  ],
  ...['serviceaccounts:token', 'resourcequotas', 'apps/deployments', 'apps/deployments:scale', 'apps/replicasets'],
  ...[
    'apps/statefulsets',
    'apps/daemonsets',
    'batch/jobs',
    'storage.k8s.io/storageclasses',
    'coordination.k8s.io/leases',
  ],
  ...['rbac.authorization.k8s.io/roles', 'rbac.authorization.k8s.io/clusterroles', 'networking.k8s.io/networkpolicies'],
  'apiextensions.k8s.io/customresourcedefinitions',
];

/** The table of the behaviour reference, written down again by hand. */
export function expectedGrants(): readonly string[] {
  const all = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  const read = ['namespaces', 'nodes', 'pods', 'pods:log', 'events', 'services', 'persistentvolumeclaims'];
  const workloads = ['apps/deployments', 'apps/statefulsets', 'apps/daemonsets', 'storage.k8s.io/storageclasses'];
  const lines = ['own', 'granted', 'other'].flatMap((place) =>
    [...read, ...workloads].flatMap((resource) => [`${place} ${resource} get`, `${place} ${resource} list`]),
  );
  const give = (place: string, resource: string, verbs: readonly string[]): void =>
    void lines.push(...verbs.map((verb) => `${place} ${resource} ${verb}`));
  give('own', 'secrets', ['get', 'create']);
  give('own', 'coordination.k8s.io/leases', ['get', 'create', 'update']);
  give('granted', 'apps/deployments', all);
  give('granted', 'apps/statefulsets', ['patch', 'update', 'delete']);
  give('granted', 'apps/daemonsets', ['patch', 'update', 'delete']);
  give('granted', 'services', all);
  give('granted', 'configmaps', all);
  give('granted', 'secrets', ['get', 'create', 'update', 'patch', 'delete']);
  give('granted', 'persistentvolumeclaims', ['create']);
  give('granted', 'pods', ['delete']);
  give('granted', 'pods:exec', ['get', 'create']);
  return [...new Set(lines)].sort();
}

/** The objects of a file. */
export function documents(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** One workload of each kind that nobody runs. */
export function foreign(namespace: string): readonly Manifest[] {
  const labels = { app: 'foreign' };
  const template = {
    metadata: { labels },
    spec: {
      nodeSelector: { 'hakopod.test/none': 'yes' },
      containers: [{ name: 'main', image: 'registry.example.com/web:1' }],
    },
  };
  const metadata = { name: 'foreign', namespace };
  const spec = { selector: { matchLabels: labels }, template };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...spec, replicas: 0 } },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { ...spec, replicas: 0, serviceName: 'foreign' } },
    { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec },
  ];
}
