import { fail, type Manifest, ok, problem, type Result } from '../../kernel/index.ts';
import type { Clock, Cluster, HeldLease, Leases, Log } from '../../ports/index.ts';
import { Holding } from './lease-holding.ts';
import { fenceOf, holderOf, type LeaseContext, leaseManifest, promiseMs } from './lease-record.ts';

export type LeaseOptions = {
  /** The control namespace. */
  readonly namespace: string;
  /** Who we are. A process that starts again must be somebody new, so this ends with a random part. */
  readonly holder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a lease lives without renewal. */
  readonly durationMs?: number;
  /** Milliseconds that never jump; expiry is judged by it. */
  readonly monotonic?: () => number;
};

/** As client-go's leader election. */
const DURATION_MS = 15_000;
/** A holder that is alive may be done any moment, so nobody is told to wait longer than this. */
const LOOK_AGAIN_MS = 3000;
const LOOK_AGAIN_SOON_MS = 200;

type Seen = { readonly version: string; readonly at: number };

/**
 * Leases in one namespace. The fence is `leaseTransitions`, raised with every new holding, even by the same holder. A foreign lease
 * counts as expired once it did not change for its whole duration *while we looked*: clocks of two machines are never compared,
 * so a restarted worker waits a full duration before it takes over. Every write carries the resourceVersion it was decided on.
 */
export function createLeases(cluster: Cluster, options: LeaseOptions): Leases {
  const context: LeaseContext = {
    cluster,
    namespace: options.namespace,
    holder: options.holder,
    clock: options.clock,
    log: options.log,
    durationMs: options.durationMs ?? DURATION_MS,
    monotonic: options.monotonic ?? (() => performance.now()),
  };
  const seen = new Map<string, Seen>();
  /** Names this process holds or is about to: two jobs of one process exclude each other as well. */
  const ours = new Set<string>();
  return {
    acquire: async (name) => {
      if (ours.has(name)) return held(LOOK_AGAIN_MS);
      ours.add(name);
      const result = await attempt(context, name, seen).catch((bug: unknown) => {
        ours.delete(name);
        throw bug;
      });
      if (!result.ok) {
        ours.delete(name);
        return result;
      }
      return ok(new Holding(context, result.value, () => ours.delete(name)) satisfies HeldLease);
    },
  };
}

type Won = { readonly lease: Manifest; readonly sentAt: number };

async function attempt(context: LeaseContext, name: string, seen: Map<string, Seen>): Promise<Result<Won>> {
  const read = await context.cluster.get({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    namespace: context.namespace,
    name,
  });
  if (!read.ok) return read;
  const current = read.value;
  if (current !== undefined) {
    const wait = waitFor(context, current, seen);
    if (wait > 0) return held(Math.min(wait, LOOK_AGAIN_MS));
  }
  const sentAt = context.monotonic();
  const wanted = leaseManifest(context, { name, current, fence: (current === undefined ? 0 : fenceOf(current)) + 1 });
  const written = current === undefined ? await context.cluster.create(wanted) : await context.cluster.replace(wanted);
  if (written.ok) {
    seen.delete(name);
    return ok({ lease: written.value, sentAt });
  }
  const { code } = written.problem;
  // somebody was faster; or, with not_found, somebody removed it meanwhile
  return code === 'conflict' || code === 'already_exists' || code === 'not_found' ? held(LOOK_AGAIN_SOON_MS) : written;
}

/** Milliseconds until this lease may be taken; 0 when it is free, ours from before, or expired before our eyes. */
function waitFor(context: LeaseContext, lease: Manifest, seen: Map<string, Seen>): number {
  const { name, resourceVersion: version = '' } = lease.metadata;
  const holder = holderOf(lease);
  if (holder === '' || holder === context.holder) return 0;
  const now = context.monotonic();
  const before = seen.get(name);
  if (before === undefined || before.version !== version) {
    seen.set(name, { version, at: now });
    return promiseMs(lease, context.durationMs);
  }
  return Math.max(0, before.at + promiseMs(lease, context.durationMs) - now);
}

function held(afterMs: number): Result<never> {
  return fail(problem('lease_held', undefined, { afterMs: Math.max(1, Math.ceil(afterMs)) }));
}
