import type { Manifest, ObjectRef, Result } from '../../../kernel/index.ts';
import { refOf } from '../../../kernel/index.ts';
import { OPERATION_LIMITS } from '../../../ports/cluster-operations/index.ts';
import type { DeleteOptions } from '../../../ports/index.ts';
import { type Call, type CallResult, type Client, call } from '../client.ts';
import { collectionOf, objectPath, singleCollection, type Target } from '../kinds.ts';
import { selectorsOf, tidy } from '../list.ts';
import type { Answer, ApiList, CallFailure, ClusterApi, Listed, Patch, Right } from './api.ts';
import { at, isFields, records, text } from './fields.ts';

/** The same field manager as every write of ours; strict for what we render, so that a field the server would drop is an error. */
const MANAGER = 'fieldManager=hakopod';
const STRICT = `${MANAGER}&fieldValidation=Strict`;
const PATCH_TYPES = { merge: 'application/merge-patch+json', strategic: 'application/strategic-merge-patch+json' };

/** `ClusterApi` over our raw JSON client. Calls have no timeout of their own beyond the client's: bound them by the signal. */
export function createApi(client: Client): ClusterApi {
  return {
    get: (ref, signal) => one(client, objectPath(ref), (path) => ({ verb: 'get', method: 'GET', path, signal })),
    list: (query, signal) => list(client, query, signal),
    create: (manifest, signal) =>
      one(client, singleCollection(refOf(manifest)), (path) => ({
        verb: 'create',
        method: 'POST',
        path: `${path}?${STRICT}`,
        body: manifest,
        signal,
      })),
    replace: (manifest, signal) =>
      one(client, objectPath(refOf(manifest)), (path) => ({
        verb: 'update',
        method: 'PUT',
        path: `${path}?${STRICT}`,
        body: manifest,
        signal,
      })),
    patch: (ref: ObjectRef, patch: Patch, signal) =>
      one(client, objectPath(ref), (path) => ({
        verb: 'patch',
        method: 'PATCH',
        path: `${path}?${MANAGER}`,
        contentType: PATCH_TYPES[patch.type],
        body: patch.body,
        signal,
      })),
    delete: (ref, options, signal) => remove(client, ref, options, signal),
    review: (right, signal) => review(client, right, signal),
    version: async (signal) => {
      const target = { path: '/version', resource: 'version', kind: 'version' };
      const answer = answered(await call(client, { verb: 'get', target, method: 'GET', path: '/version', signal }));
      return answer.ok && !isFields(answer.value) ? { ok: false, failure: {} } : (answer as Answer<never>);
    },
  };
}

/** Keeps "the server said no" and "nobody answered" apart: the whole classification rests on it. */
function answered(result: CallResult): Answer<unknown> {
  if (result.ok) return { ok: true, value: result.value };
  const { refusal } = result;
  if (refusal === undefined) return { ok: false, failure: {} };
  const reason = text(at(refusal.body, 'reason'));
  const fields = records(at(refusal.body, 'details', 'causes')).flatMap((cause) => text(cause.field) ?? []);
  const failure: CallFailure = { status: refusal.status, ...(reason === undefined ? {} : { reason }), fields };
  return { ok: false, failure };
}

async function one(
  client: Client,
  target: Result<Target>,
  request: (path: string) => Omit<Call, 'target'>,
): Promise<Answer<Manifest>> {
  if (!target.ok) return { ok: false, failure: {} };
  const answer = answered(await call(client, { ...request(target.value.path), target: target.value }));
  if (!answer.ok) return answer;
  return isFields(at(answer.value, 'metadata')) ? (answer as Answer<Manifest>) : { ok: false, failure: {} };
}

async function list(client: Client, query: ApiList, signal: AbortSignal): Promise<Answer<Listed>> {
  const target = collectionOf(query);
  if (!target.ok) return { ok: false, failure: {} };
  const params = selectorsOf(query);
  params.set('limit', String(query.limit ?? OPERATION_LIMITS.pageSize));
  const items: Manifest[] = [];
  for (;;) {
    const path = `${target.value.path}?${params}`;
    const answer = answered(await call(client, { verb: 'list', target: target.value, method: 'GET', path, signal }));
    if (!answer.ok) return answer;
    for (const item of records(at(answer.value, 'items'))) items.push(tidy(item as Manifest, query));
    const next = text(at(answer.value, 'metadata', 'continue')) ?? '';
    if (next === '' || items.length > (query.stopAfter ?? Number.POSITIVE_INFINITY))
      return { ok: true, value: { items, more: next !== '' } };
    params.set('continue', next);
  }
}

async function remove(
  client: Client,
  ref: ObjectRef,
  { uid, resourceVersion, propagation }: DeleteOptions,
  signal: AbortSignal,
): Promise<Answer<void>> {
  const target = objectPath(ref);
  if (!target.ok) return { ok: false, failure: {} };
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: resourceVersion === undefined ? { uid } : { uid, resourceVersion },
    propagationPolicy: propagation,
  };
  const { path } = target.value;
  const answer = answered(
    await call(client, { verb: 'delete', target: target.value, method: 'DELETE', path, body, signal }),
  );
  return answer.ok ? { ok: true, value: undefined } : answer;
}

async function review(client: Client, right: Right, signal: AbortSignal): Promise<Answer<boolean>> {
  const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
  const body = { ...kind, spec: { resourceAttributes: right } };
  const target = collectionOf(kind);
  if (!target.ok) return { ok: false, failure: {} };
  const { path } = target.value;
  const answer = answered(
    await call(client, { verb: 'create', target: target.value, method: 'POST', path, body, signal }),
  );
  if (!answer.ok) return answer;
  const allowed = at(answer.value, 'status', 'allowed');
  return typeof allowed === 'boolean' ? { ok: true, value: allowed } : { ok: false, failure: {} };
}
