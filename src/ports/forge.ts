import type { CommitSha, RefName, Result } from '../kernel/index.ts';
import type { CommitOutcome } from './git-resources.ts';
import type { Renewal } from './secrets.ts';

/** The repository a status is written to. */
export type ForgeRepository = {
  readonly forge: 'github' | 'gitlab';
  readonly project: string;
  readonly repositoryId: string;
  readonly apiUrl?: string;
  readonly token?: string;
  /** The App installation whose limits the token shares with others; without one the token has its own. */
  readonly installation?: string;
  /** The credentials that a refused token may have been replaced in. */
  readonly renewal?: Renewal;
};

export type CommitStatus = {
  readonly commit: CommitSha;
  readonly ref: RefName;
  /** Stable per application, such as `hakopod/deploy/acme/production/shop`. */
  readonly context: string;
  readonly outcome: CommitOutcome;
  /** At most 140 characters, no secret. */
  readonly description: string;
  readonly targetUrl?: string;
  /** Where the first status of this commit and context went, so that the last one ends that and not another. */
  readonly pipeline?: StatusPipeline;
};

/** GitLab keeps statuses in pipelines, of which a commit may have several. */
export type StatusPipeline = { readonly id: number; readonly ref: string };

/** What is worth knowing for the next status of the same commit and context. */
export type WrittenStatus = { readonly pipeline?: StatusPipeline };

/** Writes commit statuses. Deadline 15 s a call. */
export interface StatusWriter {
  /** Not idempotent at the forge (each call adds a status); callers see to "never twice unchanged". Same-state refusals of GitLab are a success. */
  write(repository: ForgeRepository, status: CommitStatus): Promise<Result<WrittenStatus>>;
  /** What the forge shows for the context now; asked only when a write's outcome is in doubt. `undefined` when nothing. */
  latest(
    repository: ForgeRepository,
    commit: CommitSha,
    context: string,
  ): Promise<Result<{ readonly outcomes: readonly CommitOutcome[]; readonly description: string } | undefined>>;
}

/** A pull or merge request as the forge has it now. */
export type PullRequest = {
  readonly number: number;
  /** Merged counts as closed. */
  readonly state: 'open' | 'closed';
  /** What the forge's API says is the head; the Git server may show it a little earlier or later. */
  readonly head: CommitSha;
  /** The ref of the base repository that serves the head's objects, for forks too. */
  readonly ref: RefName;
  /** The branch it wants to be merged into. */
  readonly base: RefName;
  /** The head's branch when it lives in the base repository itself. */
  readonly branch: RefName | undefined;
  /** True unless the forge says that the head lives in the base repository. */
  readonly fork: boolean;
  /** Its author does not want it merged yet. */
  readonly draft: boolean;
  readonly updatedAt: string;
  /** The commit both sides grew from; `undefined` when the forge does not say. */
  readonly mergeBase: CommitSha | undefined;
  /** The commit on the base branch that brought it there, once it is merged. */
  readonly merged?: CommitSha;
};

export type OpenPullRequest = Pick<PullRequest, 'number' | 'draft'> & { readonly head: string; readonly base: string };

/** Reads pull and merge requests. Idempotent; deadline 15 s a call. */
export interface PullRequests {
  /** `undefined` when the repository has no request of this number. */
  read(repository: ForgeRepository, number: number): Promise<Result<PullRequest | undefined>>;
  /** The open ones, latest changed first, at most 100; `complete` is false when there may be more. */
  open(
    repository: ForgeRepository,
  ): Promise<Result<{ readonly requests: readonly OpenPullRequest[]; readonly complete: boolean }>>;
}

/** How something that other programs report on a commit stands. */
export type CheckConclusion = 'success' | 'pending' | 'failure';

/** Reads what other programs report on a commit: commit statuses and, where the forge has them, check runs. Idempotent; deadline 15 s a call. */
export interface CommitChecks {
  /** The newest report of each of these names; those the forge knows none of are absent. Skipped and neutral runs are a success. */
  read(
    repository: ForgeRepository,
    commit: CommitSha,
    names: readonly string[],
  ): Promise<Result<ReadonlyMap<string, CheckConclusion>>>;
}

/** A comment on a pull or merge request, as the forge has it now. */
export type RequestComment = {
  readonly body: string;
  /** The author's user name, for records. */
  readonly author: string;
  /** Whether the author may write to the repository now; asked of the forge, never taken from a payload. */
  readonly mayWrite: boolean;
};

/** Reads comments that deliveries mention. Idempotent; deadline 15 s a call. */
export interface CommentReader {
  /** `undefined` when there is no such comment on this request. */
  read(
    repository: ForgeRepository,
    comment: { readonly number: number; readonly id: string },
  ): Promise<Result<RequestComment | undefined>>;
}

/** Keeps one comment per pull request and marker. Deadline 15 s a call. */
export interface CommentWriter {
  /**
   * Makes the comment that begins with `marker` and was written by this token's own user say `body`, creating it when there is
   * none; answers its id. A comment of anybody else is never touched, whatever it says. Looks before it writes, so it may be repeated after
   * an unknown outcome. `known` is an id answered before; it only saves the search and is checked like any other.
   */
  upsert(
    repository: ForgeRepository,
    comment: {
      readonly number: number;
      readonly marker: string;
      /** Begins with `marker`; at most 60,000 characters, no secret. */
      readonly body: string;
      readonly known?: string;
    },
  ): Promise<Result<string>>;
}

/** What a delivery says, once its signature is valid. Nothing in it is trusted beyond "look there". */
export type Delivery =
  | {
      readonly kind: 'push';
      readonly repositoryId: string;
      readonly ref: RefName;
      readonly commit: CommitSha | undefined;
    }
  | {
      readonly kind: 'pull_request';
      /** Of the base repository. */
      readonly repositoryId: string;
      readonly number: number;
      readonly action: 'changed' | 'closed';
      /** A mention only: which commit is the head is asked of the forge and the Git server. */
      readonly head: CommitSha | undefined;
    }
  | {
      /** Somebody wrote what looks like a command on a request; what it says, and by whom, is asked of the forge. */
      readonly kind: 'comment';
      readonly repositoryId: string;
      readonly number: number;
      /** The forge's id of the comment: digits. */
      readonly comment: string;
    }
  | { readonly kind: 'ping'; readonly repositoryId: string | undefined }
  | { readonly kind: 'ignored'; readonly reason: 'event' | 'malformed' };

/** Headers by lowercase name. */
export type HookHeaders = Readonly<Record<string, string | undefined>>;

/** One forge's webhook dialect. Pure but for the clock handed in; never throws on any input. */
export interface HookDialect {
  /** True when the delivery proves one of the secrets, compared in constant time. */
  verify(request: {
    readonly headers: HookHeaders;
    readonly body: Buffer;
    readonly secrets: readonly string[];
    readonly auth: 'hmac' | 'token' | 'signing-token';
    readonly now: Date;
  }): boolean;
  /** The forge's id of this delivery, for duplicates; `undefined` when it sent none. */
  deliveryId(headers: HookHeaders): string | undefined;
  /** Reads the payload. */
  decode(headers: HookHeaders, body: Buffer): Delivery;
}
