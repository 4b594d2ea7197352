import { fail, type ObjectRef, ok, problem, type Result } from '../../kernel/index.ts';
import type { ListQuery } from '../../ports/index.ts';
import type { Right } from './api.ts';

type Resource = { readonly plural: string; readonly namespaced: boolean };

function namespaced(plural: string): Resource {
  return { plural, namespaced: true };
}
function clusterScoped(plural: string): Resource {
  return { plural, namespaced: false };
}

/** Every kind Hakopod reads or writes. A table instead of discovery: no call, and nothing outside it can be touched. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Resource>>>> = {
  v1: {
    ConfigMap: namespaced('configmaps'),
    Endpoints: namespaced('endpoints'),
    Event: namespaced('events'),
    LimitRange: namespaced('limitranges'),
    Namespace: clusterScoped('namespaces'),
    Node: clusterScoped('nodes'),
    PersistentVolume: clusterScoped('persistentvolumes'),
    PersistentVolumeClaim: namespaced('persistentvolumeclaims'),
    Pod: namespaced('pods'),
    ResourceQuota: namespaced('resourcequotas'),
    Secret: namespaced('secrets'),
    Service: namespaced('services'),
    ServiceAccount: namespaced('serviceaccounts'),
  },
  'apps/v1': {
    ControllerRevision: namespaced('controllerrevisions'),
    DaemonSet: namespaced('daemonsets'),
    Deployment: namespaced('deployments'),
    ReplicaSet: namespaced('replicasets'),
    StatefulSet: namespaced('statefulsets'),
  },
  'batch/v1': { CronJob: namespaced('cronjobs'), Job: namespaced('jobs') },
  'networking.k8s.io/v1': {
    Ingress: namespaced('ingresses'),
    IngressClass: clusterScoped('ingressclasses'),
    NetworkPolicy: namespaced('networkpolicies'),
  },
  'autoscaling/v2': { HorizontalPodAutoscaler: namespaced('horizontalpodautoscalers') },
  'policy/v1': { PodDisruptionBudget: namespaced('poddisruptionbudgets') },
  'coordination.k8s.io/v1': { Lease: namespaced('leases') },
  'discovery.k8s.io/v1': { EndpointSlice: namespaced('endpointslices') },
  'storage.k8s.io/v1': { StorageClass: clusterScoped('storageclasses') },
  'rbac.authorization.k8s.io/v1': {
    ClusterRole: clusterScoped('clusterroles'),
    ClusterRoleBinding: clusterScoped('clusterrolebindings'),
    Role: namespaced('roles'),
    RoleBinding: namespaced('rolebindings'),
  },
  'apiextensions.k8s.io/v1': { CustomResourceDefinition: clusterScoped('customresourcedefinitions') },
  'authorization.k8s.io/v1': {
    LocalSubjectAccessReview: namespaced('localsubjectaccessreviews'),
    SelfSubjectAccessReview: clusterScoped('selfsubjectaccessreviews'),
    SubjectAccessReview: clusterScoped('subjectaccessreviews'),
  },
  'hakopod.io/v1': {
    Application: namespaced('applications'),
    AuditRecord: namespaced('auditrecords'),
    BuildRun: namespaced('buildruns'),
    ClusterRun: namespaced('clusterruns'),
    DomainClaim: namespaced('domainclaims'),
    GitRepository: namespaced('gitrepositories'),
    GitSource: namespaced('gitsources'),
    Identity: namespaced('identities'),
    Plan: namespaced('plans'),
    Project: namespaced('projects'),
    Release: namespaced('releases'),
    Role: namespaced('roles'),
    Settings: namespaced('settings'),
  },
};

/** Names of objects and namespaces as they may stand in a URL path: no `/`, no `..`, nothing to escape. */
const PATH_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?$/;

/** Where a kind is served: the URL path of its collection, its plural name and kind (for messages). */
export type Target = { readonly path: string; readonly resource: string; readonly kind: string };

/** The collection a query lists or a new object is posted to. A namespaced kind without namespace is all namespaces. */
export function collectionOf(query: Pick<ListQuery, 'apiVersion' | 'kind' | 'namespace'>): Result<Target> {
  const group = Object.hasOwn(KINDS, query.apiVersion) ? KINDS[query.apiVersion] : undefined;
  const resource = group !== undefined && Object.hasOwn(group, query.kind) ? group[query.kind] : undefined;
  if (resource === undefined) return fail(problem('invalid_object', 'this kind is not one Hakopod works with'));
  const base = query.apiVersion.includes('/') ? `/apis/${query.apiVersion}` : `/api/${query.apiVersion}`;
  if (query.namespace === undefined) return ok(target(`${base}/${resource.plural}`, resource, query.kind));
  if (!resource.namespaced) return fail(problem('invalid_object', `${query.kind} objects have no namespace`));
  if (!PATH_NAME.test(query.namespace)) return fail(problem('invalid_object', 'the namespace is not a valid name'));
  return ok(target(`${base}/namespaces/${query.namespace}/${resource.plural}`, resource, query.kind));
}

/** The place of one object, or of its subresource. */
export function objectPath(ref: ObjectRef, subresource?: 'status'): Result<Target> {
  const collection = singleCollection(ref);
  if (!collection.ok) return collection;
  if (!PATH_NAME.test(ref.name)) return fail(problem('invalid_object', `the name of the ${ref.kind} is not valid`));
  const tail = subresource === undefined ? '' : `/${subresource}`;
  return ok({ ...collection.value, path: `${collection.value.path}/${ref.name}${tail}` });
}

/** Like `collectionOf`, but a namespaced kind must name its namespace: one object lives in one place. */
export function singleCollection(ref: Pick<ObjectRef, 'apiVersion' | 'kind' | 'namespace'>): Result<Target> {
  const collection = collectionOf(ref);
  if (collection.ok && ref.namespace === undefined && KINDS[ref.apiVersion]?.[ref.kind]?.namespaced === true)
    return fail(problem('invalid_object', `a ${ref.kind} needs a namespace`));
  return collection;
}

/** The name of a kind's objects in paths and roles. */
export function resourceOf({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): string {
  return KINDS[apiVersion]?.[kind]?.plural ?? kind.toLowerCase();
}

/** The right to use a verb on exactly one object, or on its subresource. */
export function rightOn(ref: ObjectRef, verb: string, subresource?: string): Right {
  const { apiVersion, namespace, name } = ref;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return {
    verb,
    group,
    resource: resourceOf(ref),
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    name,
  };
}

function target(path: string, resource: Resource, kind: string): Target {
  return { path, resource: resource.plural, kind };
}
