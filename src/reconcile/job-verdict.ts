import type { Manifest } from '../kernel/index.ts';
import { at, countAt } from './json.ts';
import { bounded, conditionOf, holds, newestPod, podReason } from './pod-reason.ts';

/** How a deployment job stands. */
export type JobVerdict =
  | { readonly state: 'succeeded' }
  | { readonly state: 'waiting'; readonly running: boolean; readonly reason?: string }
  | { readonly state: 'failed'; readonly code: 'job_failed' | 'job_timeout'; readonly message: string };

/**
 * Judges a Job from it and its Pods as listed, in any order. Only the Job's own final conditions count: while it may still retry, a failed pod is
 * no failure. `deadlinePassed` is our own bound, for a controller that says nothing.
 */
export function jobVerdict(
  objects: readonly Manifest[],
  options: { readonly deadlinePassed?: boolean } = {},
): JobVerdict {
  const job = objects.find((object) => object.kind === 'Job');
  const late = options.deadlinePassed === true;
  const gone = 'the job does not exist';
  if (job === undefined) {
    return late
      ? { state: 'failed', code: 'job_timeout', message: gone }
      : { state: 'waiting', running: false, reason: gone };
  }
  if (holds(job, 'Complete')) return { state: 'succeeded' };
  const uid = job.metadata.uid;
  const pods = objects.filter(
    (object) => object.kind === 'Pod' && (uid === undefined || ownerUids(object).includes(uid)),
  );
  const newest = newestPod(pods);
  const reason = newest === undefined ? undefined : podReason(newest);
  if (holds(job, 'Failed')) {
    const timedOut = conditionOf(job, 'Failed')?.reason === 'DeadlineExceeded';
    const fallback = timedOut ? 'it did not finish before its deadline' : 'its last attempt failed';
    const code = timedOut ? 'job_timeout' : 'job_failed';
    return { state: 'failed', code, message: bounded(reason ?? fallback) };
  }
  if (late)
    return {
      state: 'failed',
      code: 'job_timeout',
      message: bounded(reason ?? 'it did not finish before its deadline'),
    };
  const running = countAt(job, 'status', 'active') > 0;
  return reason === undefined ? { state: 'waiting', running } : { state: 'waiting', running, reason: bounded(reason) };
}

function ownerUids(pod: Manifest): readonly unknown[] {
  const owners = pod.metadata.ownerReferences;
  return Array.isArray(owners) ? owners.map((owner) => at(owner, 'uid')) : [];
}
