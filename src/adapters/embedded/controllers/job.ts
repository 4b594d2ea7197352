import type { Manifest } from '../../../kernel/index.ts';
import { deleteObject } from '../delete.ts';
import { ApiError } from '../errors.ts';
import { seconds } from '../ids.ts';
import { at, type Fields, number, records, text } from '../objects.ts';
import { builtIn } from '../resources.ts';
import type { Controller, ControllerContext } from './manager.ts';
import {
  conditionOf,
  createPod,
  isFinished,
  isReady,
  living,
  podsOf,
  removePod,
  wakesFor,
  writeStatus,
} from './owned.ts';

const JOBS = builtIn('jobs');
const RETRY_MS = 100;

type Pods = { readonly active: readonly Manifest[]; readonly succeeded: number; readonly failed: number };

function podsNow(context: ControllerContext, job: Manifest): Pods {
  const pods = podsOf(context.machine, job);
  const count = (phase: string): number => pods.filter((pod) => at(pod, 'status', 'phase') === phase).length;
  return { active: pods.filter((pod) => !isFinished(pod)), succeeded: count('Succeeded'), failed: count('Failed') };
}

/** How the job ends now: complete, failed for a reason, or not at all. */
function outcome(
  context: ControllerContext,
  job: Manifest,
  pods: Pods,
): { readonly type: 'Complete' | 'Failed'; readonly reason: string; readonly message: string } | undefined {
  const uid = job.metadata.uid ?? '';
  if (pods.succeeded >= number(at(job, 'spec', 'completions'), 1)) {
    return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  }
  if (pods.failed > number(at(job, 'spec', 'backoffLimit'), 6)) {
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const deadline = at(job, 'spec', 'activeDeadlineSeconds');
  if (typeof deadline !== 'number') return undefined;
  const left = deadline * context.delays.deadlineSecondMs - context.since(uid, 'started');
  if (left <= 0) {
    return { type: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  context.later(uid, Math.ceil(left));
  return undefined;
}

function finished(context: ControllerContext, job: Manifest, end: NonNullable<ReturnType<typeof outcome>>): Fields {
  const now = seconds(context.machine.now());
  const condition = (type: string): Fields => ({
    type,
    status: 'True',
    reason: end.reason,
    message: end.message,
    lastProbeTime: now,
    lastTransitionTime: now,
  });
  const first = end.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  return {
    conditions: [
      ...records(at(job, 'status', 'conditions')).filter(({ type }) => type === 'Suspended'),
      condition(first),
      condition(end.type),
    ],
    ...(end.type === 'Complete' ? { completionTime: now } : {}),
  };
}

function startPods(context: ControllerContext, job: Manifest, pods: Pods): void {
  const completions = number(at(job, 'spec', 'completions'), 1);
  const wanted = Math.min(number(at(job, 'spec', 'parallelism'), 1), completions - pods.succeeded);
  for (let missing = wanted - pods.active.length; missing > 0; missing -= 1) {
    try {
      createPod(context.machine, job);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      context.later(job.metadata.uid ?? '', RETRY_MS);
      return;
    }
  }
}

function suspended(context: ControllerContext, job: Manifest): Fields {
  const lastTransitionTime = conditionOf(job, 'Suspended')?.lastTransitionTime ?? seconds(context.machine.now());
  const condition = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
  return { conditions: [{ ...condition, lastProbeTime: lastTransitionTime, lastTransitionTime }] };
}

function removeWhenExpired(context: ControllerContext, job: Manifest): void {
  const ttl = at(job, 'spec', 'ttlSecondsAfterFinished');
  if (typeof ttl !== 'number') return;
  const uid = job.metadata.uid ?? '';
  const left = ttl * context.delays.deadlineSecondMs - context.since(uid, 'finished');
  if (left > 0) context.later(uid, Math.ceil(left));
  else
    deleteObject(context.machine, JOBS, {
      live: job,
      propagation: 'Background',
      uid,
      resourceVersion: undefined,
      dryRun: false,
    });
}

function reconcile(context: ControllerContext, uid: string): void {
  const { machine } = context;
  const job = living(machine, JOBS, uid);
  if (job === undefined) return;
  if ((conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed')) !== undefined) {
    removeWhenExpired(context, job);
    return;
  }
  const found = podsNow(context, job);
  if (at(job, 'spec', 'suspend') === true) {
    for (const pod of found.active) removePod(machine, pod);
    context.forget(uid, 'started');
    writeStatus(machine, JOBS, job, suspended(context, job));
    return;
  }
  context.since(uid, 'started');
  const end = outcome(context, job, found);
  if (end === undefined) startPods(context, job, found);
  else for (const pod of found.active) removePod(machine, pod);
  const { active, succeeded, failed } = podsNow(context, job);
  const ready = active.filter(isReady).length;
  writeStatus(machine, JOBS, job, {
    startTime: text(at(job, 'status', 'startTime')) ?? seconds(machine.now()),
    ...(active.length === 0 ? {} : { active: active.length }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 && end?.type !== 'Failed'
      ? {}
      : { failed: Math.max(failed, found.failed + found.active.length * Number(end?.type === 'Failed')) }),
    ready,
    terminating: 0,
    uncountedTerminatedPods: {},
    ...(end === undefined ? {} : finished(context, job, end)),
  });
}

/** Runs a Job's pods to their end, with retries and deadline. */
export const JOB_CONTROLLER: Controller = { name: 'job', wakes: wakesFor(JOBS, builtIn('pods')), reconcile };
