import { createHmac } from 'node:crypto';
import { canonicalJson, fail, ok, problem, type Result, sha256 } from '../../../kernel/index.ts';
import type { DeploymentResult, RunOptions } from '../../../ports/cluster-operations/index.ts';
import {
  type Clock,
  type ClusterRun,
  type ClusterRunCollection,
  type HeldLease,
  type Leases,
  type Log,
  RUN_KEPT_MS,
  RUNS_KEPT,
} from '../../../ports/index.ts';

/** The Lease whose holder carries out the one run there may be. */
const RUN_LEASE = 'cluster-runs';
/** Between two tries to write down how a run ended. */
const RECORD_AGAIN_MS = 1000;

/** A run somebody asks for. */
export type RunRequest = {
  readonly spec: Omit<ClusterRun['spec'], 'request' | 'requestedAt'>;
  /** What was asked, as it is recognised when it comes again; only its keyed digest is kept. */
  readonly asked: unknown;
  readonly execute: (options: RunOptions) => Promise<DeploymentResult>;
  /** Told once when it was taken, before anything of it happens, and once when it has ended. */
  readonly onRecord: (run: ClusterRun) => Promise<void>;
};

/** The runs of this installation (cluster operations 18b). */
export type RunKeeper = {
  /**
   * Takes a run and answers at once, while it goes on here. A request id that was taken before is answered with its run once that has ended;
   * until then it is `run_in_progress`. `cluster_busy` while another run goes on, `conflict` when the id was taken for another request.
   */
  begin(request: RunRequest): Promise<Result<ClusterRun>>;
  /** `not_found` for what was never taken or is forgotten. */
  read(id: string): Promise<Result<ClusterRun>>;
  /** Ends what goes on here, its outcome unknown, and waits until that is on record. */
  close(): Promise<void>;
};

type Deps = {
  readonly runs: ClusterRunCollection;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
  /** Keys the digests: a request may hold what somebody could guess. */
  readonly key: string;
};

/**
 * Carries out at most one run at a time in the whole installation. Whoever holds the Lease writes a run down before it begins, marks it as
 * started before its first write, and writes its result down. One without a result whose holder is gone is never done again: it has ended
 * with an unknown outcome, as `restarted`.
 */
export function createRunKeeper(deps: Deps): RunKeeper {
  const closing = new AbortController();
  const going = new Map<string, Promise<void>>();
  return {
    begin: async (request) => {
      const { spec, asked } = request;
      const whole = { ...spec, request: digestOf(deps.key, asked), requestedAt: deps.clock.now().toISOString() };
      const earlier = await known(deps, whole);
      if (!earlier.ok || earlier.value !== undefined) return earlier as Result<ClusterRun>;
      const lease = await deps.leases.acquire(RUN_LEASE);
      if (!lease.ok) return lease.problem.code === 'lease_held' ? fail(busy(lease.problem.afterMs)) : lease;
      const taken = await take(deps, whole);
      if (!taken.ok) {
        await lease.value.release();
        if (taken.problem.code !== 'already_exists') return taken;
        const other = await known(deps, whole);
        return other.ok && other.value === undefined ? fail(busy()) : (other as Result<ClusterRun>);
      }
      const { name } = taken.value;
      const work = carryOut(deps, request, { run: taken.value, lease: lease.value, closing: closing.signal });
      going.set(
        name,
        work.finally(() => going.delete(name)),
      );
      return taken;
    },
    read: async (id) => {
      const read = await deps.runs.get(nameOf(id));
      if (!read.ok) return read;
      if (read.value === undefined || isForgotten(deps, read.value)) return fail(problem('not_found'));
      return settled(deps, read.value);
    },
    close: async () => {
      closing.abort();
      await Promise.all(going.values());
    },
  };
}

/** Ids are case-sensitive and may hold what no object's name may. */
function nameOf(id: string): string {
  return `run-${sha256(id).slice(0, 32)}`;
}

function digestOf(key: string, asked: unknown): string {
  const hmac = createHmac('sha256', key);
  return hmac
    .update(canonicalJson(['cluster run', asked]))
    .digest('hex')
    .slice(0, 32);
}

function busy(afterMs = RECORD_AGAIN_MS) {
  return problem('cluster_busy', undefined, { afterMs });
}

function isForgotten({ clock }: Deps, run: ClusterRun): boolean {
  return clock.now().getTime() - Date.parse(run.spec.requestedAt) > RUN_KEPT_MS;
}

