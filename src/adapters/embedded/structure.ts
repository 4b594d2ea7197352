import { at, type Fields, isRecord, items, record, text } from './objects.ts';

/**
 * How server-side apply sees a value: scalars and atomic values as one, maps key by key, lists by the keys of their items or as a
 * set. `defaults` fill key fields an item leaves out.
 */
export type Structure =
  | { readonly type: 'atomic' }
  | { readonly type: 'map' }
  | { readonly type: 'set' }
  | { readonly type: 'list'; readonly keys: readonly string[]; readonly defaults: Fields };

/** The structure of the value at a path of field names (list items add nothing to the path). */
export type StructureAt = (path: readonly string[], value: unknown) => Structure;

const ATOMIC: Structure = { type: 'atomic' };
const MAP: Structure = { type: 'map' };
const SET: Structure = { type: 'set' };

/** Keys are sorted, as in `fieldsV1`. */
function by(...names: readonly string[]): Structure {
  const keys = [...names].sort();
  return { type: 'list', keys, defaults: keys.includes('protocol') ? { protocol: 'TCP' } : {} };
}

/** Lists merged by key wherever they stand in a built-in kind: `x-kubernetes-list-map-keys` of the Kubernetes OpenAPI. */
const LISTS: Readonly<Record<string, Structure>> = {
  containers: by('name'),
  initContainers: by('name'),
  ephemeralContainers: by('name'),
  env: by('name'),
  volumes: by('name'),
  volumeMounts: by('mountPath'),
  volumeDevices: by('devicePath'),
  imagePullSecrets: by('name'),
  hostAliases: by('ip'),
  topologySpreadConstraints: by('topologyKey', 'whenUnsatisfiable'),
  conditions: by('type'),
  ownerReferences: by('uid'),
  schedulingGates: by('name'),
  resourceClaims: by('name'),
  claims: by('name'),
  podIPs: by('ip'),
  hostIPs: by('ip'),
  secrets: by('name'),
  finalizers: SET,
};

/** Objects of built-in kinds that are replaced as one: `x-kubernetes-map-type: atomic`. */
const ATOMIC_MAPS: ReadonlySet<string> = new Set([
  'selector',
  'labelSelector',
  'podSelector',
  'namespaceSelector',
  'nodeSelector',
  'secretKeyRef',
  'configMapKeyRef',
  'fieldRef',
  'resourceFieldRef',
  'involvedObject',
  'targetRef',
  'requiredDuringSchedulingIgnoredDuringExecution',
]);

/** The structure of built-in kinds, by field name and parent. */
export function builtInStructure(kind: string): StructureAt {
  return (path, value) => {
    const name = path.at(-1) ?? '';
    if (isRecord(value)) return ATOMIC_MAPS.has(name) && path.at(-2) !== 'matchLabels' ? ATOMIC : MAP;
    if (!Array.isArray(value)) return ATOMIC;
    if (name === 'ports') {
      if (path.at(-2) === 'containers' || path.at(-2) === 'initContainers') return by('containerPort', 'protocol');
      return kind === 'Service' && path.length === 2 ? by('port', 'protocol') : ATOMIC;
    }
    return LISTS[name] ?? ATOMIC;
  };
}

function descend(schema: Fields, name: string): Fields {
  const own = at(schema, 'properties', name);
  return record(own ?? schema.additionalProperties);
}

/** The structure an openAPIV3 schema declares; metadata follows the built-in rules, lists are atomic unless declared otherwise. */
export function schemaStructure(schema: Fields): StructureAt {
  const builtIn = builtInStructure('');
  return (path, value) => {
    if (path[0] === 'metadata') return builtIn(path, value);
    let current = schema;
    for (const name of path) {
      current = descend(current, name);
      if (isRecord(current.items)) current = { ...record(current.items), list: current };
    }
    if (isRecord(value)) return current['x-kubernetes-map-type'] === 'atomic' ? ATOMIC : MAP;
    if (!Array.isArray(value)) return ATOMIC;
    const list = record(current.list);
    const keys = items(list['x-kubernetes-list-map-keys']).map((key) => text(key) ?? '');
    if (list['x-kubernetes-list-type'] === 'map' && keys.length > 0) return by(...keys);
    return list['x-kubernetes-list-type'] === 'set' ? SET : ATOMIC;
  };
}
