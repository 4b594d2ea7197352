import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type {
  Clock,
  Cluster,
  HeldLease,
  IdentityStore,
  InstallationIdentity,
  Leases,
  Log,
  Random,
} from '../../ports/index.ts';

/** The Lease whose holder alone may save the identity. */
export const IDENTITY_LEASE = 'hakopod-identity';

export type KeepIdentity = {
  readonly store: IdentityStore;
  readonly leases: Leases;
  readonly cluster: Pick<Cluster, 'get'>;
  /** The control namespace. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How often the identity is looked at again, in milliseconds. */
  readonly everyMs: number;
  readonly signal: AbortSignal;
};

/** How soon a try is made again that the cluster did not answer. */
const AGAIN_MS = 2000;

/**
 * Keeps the identity of the installation while this process runs. Whoever holds the Lease makes it or takes it over, raising its generation;
 * all others only look. Resolves with `identity_conflict` when a second installation turns out to use it: the caller stops loudly, since two
 * that fight over one identity help nobody. Resolves with nothing once the signal aborts.
 */
export async function keepIdentity(parts: KeepIdentity): Promise<Problem | undefined> {
  const { leases, clock, log, signal, everyMs } = parts;
  const known: Known = { installation: undefined };
  while (!signal.aborted) {
    const lease = await leases.acquire(IDENTITY_LEASE);
    const done = lease.ok ? await holding(parts, known, lease.value) : await looking(parts, known);
    if (!done.ok && done.problem.code === 'identity_conflict') {
      log.error('two installations share one identity; this one stops', { namespace: parts.namespace });
      return done.problem;
    }
    if (!done.ok) log.warn('the identity can not be read or saved yet', { code: done.problem.code });
    if (signal.aborted) return undefined;
    await clock.sleep(done.ok && !lease.ok ? everyMs : AGAIN_MS, signal);
  }
  return undefined;
}

/** What this process knows itself to be. */
type Known = { installation: string | undefined };

/** One who does not hold the Lease: the same installation as before must still be there. */
async function looking(parts: KeepIdentity, known: Known): Promise<Result<void>> {
  const loaded = await parts.store.load();
  if (!loaded.ok || loaded.value === undefined) return loaded.ok ? ok(undefined) : loaded;
  return recognised(known, loaded.value);
}

async function holding(parts: KeepIdentity, known: Known, lease: HeldLease): Promise<Result<void>> {
  const { clock, signal, everyMs } = parts;
  const ending = AbortSignal.any([signal, lease.signal]);
  try {
    const taken = await takeOver(parts, known, ending);
    if (!taken.ok || taken.value === undefined) return taken.ok ? ok(undefined) : taken;
    for (;;) {
      await clock.sleep(everyMs, ending);
      if (ending.aborted) return ok(undefined);
      const unchanged = await stillOurs(parts, taken.value);
      // Whoever lost the Lease meanwhile sees its successor's generation, which is no conflict.
      if (ending.aborted) return ok(undefined);
      if (!unchanged.ok) return unchanged;
    }
  } finally {
    await lease.release();
  }
}

/** Makes the identity, or goes on with the one there is; `undefined` when the Lease or the process ended first. */
async function takeOver(
  parts: KeepIdentity,
  known: Known,
  ending: AbortSignal,
): Promise<Result<InstallationIdentity | undefined>> {
  const { store, random, log } = parts;
  const home = await homeOf(parts);
  if (!home.ok) return home;
  const loaded = await store.load();
  if (!loaded.ok) return loaded;
  if (loaded.value !== undefined) {
    const same = recognised(known, loaded.value);
    if (!same.ok) return same;
    const { namespace, uid } = loaded.value.home;
    if (namespace !== home.value.namespace || uid !== home.value.uid)
      return fail(
        problem(
          'identity_conflict',
          'the identity was made by an installation in another place; delete its Secret here to become a new one',
        ),
      );
  }
  // Deleted under a running process: whoever did that wants to start over, and is told how by the warning.
  if (loaded.value === undefined && known.installation !== undefined)
    return fail(problem('not_found', 'the Secret of the identity is gone; restart to become a new installation'));
  if (ending.aborted) return ok(undefined);
  const identity: InstallationIdentity =
    loaded.value === undefined
      ? { installation: random.hex(16), privateKey: random.hex(32), home: home.value, generation: 1 }
      : { ...loaded.value, generation: loaded.value.generation + 1 };
  const saved = await store.save(identity);
  // A save that was overtaken after the Lease was lost says nothing about other installations.
  if (ending.aborted) return ok(undefined);
  if (!saved.ok) return saved;
  known.installation = identity.installation;
  log.info('the identity is kept', { installation: identity.installation, generation: identity.generation });
  return ok(identity);
}

async function stillOurs({ store, log }: KeepIdentity, mine: InstallationIdentity): Promise<Result<void>> {
  const loaded = await store.load();
  if (!loaded.ok) {
    log.warn('the identity can not be looked at now', { code: loaded.problem.code });
    return ok(undefined);
  }
  if (loaded.value === undefined) {
    log.error('the Secret of the identity is gone; the next process makes a new one', {});
    return ok(undefined);
  }
  const { installation, generation } = loaded.value;
  return installation === mine.installation && generation === mine.generation
    ? ok(undefined)
    : fail(problem('identity_conflict'));
}

function recognised(known: Known, found: InstallationIdentity): Result<void> {
  known.installation ??= found.installation;
  return known.installation === found.installation ? ok(undefined) : fail(problem('identity_conflict'));
}

/** Where we are: a namespace of the same name in another cluster, or made anew, has another uid. */
async function homeOf({ cluster, namespace }: KeepIdentity): Promise<Result<InstallationIdentity['home']>> {
  const read = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  if (!read.ok) return read;
  return ok({ namespace, uid: read.value?.metadata.uid ?? '' });
}
