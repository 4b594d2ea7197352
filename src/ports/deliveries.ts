import type { Result } from '../kernel/index.ts';

export type DeliveryVerdict = 'accepted' | 'duplicate' | 'malformed' | 'repository' | 'event' | 'refused';

export type DeliveryRecord = {
  readonly repository: string;
  readonly deliveryId: string | undefined;
  readonly verdict: DeliveryVerdict;
  readonly ref?: string;
  readonly commit?: string;
  readonly at: string;
  /** Said while two secrets are valid: which of them proved it. */
  readonly provenBy?: ProvenBy;
};

/** The secrets of a hook: `previous` is valid beside `current` until the forge uses that. */
export type ProvenBy = 'current' | 'previous';

/** One verified push to be queued: the hint, and the commit it mentioned. */
export type AcceptedPush = {
  readonly repository: string;
  readonly deliveryId: string | undefined;
  /** The pushed ref, or `pullRequestMentions` of the pull request. */
  readonly ref: string;
  readonly commit: string | undefined;
  readonly at: string;
  /** Its number when a pull or merge request changed and no ref of its own is meant. */
  readonly pullRequest?: number;
  readonly provenBy?: ProvenBy;
};

/** Where the heads that deliveries mention for a pull request are kept, beside those of refs; no ref looks like this. */
export function pullRequestMentions(number: number): string {
  return `pull-request/${number}`;
}

/** Where the ids of comments that look like commands are kept, in place of commits. */
export function commentMentions(number: number): string {
  return `${pullRequestMentions(number)}/comments`;
}

/** The number of the pull request whose mentions are kept there; `undefined` for a ref. */
export function pullRequestOfMentions(mentions: string): number | undefined {
  const digits = /^pull-request\/([1-9]\d{0,15})(?:\/comments)?$/.exec(mentions)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Deliveries on record per repository; older ones give way. */
export const DELIVERIES_KEPT = 100;

/** The receiver's way in. Batches what arrives together, so that a burst costs few round trips; each caller still waits for its own fate. */
export interface DeliveryIntake {
  /**
   * Checks for a duplicate, remembers the mentioned commit, queues the sync, then marks the delivery as seen, in this order
   * (invariant 2). `queue_unavailable` within a second when Redis is away.
   */
  accept(push: AcceptedPush): Promise<Result<'accepted' | 'duplicate'>>;
  /** Whether this delivery was accepted before; for deliveries that lead to nothing. False without an id. `queue_unavailable` within a second. */
  seen(repository: string, deliveryId: string | undefined): Promise<Result<boolean>>;
  /** Records a delivery that led to nothing; best effort, never fails the answer. */
  record(record: DeliveryRecord): void;
}

/** What workers read of the deliveries. */
export interface DeliveryLog {
  /** Commits that deliveries mentioned for this ref and that nobody took yet, with the time of the first mention. They stay until `forget`. */
  mentioned(
    repository: string,
    ref: string,
  ): Promise<Result<readonly { readonly commit: string; readonly at: string }[]>>;
  forget(repository: string, ref: string, commits: readonly string[]): Promise<Result<void>>;
  /** Mentions it once more, as if a delivery did at `at` (ISO); what is mentioned already keeps its time. */
  mention(
    repository: string,
    ref: string,
    again: { readonly commit: string; readonly at: string },
  ): Promise<Result<void>>;
  /** Newest first, bounded per repository. */
  recent(repository: string, limit: number): Promise<Result<readonly DeliveryRecord[]>>;
}
