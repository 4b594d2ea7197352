import { at, type Manifest, newestPod } from '../kernel/index.ts';
import { countAt } from './json.ts';
import { bounded, conditionOf, holds, podReason } from './pod-reason.ts';

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
    if (conditionOf(job, 'Failed')?.reason === 'DeadlineExceeded') return timedOut(reason);
    return { state: 'failed', code: 'job_failed', message: bounded(reason ?? 'its last attempt failed') };
  }
  if (late) return timedOut(reason);
  const running = countAt(job, 'status', 'active') > 0;
  return reason === undefined ? { state: 'waiting', running } : { state: 'waiting', running, reason: bounded(reason) };
}

function timedOut(reason: string | undefined): JobVerdict {
  const late = 'it did not finish before its deadline';
  const message = reason === undefined ? late : bounded(`${late}: ${reason}`);
  return { state: 'failed', code: 'job_timeout', message };
}

/**
 * The pods of a job as it ended: those there now, and those seen before that are leaving or gone. Kubernetes removes the pods of a job that
 * ran out of time, and with them the only one who knows why.
 */
export function podsAtEnd(now: readonly Manifest[], before: readonly Manifest[]): readonly Manifest[] {
  const staying = now.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const known = new Set(staying.map(({ metadata }) => metadata.uid));
  const earlier = before.filter(({ metadata }) => !known.has(metadata.uid));
  const told = new Set([...known, ...earlier.map(({ metadata }) => metadata.uid)]);
  return [...staying, ...earlier, ...now.filter(({ metadata }) => !told.has(metadata.uid))];
}

function ownerUids(pod: Manifest): readonly unknown[] {
  const owners = pod.metadata.ownerReferences;
  return Array.isArray(owners) ? owners.map((owner) => at(owner, 'uid')) : [];
}
