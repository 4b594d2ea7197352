/** One rule of a role: an API group ('' is the core), its resources and what may be done to them. */
export type Rule = {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Only the objects of these names. `create` can not be limited so. */
  readonly names?: readonly string[];
};

/** The Secret the installation's identity is kept in. */
export const IDENTITY_SECRET = 'hakopod-identity';

/** Read in the whole cluster: what the inventory, logs and facts show. No Secret and no ConfigMap, and nothing is watched. */
export const READ_RULES: readonly Rule[] = [
  {
    group: '',
    resources: ['namespaces', 'nodes', 'pods', 'pods/log', 'events', 'services', 'persistentvolumeclaims'],
    verbs: ['get', 'list'],
  },
  { group: 'apps', resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['get', 'list'] },
  { group: 'storage.k8s.io', resources: ['storageclasses'], verbs: ['get', 'list'] },
  { group: 'authorization.k8s.io', resources: ['selfsubjectaccessreviews'], verbs: ['create'] },
];

/** In the own namespace: the identity, and the Lease whose holder saves it. It has the namespace to itself because of `create`. */
export const IDENTITY_RULES: readonly Rule[] = [
  { group: '', resources: ['secrets'], verbs: ['get', 'create'] },
  { group: '', resources: ['secrets'], names: [IDENTITY_SECRET], verbs: ['update'] },
  { group: 'coordination.k8s.io', resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** In each granted namespace: deploying, operating and exec. Secrets can be read by name and never listed; claims are never removed. */
export const DEPLOY_RULES: readonly Rule[] = [
  { group: 'apps', resources: ['deployments'], verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'] },
  { group: 'apps', resources: ['statefulsets', 'daemonsets'], verbs: ['get', 'list', 'patch', 'update', 'delete'] },
  { group: '', resources: ['services', 'configmaps'], verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'] },
  { group: '', resources: ['secrets'], verbs: ['get', 'create', 'update', 'patch', 'delete'] },
  { group: '', resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'create'] },
  { group: '', resources: ['pods'], verbs: ['delete'] },
  // A WebSocket is asked for with GET, which API servers authorise as `get` beside the `create` that exec always needs.
  { group: '', resources: ['pods/exec'], verbs: ['get', 'create'] },
];
