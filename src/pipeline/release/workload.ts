import { fail, ok, problem, type Result, refOf, type Strike } from '../../kernel/index.ts';
import {
  confirmFailure,
  type DeploymentVerdict,
  deploymentVerdict,
  heldBack,
  waitSeconds,
} from '../../reconcile/index.ts';
import type { RenderedWorkload } from '../../render/index.ts';
import { type Carrying, earlier, podsOf } from './carrying.ts';
import { carryJob } from './job.ts';
import { type Session, saveInventory } from './session.ts';
import { deleteObject, writeObject } from './write.ts';

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
  for (const snapshot of [rendered.secret, rendered.pullSecret, ...rendered.files]) {
    if (snapshot === undefined) continue;
    const written = await writeObject(session, snapshot, { operation });
    if (!written.ok) return written;
  }
  const done = await carryKind(carrying, rendered);
  if (!done.ok || rendered.ingress === undefined) return done;
  const stillAllowed = guard.check();
  if (!stillAllowed.ok) return stillAllowed;
  const certified =
    rendered.certificate === undefined
      ? ok(undefined)
      : await writeObject(session, rendered.certificate, { operation });
  if (!certified.ok) return certified;
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
