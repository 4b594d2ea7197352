import type { z } from 'zod';
import type { Result } from '../kernel/index.ts';
import type { AuditRecordSpec } from './access-resources.ts';

/** What happened. */
export type AuditEvent = z.infer<typeof AuditRecordSpec>;
/** An event on record; `id` sorts newest first and is unique. */
export type AuditEntry = AuditEvent & { readonly id: string };

/** Which entries; every part that is there must be the same. `since` is included, `until` not. */
export type AuditFilter = {
  readonly identity?: string | undefined;
  readonly key?: string | undefined;
  readonly action?: string | undefined;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  readonly application?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** Writes down what changed. */
export interface AuditLog {
  /**
   * Puts the event on record and prints one JSON line. Never fails its caller: the change has happened. When the record can not be written the
   * line is still printed, and the log says so.
   */
  append(event: AuditEvent): Promise<void>;
}

/** The trail, newest first. */
export interface AuditTrail {
  /** At most `limit` entries after the one with id `after`. */
  page(
    filter: AuditFilter,
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<Result<readonly AuditEntry[]>>;
}

/** Forgets what is too old or too much. */
export interface AuditRetention {
  /** Answers how many it removed; what it could not remove waits for the next time. */
  prune(keep: { readonly records: number; readonly since: Date }): Promise<Result<number>>;
}
