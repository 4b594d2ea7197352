import { randomUUID } from 'node:crypto';
import type { Manifest } from '../../kernel/index.ts';
import { badRequest, expired, refusal } from './errors.ts';
import type { Machine } from './machine.ts';
import type { ResourceInfo } from './resources.ts';
import type { Route } from './routes.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';
import type { Selection } from './store.ts';

/** One page of a list. */
export type Page = {
  readonly objects: readonly Manifest[];
  readonly version: string;
  readonly next: string | undefined;
  readonly remaining: number | undefined;
};

/** Lists that were begun: the rest of each, as it was then. The oldest are forgotten, as etcd forgets. */
export type OpenLists = Map<string, { readonly objects: readonly Manifest[]; readonly version: string }>;

const OPEN_LISTS = 64;

/** The selectors of a request; 400 when malformed or when a field can not be selected. */
export function selectionOf(route: Route, query: URLSearchParams): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  if (labels === undefined) throw badRequest('unable to parse requirement of the label selector');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
  if (fields === undefined) throw badRequest('unable to parse the field selector');
  for (const { path } of fields) {
    if (path !== 'metadata.name' && path !== 'metadata.namespace' && !route.info.selectable.includes(path)) {
      throw badRequest(`field label not supported: ${path}`);
    }
  }
  const inName = route.name === undefined ? [] : [{ path: 'metadata.name', equal: true, value: route.name }];
  return { namespace: route.namespace, labels, fields: [...fields, ...inName] };
}

/** The version a request asks for; undefined for none, 400 when malformed, 504 when it lies in the future. */
export function versionOf(machine: Machine, query: URLSearchParams): number | undefined {
  const asked = query.get('resourceVersion') ?? '';
  if (asked === '') return undefined;
  if (!/^\d{1,15}$/.test(asked)) throw badRequest('invalid resourceVersion');
  const version = Number(asked);
  if (version > machine.store.version) {
    throw refusal(504, `Timeout: Too large resource version: ${version}, current: ${machine.store.version}`, {
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
  }
  return version;
}

function limitOf(query: URLSearchParams): number {
  const limit = query.get('limit') ?? '';
  if (limit !== '' && !/^\d{1,9}$/.test(limit)) throw badRequest('invalid limit');
  return Number(limit) || Number.POSITIVE_INFINITY;
}

/** One page of what a request lists. A `continue` token goes on with the list as it was; 410 when that is forgotten. */
export function listPage(
  machine: Machine,
  open: OpenLists,
  request: { readonly route: Route; readonly query: URLSearchParams },
): Page {
  const { route, query } = request;
  const limit = limitOf(query);
  const token = query.get('continue') ?? '';
  if (token !== '') {
    const rest = open.get(token);
    if (rest === undefined) {
      throw expired('The provided continue parameter is too old to display a consistent list result.');
    }
    return cut(open, rest, limit);
  }
  const version = versionOf(machine, query);
  if (query.get('resourceVersionMatch') === 'Exact' && version !== undefined && version !== machine.store.version) {
    throw expired(`The resourceVersion for the provided list is too old: ${version}`);
  }
  const objects = machine.store.list(route.info, selectionOf(route, query));
  return cut(open, { objects, version: String(machine.store.version) }, limit);
}

function cut(
  open: OpenLists,
  list: { readonly objects: readonly Manifest[]; readonly version: string },
  limit: number,
): Page {
  if (list.objects.length <= limit) return { ...list, next: undefined, remaining: undefined };
  const rest = list.objects.slice(limit);
  // A token may be used again: its list stays until newer ones push it out.
  const token = randomUUID();
  open.set(token, { objects: rest, version: list.version });
  for (const oldest of open.keys()) {
    if (open.size <= OPEN_LISTS) break;
    open.delete(oldest);
  }
  return { objects: list.objects.slice(0, limit), version: list.version, next: token, remaining: rest.length };
}

/** How a client wants objects: whole, metadata alone, or as rows of a table (`Accept`). */
export type Form = 'object' | 'metadata' | 'table';

/** Reads an Accept header; the first form known wins, as with the API server. */
export function formOf(accept: string, info: ResourceInfo): Form {
  for (const choice of accept.split(',')) {
    if (!choice.trim().startsWith('application/json')) continue;
    if (/;as=PartialObjectMetadata(List)?(;|$)/.test(choice.replaceAll(' ', ''))) return 'metadata';
    if (/;as=Table(;|$)/.test(choice.replaceAll(' ', '')) && info.storage !== '') return 'table';
    if (!choice.includes('as=')) return 'object';
  }
  return 'object';
}
