import type { Registry, ResourceInfo } from './resources.ts';

/** A request for a resource, as the API server understands it. */
export type Route = {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | undefined;
  readonly info: ResourceInfo;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
};

const ITEM_VERBS: Readonly<Record<string, Route['verb']>> = {
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  POST: 'create',
};

function verbOf(method: string, name: string | undefined, watch: boolean): Route['verb'] {
  if (name !== undefined) return ITEM_VERBS[method];
  if (method === 'GET') return watch ? 'watch' : 'list';
  if (method === 'POST') return 'create';
  return method === 'DELETE' ? 'deletecollection' : undefined;
}

/** Splits a path into decoded segments; undefined when it can not be decoded. */
export function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** The segments after the group and version, and their apiVersion; undefined outside `/api` and `/apis`. */
function rooted(
  segments: readonly string[],
): { readonly apiVersion: string; readonly rest: readonly string[] } | undefined {
  if (segments[0] === 'api' && segments[1] !== undefined) return { apiVersion: segments[1], rest: segments.slice(2) };
  if (segments[0] !== 'apis' || segments[2] === undefined) return undefined;
  return { apiVersion: `${segments[1]}/${segments[2]}`, rest: segments.slice(3) };
}

/** Understands `/api/v1/...` and `/apis/<group>/<version>/...`; undefined when no resource is served there. */
export function routeOf(
  registry: Registry,
  request: { readonly method: string; readonly segments: readonly string[]; readonly query: URLSearchParams },
): Route | undefined {
  const { method, segments, query } = request;
  const root = rooted(segments);
  if (root === undefined) return undefined;
  const { apiVersion, rest } = root;
  const scoped = rest[0] === 'namespaces' && rest.length >= 3 && registry.find(apiVersion, rest[2] ?? '');
  const namespace = scoped ? rest[1] : undefined;
  const [plural, name, subresource, ...more] = scoped ? rest.slice(2) : rest;
  const info = scoped || registry.find(apiVersion, plural ?? '');
  // What is asked of a kubelet through the API server.
  const isProxied = info && info.storage === '/nodes' && subresource === 'proxy' && more.join('/') === 'stats/summary';
  if (isProxied) return { verb: verbOf(method, name, false), info, namespace: undefined, name, subresource };
  if (!info || more.length > 0 || (namespace !== undefined) !== info.namespaced) {
    // Lists and watches across all namespaces name no namespace.
    const across = info?.namespaced && namespace === undefined && name === undefined && more.length === 0;
    if (!info || !across) return undefined;
  }
  const watch = ['true', '1'].includes(query.get('watch') ?? '');
  return { verb: verbOf(method, name, watch), info, namespace, name, subresource };
}
