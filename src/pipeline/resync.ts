import { ok, type Result } from '../kernel/index.ts';
import { type Application, type GitSource, type Job, REQUESTED_AT } from '../ports/index.ts';
import { isAtRest } from './at-rest.ts';
import type { Deps } from './context.ts';
import { pollSeconds } from './hooks/index.ts';
import { isOwed, reportsOf } from './ledger.ts';
import { isOrphaned } from './orphans.ts';
import { needsPlan, wantsFreshLook } from './plan-need.ts';
import { currentWait, isWaitOver } from './policy/waiting.ts';
import { jobsOfPlan } from './preview/plans.ts';
import { strayPreviews } from './preview-environment/index.ts';

/**
 * Derives every job again from the custom resources: what makes losing Redis lose nothing. Runs when a worker starts and every few
 * seconds; adding a job that waits already changes nothing.
 */
export async function resync(deps: Deps): Promise<Result<void>> {
  const repositories = deps.store.repositories
    .all()
    .map((repository) => ({ name: repository.name, intervalSeconds: pollSeconds(repository) }));
  const scheduled = await deps.schedule.ensure(repositories);
  if (!scheduled.ok) return scheduled;
  const jobs = [
    ...deps.store.sources.all().flatMap((source) => jobsOfSource(source, deps.clock.now())),
    ...unfinished(deps),
    ...orphaned(deps),
    ...deps.store.plans.all().flatMap((plan) => jobsOfPlan(deps, plan)),
    ...strayPreviews(deps),
  ];
  return jobs.length === 0 ? ok(undefined) : deps.jobs.addAll(jobs);
}

/** What one source waits for. */
export function jobsOfSource(source: GitSource, now: Date): readonly Job[] {
  const planJob: Job = { queue: 'plan', source: source.name };
  if (source.deleting) return [planJob];
  const owed = reportsOf(source)
    .filter(isOwed)
    .map((report): Job => ({ queue: 'report', source: source.name, commit: report.commit }));
  if (source.spec.suspended === true) return currentWait(source) === undefined ? owed : [planJob, ...owed];
  const syncJob: Job = { queue: 'sync', repository: source.spec.repository, ref: source.spec.ref };
  const isDue = needsPlan(source) || isWaitOver(source, now);
  return [...(wantsFreshLook(source) ? [syncJob] : isDue ? [planJob] : []), ...owed];
}

/** Applications with an accepted release that has no end yet, and those somebody removes. */
function unfinished(deps: Deps): readonly Job[] {
  return deps.store.applications
    .all()
    .filter(({ status, deleting }) => status.phase === 'queued' || deleting)
    .map((application): Job => ({ queue: 'reconcile', application: application.name }));
}

/** Sources whose application is gone, so that their open commits end. */
function orphaned(deps: Deps): readonly Job[] {
  return deps.store.sources
    .all()
    .filter((source) => isOrphaned(deps, source))
    .map((source): Job => ({ queue: 'reconcile', application: source.name }));
}

/** Queues every application at rest for a comparison with the cluster. */
export async function watchForDrift(deps: Deps): Promise<Result<void>> {
  const atRest = deps.store.applications.all().filter(isAtRest);
  return atRest.length === 0
    ? ok(undefined)
    : deps.jobs.addAll(atRest.map((application): Job => ({ queue: 'reconcile', application: application.name })));
}

/** How long whoever accepted something has to queue its reconcile. */
const UNCLAIMED_MS = 500;

/**
 * Queues the reconcile of an application that somebody accepted, cancelled or removed something of, and that no worker has taken up since:
 * the command line on a kubeconfig has no queue, and an API server's may be away. Returns the way to stop.
 */
export function watchApplications(deps: Deps): () => void {
  const known = new Map<string, string>();
  const ending = new AbortController();
  const look = async (name: string, turn: number | undefined): Promise<void> => {
    await deps.clock.sleep(UNCLAIMED_MS, ending.signal);
    const now = deps.store.applications.cached(name);
    const isUnclaimed = !ending.signal.aborted && wantedOf(now) !== undefined && now?.status.fence === turn;
    if (isUnclaimed) await deps.jobs.add({ queue: 'reconcile', application: name });
  };
  const stop = deps.store.applications.onChange((name) => {
    const application = deps.store.applications.cached(name);
    const wanted = wantedOf(application);
    if (wanted === undefined) known.delete(name);
    if (wanted === undefined || known.get(name) === wanted) return;
    known.set(name, wanted);
    void look(name, application?.status.fence);
  });
  return () => {
    ending.abort();
    stop();
  };
}

/** What an application waits for; `undefined` when it waits for nothing. Each turn a worker takes at it has a fence of its own. */
function wantedOf(application: Application | undefined): string | undefined {
  if (application === undefined) return undefined;
  const { uid, status, deleting } = application;
  if (status.phase !== 'queued' && !deleting) return undefined;
  return `${uid}/${status.acceptedRevision}/${(status.cancelled ?? []).join()}/${deleting}`;
}

/**
 * Queues a source's work as soon as a person adds, changes, asks for or removes it, without waiting for the next resync. Status
 * changes are our own doing and start nothing. Returns the way to stop.
 */
export function watchSources(deps: Deps): () => void {
  const known = new Map<string, string>();
  return deps.store.sources.onChange((name) => {
    const source = deps.store.sources.cached(name);
    if (source === undefined) {
      known.delete(name);
      return;
    }
    const mark = `${source.uid}/${source.generation}/${source.annotations[REQUESTED_AT] ?? ''}/${source.deleting}`;
    if (known.get(name) === mark) return;
    known.set(name, mark);
    const jobs = jobsOfSource(source, deps.clock.now());
    if (jobs.length > 0) void deps.jobs.addAll(jobs);
  });
}
