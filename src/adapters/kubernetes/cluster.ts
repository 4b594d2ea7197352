import { fail, type Manifest, type ObjectRef, ok, problem, type Result, refOf } from '../../kernel/index.ts';
import type { Clock, Cluster, DeleteOptions, ListQuery, Log, ObjectCache } from '../../ports/index.ts';
import { isMissingObject } from './answers.ts';
import { WatchCache } from './cache.ts';
import { type Call, type Client, call } from './client.ts';
import type { KubeConnection } from './connection.ts';
import { objectPath, singleCollection, type Target } from './kinds.ts';
import { listAll } from './list.ts';
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
/** One field manager for every write; strict, so that a field the server would drop is an error instead. */
const WRITE = 'fieldManager=hakopod&fieldValidation=Strict';

/** The `Cluster` port over one connection. Needs no closing of its own; stop the caches and close the connection. */
export function createCluster(connection: KubeConnection, options: ClusterOptions): Cluster {
  const { clock, userAgent, timeoutMs = CALL_MS } = options;
  const client: Client = { connection, clock, userAgent, timeoutMs };
  const shared = {
    client,
    log: options.log,
    tuning: { ...WATCH, ...options.watch },
    random: options.random ?? Math.random,
  };
  return {
    get: (ref, signal) => get(client, ref, signal),
    list: async (query, signal) => {
      const listing = await listAll(client, query, signal);
      return listing.ok ? ok(listing.value.items) : listing;
    },
    create: (manifest) => create(client, manifest),
    replace: (manifest, subresource) =>
      write(client, objectPath(refOf(manifest), subresource), (target) => ({
        verb: 'update',
        method: 'PUT',
        path: `${target.path}?${WRITE}`,
        body: manifest,
      })),
    apply: (manifest, apply) =>
      write(client, objectPath(refOf(manifest)), (target) => ({
        verb: 'patch',
        method: 'PATCH',
        path: `${target.path}?${WRITE}&force=true${apply?.dryRun === true ? '&dryRun=All' : ''}`,
        contentType: 'application/apply-patch+yaml',
        body: manifest,
      })),
    mergePatch: (ref, patch, subresource) =>
      write(client, objectPath(ref, subresource), (target) => ({
        verb: 'patch',
        method: 'PATCH',
        path: `${target.path}?${WRITE}`,
        contentType: 'application/merge-patch+json',
        body: patch,
      })),
    delete: (ref, deletion) => remove(client, ref, deletion),
    cache: (query: ListQuery): ObjectCache => new WatchCache({ ...shared, query }),
    waitFor: (request) => waitFor(shared, request),
  };
}

async function get(client: Client, ref: ObjectRef, signal?: AbortSignal): Promise<Result<Manifest | undefined>> {
  const target = objectPath(ref);
  if (!target.ok) return target;
  const answer = await call(client, {
    verb: 'get',
    target: target.value,
    method: 'GET',
    path: target.value.path,
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.ok) return object(answer.value);
  return answer.refusal !== undefined && isMissingObject(answer.refusal) ? ok(undefined) : answer;
}

function create(client: Client, manifest: Manifest): Promise<Result<Manifest>> {
  return write(client, singleCollection(refOf(manifest)), (target) => ({
    verb: 'create',
    method: 'POST',
    path: `${target.path}?${WRITE}`,
    body: manifest,
  }));
}

async function remove(client: Client, ref: ObjectRef, options: DeleteOptions): Promise<Result<void>> {
  const target = objectPath(ref);
  if (!target.ok) return target;
  const { uid, resourceVersion, propagation } = options;
  const answer = await call(client, {
    verb: 'delete',
    target: target.value,
    method: 'DELETE',
    path: target.value.path,
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: resourceVersion === undefined ? { uid } : { uid, resourceVersion },
      propagationPolicy: propagation,
    },
  });
  if (answer.ok) return ok(undefined);
  return answer.refusal !== undefined && isMissingObject(answer.refusal) ? ok(undefined) : answer;
}

async function write(
  client: Client,
  target: Result<Target>,
  request: (target: Target) => Omit<Call, 'target'>,
): Promise<Result<Manifest>> {
  if (!target.ok) return target;
  const answer = await call(client, { ...request(target.value), target: target.value });
  return answer.ok ? object(answer.value) : answer;
}

function object(value: unknown): Result<Manifest> {
  const manifest = value as Manifest | null;
  if (typeof manifest === 'object' && manifest !== null && typeof manifest.metadata === 'object') return ok(manifest);
  return fail(problem('cluster_unavailable', undefined, { cause: { message: 'the answer is not an object' } }));
}
