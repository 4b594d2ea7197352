import type { Fields } from './objects.ts';
import { apiVersionOf, type Registry, type ResourceInfo } from './resources.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function resourceEntries(info: ResourceInfo): readonly Fields[] {
  const entry = (name: string, kind: string, verbs: readonly string[]): Fields => ({
    name,
    singularName: name.includes('/') ? '' : info.singular,
    namespaced: info.namespaced,
    kind,
    verbs,
  });
  const main = { ...entry(info.plural, info.kind, VERBS), shortNames: info.shortNames };
  const entries: Fields[] = [info.categories.length > 0 ? { ...main, categories: info.categories } : main];
  if (info.status) entries.push(entry(`${info.plural}/status`, info.kind, ['get', 'patch', 'update']));
  if (info.scale) {
    const scale = entry(`${info.plural}/scale`, 'Scale', ['get', 'patch', 'update']);
    entries.push({ ...scale, group: 'autoscaling', version: 'v1' });
  }
  if (info.storage === '/pods') entries.push(entry('pods/log', 'Pod', ['get']));
  return entries;
}

function resourceList(registry: Registry, apiVersion: string): Fields | undefined {
  const found = registry.all().filter((info) => apiVersionOf(info) === apiVersion);
  if (apiVersion === 'authorization.k8s.io/v1') {
    const review = {
      name: 'selfsubjectaccessreviews',
      singularName: '',
      namespaced: false,
      kind: 'SelfSubjectAccessReview',
      verbs: ['create'],
    };
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources: [review] };
  }
  if (found.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion,
    resources: found.flatMap(resourceEntries),
  };
}

function groups(registry: Registry): readonly Fields[] {
  const versions = new Map<string, Set<string>>([['authorization.k8s.io', new Set(['v1'])]]);
  for (const info of registry.all()) {
    if (info.group === '') continue;
    const known = versions.get(info.group) ?? new Set();
    versions.set(info.group, known.add(info.version));
  }
  return [...versions].map(([name, known]) => {
    const list = [...known].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: list, preferredVersion: list[0] };
  });
}

/** The documents that are not objects: version, health, discovery; undefined when the path is none of them. */
export function documentAt(registry: Registry, segments: readonly string[]): Fields | string | undefined {
  const path = segments.join('/');
  if (['healthz', 'readyz', 'livez'].includes(segments[0] ?? '')) return 'ok';
  switch (path) {
    case 'version':
      return {
        major: '1',
        minor: '35',
        gitVersion: 'v1.35.4+embedded',
        platform: 'linux/amd64',
        goVersion: 'none',
        gitCommit: '',
        gitTreeState: 'clean',
        buildDate: '1970-01-01T00:00:00Z',
        compiler: 'none',
      };
    case 'api':
      return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    case 'apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups(registry) };
    case 'openapi/v3':
      return { paths: {} };
    default:
  }
  if (segments[0] === 'api' && segments.length === 2) return resourceList(registry, segments[1] ?? '');
  if (segments[0] !== 'apis') return undefined;
  if (segments.length === 2) {
    const group = groups(registry).find(({ name }) => name === segments[1]);
    return group === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...group };
  }
  return segments.length === 3 ? resourceList(registry, `${segments[1]}/${segments[2]}`) : undefined;
}
