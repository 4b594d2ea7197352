import { type Answer, at, fail, failureClass, type Manifest, ok, type Result, text } from '../../kernel/index.ts';
import type { ListQuery } from '../../ports/index.ts';
import { intentOn, problemOf, unanswered } from './answers.ts';
import type { ApiList, Listed } from './api.ts';
import { type Client, call } from './client.ts';
import { collectionOf } from './kinds.ts';

/** What was listed; `resourceVersion` is where a watch of a complete list goes on. */
export type Listing = Listed & { readonly resourceVersion: string };

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
 * Reads pages, all of them unless told to stop earlier. A list whose continuation expired (410) starts over once. Items get the apiVersion
 * and kind that typed lists leave out, and lose `managedFields`, which are often the largest part and never used here.
 */
export async function listPages(client: Client, query: ApiList, signal?: AbortSignal): Promise<Answer<Listing>> {
  const first = await pages(client, query, signal);
  const isExpired = !first.ok && failureClass(first.failure) === 'gone';
  return isExpired ? pages(client, query, signal) : first;
}

/** `listPages` for those who answer with problems: a second expired continuation is `gone`. */
export async function listAll(client: Client, query: ListQuery, signal?: AbortSignal): Promise<Result<Listing>> {
  return resultOf(query, () => listPages(client, query, signal));
}

/** Reads page by page and keeps none; answers where a watch goes on. `visit` ends the reading with `'stop'`. */
export async function eachPage(client: Client, query: ListQuery, reading: Reading): Promise<Result<string>> {
  const read = await resultOf(query, () => readPages(client, query, reading));
  return read.ok ? ok(read.value.resourceVersion) : read;
}

async function resultOf<T>(query: ListQuery, read: () => Promise<Answer<T>>): Promise<Result<T>> {
  const target = collectionOf(query);
  if (!target.ok) return target;
  const answer = await read();
  return answer.ok ? answer : fail(problemOf(answer.failure, intentOn(query, 'list')));
}

async function pages(client: Client, query: ApiList, signal: AbortSignal | undefined): Promise<Answer<Listing>> {
  const { limit, stopAfter = Number.POSITIVE_INFINITY } = query;
  const items: Manifest[] = [];
  const read = await readPages(client, query, {
    ...(signal === undefined ? {} : { signal }),
    ...(limit === undefined ? {} : { limit }),
    visit: (page) => {
      for (const item of page) items.push(item);
      return items.length > stopAfter ? 'stop' : undefined;
    },
  });
  return read.ok ? { ok: true, value: { items, ...read.value } } : read;
}

type Reading = {
  readonly signal?: AbortSignal;
  readonly limit?: number;
  readonly visit: (page: readonly Manifest[]) => 'stop' | undefined;
};

async function readPages(
  client: Client,
  query: ListQuery,
  { signal, limit = PAGE, visit }: Reading,
): Promise<Answer<Pick<Listing, 'more' | 'resourceVersion'>>> {
  const target = collectionOf(query);
  if (!target.ok) return unanswered(new Error(target.problem.message));
  const params = selectorsOf(query);
  params.set('limit', String(limit));
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
    const found = at(answer.value, 'items') ?? []; // an empty list of metadata is `null`
    const resourceVersion = text(at(answer.value, 'metadata', 'resourceVersion'));
    if (!Array.isArray(found) || resourceVersion === undefined)
      return unanswered(new Error('the answer is not a list'));
    const isOver = visit((found as Manifest[]).map((item) => tidy(item, query))) === 'stop';
    const next = text(at(answer.value, 'metadata', 'continue')) ?? '';
    if (isOver || next === '') return { ok: true, value: { more: next !== '', resourceVersion } };
    params.set('continue', next);
  }
}

/** Completes a listed or watched object; the parsed object itself is reused. */
export function tidy(item: Manifest, query: ListQuery): Manifest {
  const { managedFields: _, ...metadata } = item.metadata;
  const head = { apiVersion: query.apiVersion, kind: query.kind };
  return query.metadataOnly === true ? { ...head, metadata } : { ...item, ...head, metadata };
}
