import type { CommitSha, RefName, Result } from '../kernel/index.ts';
import type { CommitOutcome } from './resources.ts';

/** The repository a status is written to. */
export type ForgeRepository = {
  readonly forge: 'github' | 'gitlab';
  readonly project: string;
  readonly repositoryId: string;
  readonly apiUrl?: string;
  readonly token?: string;
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
};

/** Writes commit statuses. Deadline 15 s a call. */
export interface StatusWriter {
  /** Not idempotent at the forge (each call adds a status); callers see to "never twice unchanged". Same-state refusals of GitLab are a success. */
  write(repository: ForgeRepository, status: CommitStatus): Promise<Result<void>>;
  /** What the forge shows for the context now; asked only when a write's outcome is in doubt. `undefined` when nothing. */
  latest(
    repository: ForgeRepository,
    commit: CommitSha,
    context: string,
  ): Promise<Result<{ readonly outcomes: readonly CommitOutcome[]; readonly description: string } | undefined>>;
}

/** What a delivery says, once its signature is valid. Nothing in it is trusted beyond "look there". */
export type Delivery =
  | {
      readonly kind: 'push';
      readonly repositoryId: string;
      readonly ref: RefName;
      readonly commit: CommitSha | undefined;
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
