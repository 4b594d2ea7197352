import { fail, type Manifest, ok, type Problem, problem, type Result, refOf } from '../../kernel/index.ts';
import { decideJob, type JobDecision, jobVerdict, podsAtEnd, waitSeconds } from '../../reconcile/index.ts';
import type { RenderedWorkload } from '../../render/index.ts';
import { type Carrying, earlier, podsOf } from './carrying.ts';
import { saveInventory, writeApplication } from './session.ts';
import { writeObject } from './write.ts';

/**
 * Runs a deployment job of a release to its end, or finds that it has ended, and puts the end on record (facts 3.6 and 6.7). What to do is
 * `decideJob`'s to say, again after each move.
 */
export async function carryJob(carrying: Carrying, rendered: RenderedWorkload): Promise<Result<void>> {
  let pods: readonly Manifest[] = [];
  for (;;) {
    const allowed = carrying.guard.check();
    if (!allowed.ok) return allowed;
    const decided = await decide(carrying, rendered, pods);
    if (!decided.ok) return decided;
    const decision = decided.value;
    if (decision.action === 'refuse') return fail(decision.problem);
    if (decision.action === 'succeeded') return recordJob(carrying, rendered, { result: 'succeeded' });
    if (decision.action === 'failed') {
      const { message } = decision.problem;
      const kept = await recordJob(carrying, rendered, { result: 'failed', message });
      return kept.ok ? fail(decision.problem) : kept;
    }
    const moved = await moveJob(carrying, { rendered, action: decision.action });
    if (!moved.ok) return moved;
    pods = moved.value;
  }
}

async function decide(
  { session, release }: Carrying,
  { service, workload }: RenderedWorkload,
  seen: readonly Manifest[],
): Promise<Result<JobDecision>> {
  const { cluster, store } = session.deps;
  const current = await store.applications.get(session.application);
  if (!current.ok) return current;
  const live = session.inventory.live(refOf(workload));
  const hasEnded = live !== undefined && jobVerdict([live]).state !== 'waiting';
  // Only its pods know why a job failed.
  const pods = hasEnded ? await cluster.list(podsOf(session, service)) : ok([]);
  if (!pods.ok) return pods;
  return ok(
    decideJob({
      service,
      revision: release.spec.revision,
      live,
      pods: podsAtEnd(pods.value, seen),
      recorded: current.value?.status.jobs?.find((job) => job.service === service),
      owner: session.inventory.owner(session.id, release.name),
      inProgress: true,
    }),
  );
}

/** Creates, replaces or waits for the Job; afterwards the session has seen it as it is now. Answers its pods as last seen alive. */
async function moveJob(
  carrying: Carrying,
  input: { readonly rendered: RenderedWorkload; readonly action: 'create' | 'replace' | 'wait' },
): Promise<Result<readonly Manifest[]>> {
  const { session, release, guard } = carrying;
  const { cluster } = session.deps;
  const { rendered, action } = input;
  const { service, workload } = rendered;
  const ref = refOf(workload);
  const budgetMs = waitSeconds(carrying.desired, service, session.deps.options) * 1000;
  const live = session.inventory.live(ref);
  if (action === 'create') {
    const written = await writeObject(session, workload, { operation: release.name });
    if (!written.ok) return written;
    const saved = await saveInventory(session);
    if (!saved.ok) return saved;
  }
  if (action === 'replace' && live !== undefined) {
    // On record before it is touched, also when an earlier run died before it could say so (invariant 8).
    session.inventory.record(live);
    const saved = await saveInventory(session);
    if (!saved.ok) return saved;
    const deleted = await cluster.delete(ref, { uid: live.metadata.uid ?? '', propagation: 'Foreground' });
    if (!deleted.ok) return deleted;
  }
  const isLeaving = action === 'replace' || live?.metadata.deletionTimestamp !== undefined;
  const leavingUid = isLeaving ? live?.metadata.uid : undefined;
  let last: readonly Manifest[] = [];
  let pods: readonly Manifest[] = [];
  const seen = await cluster.waitFor<{ readonly job: Manifest | undefined }>({
    queries: [
      { apiVersion: 'batch/v1', kind: 'Job', namespace: session.namespace, fieldSelector: `metadata.name=${ref.name}` },
      podsOf(session, service),
    ],
    judge: (objects) => {
      last = objects;
      pods = podsAtEnd(podsIn(objects), pods);
      const job = objects.find(({ kind }) => kind === 'Job');
      if (leavingUid !== undefined) return job?.metadata.uid === leavingUid ? undefined : { job };
      return job === undefined || jobVerdict([job]).state !== 'waiting' ? { job } : undefined;
    },
    deadline: earlier(carrying.deadline, new Date(session.deps.clock.now().getTime() + budgetMs)),
    signal: guard.signal,
  });
  if (!seen.ok) return seen;
  if (seen.value === undefined) {
    const stopped = guard.check();
    return stopped.ok ? fail(timedOut([...last, ...pods], service)) : stopped;
  }
  session.inventory.see(ref, seen.value.job);
  return ok(pods);
}

/** The controller said nothing in the job's own time and ours beyond it. */
function timedOut(objects: readonly Manifest[], service: string): Problem {
  const verdict = jobVerdict(objects, { deadlinePassed: true });
  const message = verdict.state === 'failed' ? verdict.message : undefined;
  return problem('job_timeout', message, { at: `services.${service}.job` });
}

function podsIn(objects: readonly Manifest[]): readonly Manifest[] {
  return objects.filter(({ kind }) => kind === 'Pod');
}

/**
 * A job's end, written on first sight, so that it survives whoever removes the Job (lifecycle page). Ends of jobs the application no longer
 * has are forgotten: one that comes back does so with a new revision, and runs.
 */
async function recordJob(
  { session, release, desired }: Carrying,
  { service, workload }: RenderedWorkload,
  end: { readonly result: 'succeeded' | 'failed'; readonly message?: string },
): Promise<Result<void>> {
  const uid = session.inventory.live(refOf(workload))?.metadata.uid;
  const written = await writeApplication(session, (status) => {
    const known = (status.jobs ?? []).find((job) => job.service === service);
    const others = (status.jobs ?? []).filter(
      (job) => job.service !== service && desired.services[job.service]?.job !== undefined,
    );
    return {
      ...status,
      jobs: [...others, { service, revision: release.spec.revision, uid: uid ?? known?.uid ?? '', ...end }],
    };
  });
  return written.ok ? ok(undefined) : written;
}