/** The run this id was taken for; `undefined` when it is free, or free again. */
async function known(deps: Deps, spec: ClusterRun['spec']): Promise<Result<ClusterRun | undefined>> {
  const read = await deps.runs.get(nameOf(spec.id));
  if (!read.ok || read.value === undefined) return read;
  if (isForgotten(deps, read.value)) return ok(undefined);
  const run = await settled(deps, read.value);
  if (!run.ok) return run;
  if (run.value.spec.kind !== spec.kind || run.value.spec.request !== spec.request)
    return fail(problem('conflict', 'the request id was used for another request', { at: 'request_id' }));
  if (run.value.status.state !== 'ended') return fail(problem('run_in_progress', undefined, { afterMs: 2000 }));
  return run;
}

/** The run as it stands: one that has no result and nobody who carries it out has ended. */
async function settled(deps: Deps, run: ClusterRun): Promise<Result<ClusterRun>> {
  if (run.status.state === 'ended') return ok(run);
  const lease = await deps.leases.acquire(RUN_LEASE);
  if (!lease.ok) return lease.problem.code === 'lease_held' ? ok(run) : lease;
  const ended = await abandon(deps, run);
  await lease.value.release();
  return ended;
}

/** Under the Lease: nobody else is at this run. What it had done when its holder vanished nobody knows. */
function abandon(deps: Deps, run: ClusterRun): Promise<Result<ClusterRun>> {
  return end(deps, run.name, { outcome: 'unknown', code: 'restarted', steps: [], services: [] });
}

function end(deps: Deps, name: string, result: DeploymentResult): Promise<Result<ClusterRun>> {
  const { outcome, code, steps, services } = result;
  const endedAt = deps.clock.now().toISOString();
  return deps.runs.updateStatus(name, ({ status }) =>
    status.state === 'ended'
      ? undefined
      : {
          ...status,
          state: 'ended',
          endedAt,
          outcome,
          ...(code === undefined ? {} : { code }),
          steps: [...steps],
          services: [...services],
        },
  );
}

/** Under the Lease: ends what others left behind, forgets what is old, and writes the new run down. */
async function take(deps: Deps, spec: ClusterRun['spec']): Promise<Result<ClusterRun>> {
  const listed = await deps.runs.all();
  if (!listed.ok) return listed;
  const name = nameOf(spec.id);
  for (const [i, run] of listed.value.entries()) {
    const isOver = i >= RUNS_KEPT - 1 || isForgotten(deps, run);
    if (!isOver && run.status.state === 'ended') continue;
    const done = isOver ? await deps.runs.delete(run.name, run.uid) : await abandon(deps, run);
    if (!done.ok) return done;
  }
  return deps.runs.create({ name, spec });
}

type Taken = { readonly run: ClusterRun; readonly lease: HeldLease; readonly closing: AbortSignal };

async function carryOut(deps: Deps, request: RunRequest, { run, lease, closing }: Taken): Promise<void> {
  const { log } = deps;
  try {
    await request.onRecord(run);
    const result = await executed(deps, request, { run, signal: AbortSignal.any([lease.signal, closing]) });
    const ended = await recorded(deps, run, { result, signal: AbortSignal.any([lease.signal, closing]) });
    if (ended.ok) await request.onRecord(ended.value);
    else log.error('the result of a run is not on record', { run: run.name, code: ended.problem.code });
  } catch (bug) {
    log.error('a run ended badly', { run: run.name, cause: bug });
  } finally {
    await lease.release();
  }
}

/** What the run came to. One whose start could not be written down has written nothing. */
async function executed(
  deps: Deps,
  request: RunRequest,
  { run, signal }: { readonly run: ClusterRun; readonly signal: AbortSignal },
): Promise<DeploymentResult> {
  const nothing = { steps: [], services: [] };
  let isRefused = false;
  const started = async (): Promise<void> => {
    const at = deps.clock.now().toISOString();
    const marked = await deps.runs.updateStatus(run.name, ({ status }) =>
      status.state === undefined ? { ...status, state: 'started', startedAt: at } : undefined,
    );
    isRefused = !marked.ok || marked.value.status.state !== 'started' || signal.aborted;
    if (isRefused) throw new Error('the start of the run is not on record');
  };
  try {
    return await request.execute({ signal, started });
  } catch (bug) {
    if (isRefused) return { outcome: 'failed', code: 'unreadable', ...nothing };
    deps.log.error('a run was broken off', { run: run.name, cause: bug });
    return { outcome: 'unknown', code: 'unreadable', ...nothing };
  }
}

/** Tries to write the result down as long as the Lease is held. */
async function recorded(
  deps: Deps,
  run: ClusterRun,
  { result, signal }: { readonly result: DeploymentResult; readonly signal: AbortSignal },
): Promise<Result<ClusterRun>> {
  for (;;) {
    const ended = await end(deps, run.name, result);
    if (ended.ok || ended.problem.kind === 'rejected' || signal.aborted) return ended;
    await deps.clock.sleep(RECORD_AGAIN_MS, signal);
  }
}
