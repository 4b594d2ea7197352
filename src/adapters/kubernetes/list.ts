import { fail, type Manifest, ok, problem, type Result } from '../../kernel/index.ts';
import type { ListQuery } from '../../ports/index.ts';
import { type Client, call } from './client.ts';
import { collectionOf } from './kinds.ts';

/** A complete list: `resourceVersion` is where a watch goes on. */
export type Listing = { readonly items: Manifest[]; readonly resourceVersion: string };

/** Objects per page: an unpaged list of 100,000 objects does not fit into a string. */
const PAGE = 500;
/** Metadata only where the server can, the whole object where it can not. */
const METADATA = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** The media types to ask for; a watch sends single objects. */
export function acceptOf(query: ListQuery, single: boolean): string {
  if (query.metadataOnly !== true) return 'application/json';
  return `application/json;${single ? METADATA.replace('List;', ';') : METADATA},application/json`;
}

/** The selectors of a query as URL parameters. */
export function selectorsOf(query: ListQuery): URLSearchParams {
  const params = new URLSearchParams();
  if (query.labelSelector !== undefined) params.set('labelSelector', query.labelSelector);
  if (query.fieldSelector !== undefined) params.set('fieldSelector', query.fieldSelector);
  return params;
}

/**
 * Reads all pages. A list whose continuation expired (410) starts over once; a second time is `gone`. Items get the apiVersion
 * and kind that typed lists leave out, and lose `managedFields`, which are often the largest part and never used here.
 */
export async function listAll(client: Client, query: ListQuery, signal?: AbortSignal): Promise<Result<Listing>> {
  const first = await pages(client, query, signal);
  return !first.ok && first.problem.code === 'gone' ? pages(client, query, signal) : first;
}

async function pages(client: Client, query: ListQuery, signal: AbortSignal | undefined): Promise<Result<Listing>> {
  const items: Manifest[] = [];
  const read = await eachPage(client, query, {
    ...(signal === undefined ? {} : { signal }),
    visit: (page) => {
      for (const item of page) items.push(item);
      return undefined;
    },
  });
  return read.ok ? ok({ items, resourceVersion: read.value }) : read;
}

/** Reads page by page and keeps none; answers where a watch goes on. `visit` ends the reading with `'stop'`. */
export async function eachPage(
  client: Client,
  query: ListQuery,
  {
    signal,
    visit,
  }: { readonly signal?: AbortSignal; readonly visit: (page: readonly Manifest[]) => 'stop' | undefined },
): Promise<Result<string>> {
  const target = collectionOf(query);
  if (!target.ok) return target;
  const params = selectorsOf(query);
  params.set('limit', String(PAGE));
  for (;;) {
    const answer = await call(client, {
      verb: 'list',
      target: target.value,
      method: 'GET',
      path: `${target.value.path}?${params}`,
      accept: acceptOf(query, false),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) return answer;
    const page = answer.value as { metadata?: { resourceVersion?: unknown; continue?: unknown }; items?: unknown };
    const found = page?.items ?? []; // an empty list of metadata is `null`
    if (!Array.isArray(found) || typeof page?.metadata?.resourceVersion !== 'string')
      return fail(problem('cluster_unavailable', undefined, { cause: { message: 'the answer is not a list' } }));
    const isOver = visit((found as Manifest[]).map((item) => tidy(item, query))) === 'stop';
    const next = page.metadata.continue;
    if (isOver || typeof next !== 'string' || next === '') return ok(page.metadata.resourceVersion);
    params.set('continue', next);
  }
}

/** Completes a listed or watched object; the parsed object itself is reused. */
export function tidy(item: Manifest, query: ListQuery): Manifest {
  const { managedFields: _, ...metadata } = item.metadata;
  const head = { apiVersion: query.apiVersion, kind: query.kind };
  return query.metadataOnly === true ? { ...head, metadata } : { ...item, ...head, metadata };
}
