import type { Result } from '../kernel/index.ts';
import type { ForgeRepository } from './forge.ts';

/** What a hook can tell of that somebody here reads: pushed branches, pushed tags, pull or merge requests and comments on them. */
export type HookEvent = 'push' | 'tag_push' | 'pull_request' | 'comment';

/** A webhook as its forge has it now. The secret is never told. */
export type ForgeHook = {
  readonly id: string;
  readonly url: string;
  /** Those of ours that it sends. */
  readonly events: readonly HookEvent[];
  /** It sends events besides that nobody here reads. */
  readonly sendsMore: boolean;
  /** `inactive`: switched off by somebody. `paused`, `disabled`: the forge stopped it after failures, for a while or until it is mended. */
  readonly state: 'active' | 'inactive' | 'paused' | 'disabled';
  readonly verifiesTls: boolean;
  /** Deliveries are JSON, not a form. */
  readonly isJson: boolean;
};

/** What a hook should be. Creating and updating say all of it, so that nothing of an older hook stays. */
export type WantedHook = {
  readonly url: string;
  readonly events: readonly HookEvent[];
  readonly secret: string;
  /** GitLab sends the secret as a token, or signs with it since version 19. */
  readonly auth: 'hmac' | 'token' | 'signing-token';
};

/** One try of a forge to deliver. */
export type ForgeDelivery = {
  readonly id: string;
  /** Absent where the forge does not say. */
  readonly at?: string;
  readonly event?: string;
  /** Of the answer; absent when there was none, or the forge does not say. */
  readonly status?: number;
  readonly ok: boolean;
};

/**
 * The webhooks of a repository at its forge. Deadline 15 s a call. `forge_unauthorized` and `forge_not_found` mean that the token may not
 * manage webhooks; GitHub says the second. TLS verification is always asked for.
 */
export interface ForgeHooks {
  /** At most 100, which is more than a forge allows. */
  list(repository: ForgeRepository): Promise<Result<readonly ForgeHook[]>>;
  /** Not idempotent: look before. After `forge_unavailable` it is unknown whether the hook was made. */
  create(repository: ForgeRepository, wanted: WantedHook): Promise<Result<ForgeHook>>;
  /** Makes the hook what is wanted and switches it on. Idempotent. */
  update(repository: ForgeRepository, id: string, wanted: WantedHook): Promise<Result<ForgeHook>>;
  /** Gone already is a success. */
  remove(repository: ForgeRepository, id: string): Promise<Result<void>>;
  /**
   * Asks the forge to deliver now: GitHub a ping, later; GitLab a push of the default branch, at once, which also switches a disabled hook
   * on again. Succeeds when the forge took the order; whether it arrived is the receiver's to see.
   */
  test(repository: ForgeRepository, id: string): Promise<Result<void>>;
  /** The latest deliveries, newest first, at most 20; empty where the forge keeps none. */
  deliveries(repository: ForgeRepository, id: string): Promise<Result<readonly ForgeDelivery[]>>;
}
