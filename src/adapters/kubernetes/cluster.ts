import {
  type Answer,
  fail,
  isMissing,
  type Manifest,
  type ObjectRef,
  ok,
  type Result,
  refOf,
} from '../../kernel/index.ts';
import type { Clock, Cluster, DeleteOptions, ListQuery, Log, ObjectCache } from '../../ports/index.ts';
import { intentOn, problemOf } from './answers.ts';
import { WatchCache } from './cache.ts';
import type { Client } from './client.ts';
import type { KubeConnection } from './connection.ts';
import { deleteRead } from './delete-read.ts';
import { objectPath, rightOn, singleCollection } from './kinds.ts';
import { listAll } from './list.ts';
import { tellRefusal } from './refusal.ts';
import { createRequests, type Requests } from './requests.ts';
import { waitFor } from './wait-for.ts';
import { WATCH, type WatchTuning } from './watch.ts';

export type ClusterOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
  /** Milliseconds per call. */
  readonly timeoutMs?: number;
  readonly watch?: Partial<WatchTuning>;
  /** A number in [0, 1), for jitter. */
  readonly random?: () => number;
};

const CALL_MS = 30_000;

/** The `Cluster` port over one connection. Needs no closing of its own; stop the caches and close the connection. */
export function createCluster(connection: KubeConnection, options: ClusterOptions): Cluster {
  const { clock, userAgent, timeoutMs = CALL_MS } = options;
  const client: Client = { connection, clock, userAgent, timeoutMs };
  const requests = createRequests(client);
  const shared = {
    client,
    log: options.log,
    tuning: { ...WATCH, ...options.watch },
    random: options.random ?? Math.random,
  };
  return {
    get: (ref, signal) => get(requests, ref, signal),
    list: async (query, signal) => {
      const listing = await listAll(client, query, signal);
      return listing.ok ? ok(listing.value.items) : listing;
    },
    create: (manifest) => write(requests, { ref: refOf(manifest), verbs: ['create'] }, () => requests.create(manifest)),
    replace: (manifest, subresource) =>
      write(requests, { ref: refOf(manifest), subresource, verbs: ['update'] }, () =>
        requests.replace(manifest, undefined, subresource),
      ),
    // An apply makes what is not there, for which the server asks too; with a uid it can only change.
    apply: (body, { dryRun = false } = {}) =>
      write(
        requests,
        { ref: refOf(body), verbs: body.metadata.uid === undefined ? ['patch', 'create'] : ['patch'] },
        () => requests.patch(refOf(body), { type: 'apply', body, dryRun }),
      ),
    mergePatch: (ref, body, subresource) =>
      write(requests, { ref, subresource, verbs: ['patch'] }, () =>
        requests.patch(ref, { type: 'merge', body, strict: true, subresource }),
      ),
    delete: (ref, deletion) => remove(requests, ref, deletion),
    cache: (query: ListQuery): ObjectCache => new WatchCache({ ...shared, query }),
    waitFor: (request) => waitFor(shared, request),
  };
}

async function get(requests: Requests, ref: ObjectRef, signal?: AbortSignal): Promise<Result<Manifest | undefined>> {
  const target = objectPath(ref);
  if (!target.ok) return target;
  const answer = await requests.get(ref, signal);
  if (answer.ok) return ok(answer.value);
  if (isMissing(answer.failure)) return ok(undefined);
  return fail(problemOf(answer.failure, intentOn(ref, 'get')));
}

async function remove(requests: Requests, ref: ObjectRef, options: DeleteOptions): Promise<Result<void>> {
  const deleted = await write(requests, { ref, verbs: ['delete'] }, async () => {
    const { uid, propagation, resourceVersion } = options;
    if (resourceVersion === undefined) return deleteRead(requests, { ref, uid, propagation });
    const answer = await requests.delete(ref, options);
    return !answer.ok && isMissing(answer.failure) ? { ok: true, value: undefined } : answer;
  });
  return deleted.ok ? ok(undefined) : deleted;
}

/** What is written, and the verbs the API server asks for. */
type Writing = {
  readonly ref: ObjectRef;
  readonly subresource?: 'status' | undefined;
  readonly verbs: readonly [string, ...string[]];
};

async function write<T>(requests: Requests, writing: Writing, send: () => Promise<Answer<T>>): Promise<Result<T>> {
  const { ref, subresource, verbs } = writing;
  // Sent to nobody, and a problem of its own: a reference that can not stand in a path.
  const target = verbs[0] === 'create' ? singleCollection(ref) : objectPath(ref, subresource);
  if (!target.ok) return target;
  const answer = await send();
  if (answer.ok) return ok(answer.value);
  const rights = verbs.map((verb) => rightOn(ref, verb, subresource));
  const { kind, failure, right } = await tellRefusal(requests, answer.failure, rights);
  const verb = right?.verb ?? verbs[0];
  const resource = subresource === undefined ? target.value.resource : `${target.value.resource}/${subresource}`;
  return fail(problemOf(failure, { verb, target: { ...target.value, resource } }, kind));
}
