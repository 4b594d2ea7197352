import type { Fields } from './objects.ts';

/** What the server knows about one resource of one API version. */
export type ResourceInfo = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** Groups that `kubectl get` knows it by, such as `all`. */
  readonly categories: readonly string[];
  /** `group/plural`: all versions of a resource share their objects. */
  readonly storage: string;
  readonly status: boolean;
  readonly scale: boolean;
  /** What a change of bumps `metadata.generation`: nothing, the spec, the spec or annotations, or all but metadata and status. */
  readonly generation: 'none' | 'spec' | 'spec+annotations' | 'content';
  /** A PUT without a resourceVersion is accepted. */
  readonly unconditional: boolean;
  /** Dotted fields, beside name and namespace, that a fieldSelector may name. */
  readonly selectable: readonly string[];
  /** Set for resources that a CustomResourceDefinition made. */
  readonly custom?: CustomInfo;
};

export type CustomInfo = {
  readonly schema: Fields | undefined;
  readonly columns: readonly Fields[];
};

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(info: Pick<ResourceInfo, 'group' | 'version'>): string {
  return info.group === '' ? info.version : `${info.group}/${info.version}`;
}

type Row = readonly [groupVersion: string, kind: string, plural: string, traits?: Partial<ResourceInfo>];

const STATUS = { status: true } as const;
const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const EVENT_FIELDS = [...INVOLVED.map((field) => `involvedObject.${field}`), 'reason', 'type', 'reportingComponent'];
const POD_FIELDS = ['spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName', 'status.phase', 'status.podIP'];

const ROWS: readonly Row[] = [
  [
    'v1',
    'Namespace',
    'namespaces',
    { namespaced: false, status: true, shortNames: ['ns'], selectable: ['status.phase'] },
  ],
  ['v1', 'Secret', 'secrets', { selectable: ['type'] }],
  ['v1', 'ConfigMap', 'configmaps', { shortNames: ['cm'] }],
  ['v1', 'Service', 'services', { status: true, shortNames: ['svc'], selectable: ['spec.clusterIP', 'spec.type'] }],
  ['v1', 'Pod', 'pods', { status: true, shortNames: ['po'], generation: 'spec', selectable: POD_FIELDS }],
  ['v1', 'Event', 'events', { shortNames: ['ev'], selectable: EVENT_FIELDS }],
  ['v1', 'ResourceQuota', 'resourcequotas', { status: true, shortNames: ['quota'] }],
  ['v1', 'LimitRange', 'limitranges', { shortNames: ['limits'] }],
  ['v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { status: true, shortNames: ['pvc'] }],
  // Stands alone: claims are bound to volumes that are not there, unless a test puts them there.
  ['v1', 'PersistentVolume', 'persistentvolumes', { namespaced: false, status: true, shortNames: ['pv'] }],
  ['v1', 'Node', 'nodes', { namespaced: false, status: true, shortNames: ['no'], selectable: ['spec.unschedulable'] }],
  ['v1', 'ServiceAccount', 'serviceaccounts', { shortNames: ['sa'] }],
  [
    'apps/v1',
    'Deployment',
    'deployments',
    { status: true, scale: true, shortNames: ['deploy'], generation: 'spec+annotations' },
  ],
  [
    'apps/v1',
    'ReplicaSet',
    'replicasets',
    { status: true, scale: true, shortNames: ['rs'], generation: 'spec', selectable: ['status.replicas'] },
  ],
  // Kept but run by no controller, as are storage classes.
  ['apps/v1', 'StatefulSet', 'statefulsets', { status: true, scale: true, shortNames: ['sts'], generation: 'spec' }],
  ['apps/v1', 'DaemonSet', 'daemonsets', { status: true, shortNames: ['ds'], generation: 'spec' }],
  ['storage.k8s.io/v1', 'StorageClass', 'storageclasses', { namespaced: false, shortNames: ['sc'] }],
  ['batch/v1', 'Job', 'jobs', { status: true, generation: 'spec', selectable: ['status.successful'] }],
  ['batch/v1', 'CronJob', 'cronjobs', { status: true, shortNames: ['cj'], generation: 'spec' }],
  ['networking.k8s.io/v1', 'Ingress', 'ingresses', { status: true, shortNames: ['ing'], generation: 'spec' }],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', { shortNames: ['netpol'], generation: 'spec' }],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', { ...STATUS, shortNames: ['hpa'] }],
  ['coordination.k8s.io/v1', 'Lease', 'leases', { unconditional: false }],
  ['policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', { ...STATUS, shortNames: ['pdb'], generation: 'spec' }],
  [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    { namespaced: false, status: true, shortNames: ['crd', 'crds'], generation: 'spec', unconditional: false },
  ],
];

function build([groupVersion, kind, plural, traits = {}]: Row): ResourceInfo {
  const slash = groupVersion.indexOf('/');
  const group = slash < 0 ? '' : groupVersion.slice(0, slash);
  return {
    group,
    version: groupVersion.slice(slash + 1),
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: true,
    shortNames: [],
    categories: plural === 'pods' ? ['all'] : [],
    storage: `${group}/${plural}`,
    status: false,
    scale: false,
    generation: 'none',
    unconditional: true,
    selectable: [],
    ...traits,
  };
}

/** The resources that need no CustomResourceDefinition. */
export const BUILT_IN: readonly ResourceInfo[] = ROWS.map(build);

/** All resources served now: the built-in ones and those of the CustomResourceDefinitions stored. */
export class Registry {
  readonly #byPath = new Map<string, ResourceInfo>();
  readonly #byKind = new Map<string, ResourceInfo>();

  constructor() {
    for (const info of BUILT_IN) this.add(info);
  }

  add(info: ResourceInfo): void {
    this.#byPath.set(`${apiVersionOf(info)}/${info.plural}`, info);
    this.#byKind.set(`${apiVersionOf(info)}/${info.kind}`, info);
  }

  remove(info: ResourceInfo): void {
    this.#byPath.delete(`${apiVersionOf(info)}/${info.plural}`);
    this.#byKind.delete(`${apiVersionOf(info)}/${info.kind}`);
  }

  /** By `apiVersion` and plural name. */
  find(apiVersion: string, plural: string): ResourceInfo | undefined {
    return this.#byPath.get(`${apiVersion}/${plural}`);
  }

  /** By `apiVersion` and kind. */
  ofKind(apiVersion: string, kind: string): ResourceInfo | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  all(): readonly ResourceInfo[] {
    return [...this.#byPath.values()];
  }
}

/** A built-in resource by its plural name; a wrong name is a bug of this folder. */
export function builtIn(plural: string): ResourceInfo {
  const info = BUILT_IN.find((candidate) => candidate.plural === plural);
  if (info === undefined) throw new Error(`no built-in resource ${plural}`);
  return info;
}
