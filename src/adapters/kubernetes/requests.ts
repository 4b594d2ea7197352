import { type Answer, at, isFields, type Manifest, type ObjectRef, type Result, refOf } from '../../kernel/index.ts';
import type { DeleteOptions } from '../../ports/index.ts';
import { unanswered } from './answers.ts';
import type { ApiList, ClusterApi, Patch, Right } from './api.ts';
import { type Call, type Client, call } from './client.ts';
import { collectionOf, objectPath, singleCollection, type Target } from './kinds.ts';
import { type Listing, listPages } from './list.ts';

/** One field manager for every write of ours. */
const MANAGER = 'fieldManager=hakopod';
/** For what we render: a field the server would drop is an error instead. */
const STRICT = `${MANAGER}&fieldValidation=Strict`;
const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** `apply` is a forced server-side apply. `strict`: the patch holds what we render alone. */
export type RequestedPatch = {
  readonly type: Patch['type'] | 'apply';
  readonly body: object;
  readonly strict?: true;
  readonly dryRun?: boolean;
  readonly subresource?: 'status' | undefined;
};

/**
 * Every request to the API server but watches and streams, for the `Cluster` port and for the operations alike: one request each (a list: one
 * per page). Bounded by the signal, where there is one, and by the client's own time.
 */
export interface Requests extends ClusterApi {
  get(ref: ObjectRef, signal?: AbortSignal): Promise<Answer<Manifest>>;
  list(query: ApiList, signal?: AbortSignal): Promise<Answer<Listing>>;
  create(manifest: Manifest, signal?: AbortSignal): Promise<Answer<Manifest>>;
  replace(manifest: Manifest, signal?: AbortSignal, subresource?: 'status'): Promise<Answer<Manifest>>;
  patch(ref: ObjectRef, patch: RequestedPatch, signal?: AbortSignal): Promise<Answer<Manifest>>;
  delete(ref: ObjectRef, options: DeleteOptions, signal?: AbortSignal): Promise<Answer<void>>;
  review(right: Right, signal?: AbortSignal): Promise<Answer<boolean>>;
  version(signal?: AbortSignal): Promise<Answer<Readonly<Record<string, unknown>>>>;
}

/** The requests over one client. A reference that can not be part of a path is not sent, and answers without a status. */
export function createRequests(client: Client): Requests {
  return {
    get: (ref, signal) => one(client, objectPath(ref), ({ path }) => ({ verb: 'get', method: 'GET', path, signal })),
    list: (query, signal) => listPages(client, query, signal),
    create: (body, signal) =>
      one(client, singleCollection(refOf(body)), ({ path }) => ({
        verb: 'create',
        method: 'POST',
        path: `${path}?${STRICT}`,
        body,
        signal,
      })),
    replace: (body, signal, subresource) =>
      one(client, objectPath(refOf(body), subresource), ({ path }) => ({
        verb: 'update',
        method: 'PUT',
        path: `${path}?${STRICT}`,
        body,
        signal,
      })),
    patch: (ref, patch, signal) =>
      one(client, objectPath(ref, patch.subresource), ({ path }) => ({
        verb: 'patch',
        method: 'PATCH',
        path: `${path}?${optionsOf(patch)}`,
        contentType: PATCH_TYPES[patch.type],
        body: patch.body,
        signal,
      })),
    delete: async (ref, options, signal) => {
      const target = objectPath(ref);
      const answer = await sent(client, target, ({ path }) => ({
        verb: 'delete',
        method: 'DELETE',
        path,
        body: deletion(options),
        signal,
      }));
      return answer.ok ? { ok: true, value: undefined } : answer;
    },
    review: (right, signal) => review(client, right, signal),
    version: async (signal) => {
      const target = { path: '/version', resource: 'version', kind: 'version' };
      const answer = await call(client, { verb: 'get', target, method: 'GET', path: target.path, ...bound(signal) });
      if (!answer.ok) return answer;
      return isFields(answer.value) ? { ok: true, value: answer.value } : unanswered(new Error('there is no version'));
    },
  };
}

function optionsOf({ type, strict, dryRun }: RequestedPatch): string {
  const isApply = type === 'apply';
  const options = isApply || strict === true ? STRICT : MANAGER;
  return `${options}${isApply ? '&force=true' : ''}${dryRun === true ? '&dryRun=All' : ''}`;
}

/** Bound to what was read: another object of the same name stays (invariant 8). */
function deletion({ uid, resourceVersion, propagation }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: resourceVersion === undefined ? { uid } : { uid, resourceVersion },
    propagationPolicy: propagation,
  };
}

type Wanted = Omit<Call, 'target' | 'signal'> & { readonly signal: AbortSignal | undefined };

function bound(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

async function sent(
  client: Client,
  target: Result<Target>,
  request: (target: Target) => Wanted,
): Promise<Answer<unknown>> {
  if (!target.ok) return unanswered(new Error(target.problem.message));
  const { signal, ...wanted } = request(target.value);
  return call(client, { ...wanted, target: target.value, ...bound(signal) });
}

async function one(
  client: Client,
  target: Result<Target>,
  request: (target: Target) => Wanted,
): Promise<Answer<Manifest>> {
  const answer = await sent(client, target, request);
  if (!answer.ok) return answer;
  const isObject = isFields(at(answer.value, 'metadata'));
  return isObject ? (answer as Answer<Manifest>) : unanswered(new Error('the answer is not an object'));
}

async function review(client: Client, right: Right, signal: AbortSignal | undefined): Promise<Answer<boolean>> {
  const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
  const body = { ...kind, spec: { resourceAttributes: right } };
  const answer = await sent(client, collectionOf(kind), ({ path }) => ({
    verb: 'create',
    method: 'POST',
    path,
    body,
    signal,
  }));
  if (!answer.ok) return answer;
  const allowed = at(answer.value, 'status', 'allowed');
  return typeof allowed === 'boolean' ? { ok: true, value: allowed } : unanswered(new Error('the answer is no review'));
}
