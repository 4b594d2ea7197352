import { z } from 'zod';

/** GitHub's numeric id of a repository; it survives renames and transfers. */
const Id = z.int().positive();

/**
 * The part of a `push` payload that is read (docs.github.com, webhook events and payloads). Read loosely: a field GitHub adds or
 * changes elsewhere must not make a delivery unreadable.
 */
export const PushPayload = z.object({
  ref: z.string(),
  after: z.string(),
  deleted: z.boolean().optional(),
  /** The commit an annotated tag points to; `after` is then the tag object. */
  head_commit: z.object({ id: z.string() }).optional().catch(undefined),
  repository: z.object({ id: Id }),
});
export type PushPayload = z.infer<typeof PushPayload>;

/** A `ping`; organisation hooks send it without a repository. */
export const PingPayload = z.object({ repository: z.object({ id: Id }).optional() });

/** One commit status as the API lists it (REST API, commits/statuses). */
export const StatusList = z.array(
  z.object({ context: z.string(), state: z.string(), description: z.string().nullish() }),
);
