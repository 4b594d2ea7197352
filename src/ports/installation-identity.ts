import { z } from 'zod';
import type { Result } from '../kernel/index.ts';

/**
 * Who an installation is: made once, kept in a Secret of the control namespace, so that a process that starts again is the same instance.
 * `privateKey` is secret: it is never logged, shown or sent.
 */
export const InstallationIdentity = z.object({
  installation: z.string().regex(/^[0-9a-f]{32}$/),
  /** The 32 bytes of an Ed25519 seed in hex; a shorter one is no key. */
  privateKey: z.string().regex(/^[0-9a-f]{64}$/),
  /** Where it was made. A copy that turns up elsewhere is a second installation on one identity. */
  home: z.object({ namespace: z.string(), uid: z.string() }),
  /** Only rises: once with each process that takes the identity over. */
  generation: z.int().min(1),
});
export type InstallationIdentity = z.infer<typeof InstallationIdentity>;

/**
 * Keeps the identity. Writes go against the Secret as this store last saw it, so that what somebody else wrote since is a conflict and never
 * overwritten. Calls of one store take turns.
 */
export interface IdentityStore {
  /** `undefined` when there is none yet; `invalid_secret` when the Secret holds something else. */
  load(): Promise<Result<InstallationIdentity | undefined>>;
  /**
   * Creates or replaces it. `identity_conflict` when the Secret holds another installation or a later generation, or changed twice meanwhile:
   * two share one identity, and the caller stops. `not_found` when it was deleted since; it is not made again under a running process.
   */
  save(identity: InstallationIdentity): Promise<Result<void>>;
}
