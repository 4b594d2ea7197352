import { type Manifest, type Problem, problem } from '../kernel/index.ts';
import { ANNOTATIONS } from '../render/index.ts';
import { jobVerdict } from './job-verdict.ts';
import { notOwned, type Owner, ownership } from './ownership.ts';

/** A finished Job as the application's status records it. */
export type JobRecord = {
  readonly service: string;
  readonly revision: number;
  readonly uid: string;
  readonly result: 'succeeded' | 'failed';
  readonly message?: string | undefined;
};

export type JobDecision =
  | { readonly action: 'create' | 'wait' | 'succeeded' }
  /** Delete in the foreground at this uid (recorded first when `adopt`), wait until it is gone, then decide again. */
  | { readonly action: 'replace'; readonly uid: string; readonly adopt: boolean }
  | { readonly action: 'failed'; readonly problem: Problem }
  | { readonly action: 'refuse'; readonly problem: Problem };

/**
 * What to do about the Job of a service at a revision (facts 3.6 and the lifecycle page). Read-before-write makes it safe to ask again after
 * any crash.
 *
 * - A result on record for this revision is final, also when somebody removed the Job since, and also a failure: the way to run a failed
 *   job again is a new revision.
 * - A live Job of this revision is reused, with its failure.
 * - A live Job of an earlier revision is replaced, running or not. One of a later revision means that this release is superseded.
 * - An unfinished Job that is being deleted is waited for; a finished one counts until it is gone.
 * - Neither live nor on record: created while the release of this revision is in progress, even if an earlier attempt may already have
 *   run it (its Job was removed before the result was recorded; jobs must be idempotent, says the lifecycle page). When no release is in
 *   progress nothing is run: a resync repeats no migration.
 */
export function decideJob(request: {
  readonly service: string;
  readonly revision: number;
  readonly live: Manifest | undefined;
  /** The Job's pods, when they were read: a failure then says why. */
  readonly pods?: readonly Manifest[];
  readonly recorded: JobRecord | undefined;
  readonly owner: Owner;
  /** Whether the release of this revision is being carried out now. */
  readonly inProgress: boolean;
}): JobDecision {
  const { service, revision, live, recorded } = request;
  const at = `services.${service}.job`;
  if (recorded !== undefined && recorded.service === service && recorded.revision === revision) {
    if (recorded.result === 'succeeded') return { action: 'succeeded' };
    return { action: 'failed', problem: problem('job_failed', recorded.message, { at }) };
  }
  if (live === undefined) {
    if (request.inProgress) return { action: 'create' };
    return { action: 'failed', problem: problem('job_failed', 'the job was removed before it finished', { at }) };
  }
  const owned = ownership(live, request.owner);
  if (owned === 'foreign') return { action: 'refuse', problem: notOwned(live) };
  const of = Number(live.metadata.annotations?.[ANNOTATIONS.jobRevision] ?? 'NaN');
  if (of > revision) return { action: 'refuse', problem: problem('superseded') };
  if (of !== revision) {
    if (live.metadata.deletionTimestamp !== undefined) return { action: 'wait' };
    return { action: 'replace', uid: live.metadata.uid ?? '', adopt: owned === 'adopted' };
  }
  const verdict = jobVerdict([live, ...(request.pods ?? [])]);
  if (verdict.state === 'waiting') return { action: 'wait' };
  if (verdict.state === 'succeeded') return { action: 'succeeded' };
  return { action: 'failed', problem: problem(verdict.code, verdict.message, { at }) };
}

/**
 * The Job to stop when the release of a revision is cancelled: ours, made for this very revision as its marks say, neither finished nor
 * leaving already. `undefined` when there is none (facts 3.6: exactly this uid is deleted, never what came after it under the same name).
 */
export function jobToStop(request: {
  readonly live: Manifest | undefined;
  readonly revision: number;
  readonly owner: Owner;
}): { readonly job: Manifest; readonly adopt: boolean } | undefined {
  const { live, revision, owner } = request;
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
  const owned = ownership(live, owner);
  const { annotations = {} } = live.metadata;
  const isOfRelease =
    Number(annotations[ANNOTATIONS.jobRevision] ?? 'NaN') === revision &&
    annotations[ANNOTATIONS.operation] === owner.operation &&
    annotations[ANNOTATIONS.jobCreation] !== undefined;
  if (owned === 'foreign' || !isOfRelease || jobVerdict([live]).state !== 'waiting') return undefined;
  return { job: live, adopt: owned === 'adopted' };
}
