import { fail, type Manifest, ok, problem, type Result, refOf, type Strike } from '../../kernel/index.ts';
import type { ListQuery, Release } from '../../ports/index.ts';
import {
  confirmFailure,
  type DeploymentVerdict,
  decideJob,
  deploymentVerdict,
  heldBack,
  type JobDecision,
  jobVerdict,
  waitSeconds,
} from '../../reconcile/index.ts';
import type { RenderedWorkload } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Guard } from './guard.ts';
import { type Session, saveInventory, writeApplication } from './session.ts';
import { deleteObject, writeObject } from './write.ts';

/** One release being carried out. */
export type Carrying = {
  readonly session: Session;
  readonly release: Release;
  readonly desired: Application;
  readonly guard: Guard;
  readonly deadline: Date;
};

/** Controllers need a moment beyond the budget to say that it is over. */
const SLACK_MS = 5000;

/** Whether a workload is a schedule, which a release writes held back and lets begin at its very end. */
export function isSchedule({ workload }: RenderedWorkload): boolean {
  return workload.kind === 'CronJob';
}

/**
 * Writes a service's snapshots, its workload, its autoscaler and, once ready, its Ingress; answers when it is ready or its job has completed.
 * The objects are final (see `finalObjects`).
 */
export async function carryWorkload(carrying: Carrying, rendered: RenderedWorkload): Promise<Result<void>> {
  const { session, guard, release } = carrying;
  const operation = release.name;
  const allowed = guard.check();
  if (!allowed.ok) return allowed;
  for (const snapshot of [...(rendered.secret === undefined ? [] : [rendered.secret]), ...rendered.files]) {
    const written = await writeObject(session, snapshot, { operation });
    if (!written.ok) return written;
  }
  const done = await carryKind(carrying, rendered);
  if (!done.ok || rendered.ingress === undefined) return done;
  const stillAllowed = guard.check();
  if (!stillAllowed.ok) return stillAllowed;
  const ingress = await writeObject(session, rendered.ingress, { operation });
  return ingress.ok ? ok(undefined) : ingress;
}

function carryKind(carrying: Carrying, rendered: RenderedWorkload): Promise<Result<void>> {
  if (isSchedule(rendered)) return carrySchedule(carrying, rendered);
  return rendered.workload.kind === 'Job' ? carryJob(carrying, rendered) : carryDeployment(carrying, rendered);
}

/** Written, but held back: it begins with `startSchedules`. */
async function carrySchedule({ session, release }: Carrying, { workload }: RenderedWorkload): Promise<Result<void>> {
  const held = heldBack(workload, session.inventory.live(refOf(workload)));
  const written = await writeObject(session, held, { operation: release.name });
  if (!written.ok) return written;
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}

/** Whoever scales from now on scales alone: an autoscaler the file no longer has goes before its replicas are set (facts 3.4). */
async function dropAutoscaler(
  session: Session,
  operation: string,
  { workload }: RenderedWorkload,
): Promise<Result<void>> {
  const { namespace, name } = workload.metadata;
  const former = session.inventory.entries.find(
    (entry) => entry.kind === 'HorizontalPodAutoscaler' && entry.namespace === namespace && entry.name === name,
  );
  return former === undefined ? ok(undefined) : deleteObject(session, former, operation);
}

async function carryDeployment(carrying: Carrying, rendered: RenderedWorkload): Promise<Result<void>> {
  const { session, release, desired } = carrying;
  const { service, workload, autoscaler } = rendered;
  const operation = release.name;
  if (autoscaler === undefined) {
    const dropped = await dropAutoscaler(session, operation, rendered);
    if (!dropped.ok) return dropped;
  }
  const written = await writeObject(session, workload, { operation, autoscaler });
  if (!written.ok) return written;
  const scaled = autoscaler === undefined ? ok(undefined) : await writeObject(session, autoscaler, { operation });
  if (!scaled.ok) return scaled;
  const saved = await saveInventory(session);
  if (!saved.ok) return saved;

  const { clock, options, cluster } = session.deps;
  const at = `services.${service}`;
  const budgetMs = waitSeconds(desired, service, options) * 1000;
  let strike: Strike;
  let last: DeploymentVerdict | undefined;
  const settled = await cluster.waitFor<DeploymentVerdict>({
    queries: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: session.namespace,
        fieldSelector: `metadata.name=${workload.metadata.name}`,
      },
      podsOf(session, service),
    ],
    judge: (objects) => {
      const confirmed = confirmFailure(deploymentVerdict(objects), strike, clock.now());
      strike = confirmed.strike;
      last = confirmed.verdict;
      return last.state === 'waiting' ? undefined : last;
    },
    deadline: earlier(carrying.deadline, new Date(clock.now().getTime() + budgetMs + SLACK_MS)),
    signal: carrying.guard.signal,
  });
  if (!settled.ok) return settled;
  const verdict = settled.value;
  if (verdict?.state === 'ready') return ok(undefined);
  if (verdict?.state === 'failed') return fail(problem(verdict.code, verdict.message, { at }));
  const stopped = carrying.guard.check();
  if (!stopped.ok) return stopped;
  const reason = last?.state === 'waiting' ? last.reason : undefined;
  return fail(problem('rollout_timeout', reason ?? `it was not ready within ${Math.round(budgetMs / 1000)} s`, { at }));
}

async function carryJob(carrying: Carrying, rendered: RenderedWorkload): Promise<Result<void>> {
  for (;;) {
    const allowed = carrying.guard.check();
    if (!allowed.ok) return allowed;
    const decided = await decide(carrying, rendered);
    if (!decided.ok) return decided;
    const decision = decided.value;
    if (decision.action === 'refuse') return fail(decision.problem);
    if (decision.action === 'succeeded') return recordJob(carrying, rendered, { result: 'succeeded' });
    if (decision.action === 'failed') {
      const { message } = decision.problem;
      const kept = await recordJob(carrying, rendered, { result: 'failed', message });
      return kept.ok ? fail(decision.problem) : kept;
    }
    const moved = await moveJob(carrying, { workload: rendered.workload, action: decision.action });
    if (!moved.ok) return moved;
  }
}

async function decide(
  { session, release }: Carrying,
  { service, workload }: RenderedWorkload,
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
      pods: pods.value,
      recorded: current.value?.status.jobs?.find((job) => job.service === service),
      owner: session.inventory.owner(session.id, release.name),
      inProgress: true,
    }),
  );
}

function podsOf(session: Session, service: string): ListQuery {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: session.namespace,
    labelSelector: `hakopod.io/service=${service}`,
  };
}

/** Creates, replaces or waits for the Job; afterwards the session has seen it as it is now. */
async function moveJob(
  carrying: Carrying,
  input: { readonly workload: Manifest; readonly action: 'create' | 'replace' | 'wait' },
): Promise<Result<void>> {
  const { session, release, guard } = carrying;
  const { cluster } = session.deps;
  const { workload, action } = input;
  const ref = refOf(workload);
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
    if (!deleted.ok && deleted.problem.code !== 'conflict') return deleted;
  }
  const isLeaving = action === 'replace' || live?.metadata.deletionTimestamp !== undefined;
  const leavingUid = isLeaving ? live?.metadata.uid : undefined;
  const seen = await cluster.waitFor<{ readonly job: Manifest | undefined }>({
    queries: [
      { apiVersion: 'batch/v1', kind: 'Job', namespace: session.namespace, fieldSelector: `metadata.name=${ref.name}` },
    ],
    judge: (objects) => {
      const job = objects[0];
      if (leavingUid !== undefined) return job?.metadata.uid === leavingUid ? undefined : { job };
      return job === undefined || jobVerdict([job]).state !== 'waiting' ? { job } : undefined;
    },
    deadline: earlier(
      carrying.deadline,
      new Date(session.deps.clock.now().getTime() + jobSeconds(carrying, workload) * 1000),
    ),
    signal: guard.signal,
  });
  if (!seen.ok) return seen;
  if (seen.value === undefined) {
    const stopped = guard.check();
    return stopped.ok
      ? fail(
          problem('job_timeout', undefined, {
            at: `services.${workload.metadata.labels?.['hakopod.io/service'] ?? ''}.job`,
          }),
        )
      : stopped;
  }
  session.inventory.see(ref, seen.value.job);
  return ok(undefined);
}

function jobSeconds(carrying: Carrying, workload: Manifest): number {
  return waitSeconds(
    carrying.desired,
    workload.metadata.labels?.['hakopod.io/service'] ?? '',
    carrying.session.deps.options,
  );
}

/** A job's end, written on first sight, so that it survives whoever removes the Job (lifecycle page). */
async function recordJob(
  { session, release }: Carrying,
  { service, workload }: RenderedWorkload,
  end: { readonly result: 'succeeded' | 'failed'; readonly message?: string },
): Promise<Result<void>> {
  const uid = session.inventory.live(refOf(workload))?.metadata.uid;
  const written = await writeApplication(session, (status) => {
    const known = (status.jobs ?? []).find((job) => job.service === service);
    const others = (status.jobs ?? []).filter((job) => job.service !== service);
    return {
      ...status,
      jobs: [...others, { service, revision: release.spec.revision, uid: uid ?? known?.uid ?? '', ...end }],
    };
  });
  return written.ok ? ok(undefined) : written;
}

function earlier(a: Date, b: Date): Date {
  return a.getTime() < b.getTime() ? a : b;
}
