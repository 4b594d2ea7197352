import { z } from 'zod';

/** GitLab's numeric id of a project; it survives renames and transfers. */
const Id = z.int().positive();

/**
 * The part of a push or tag push payload that is read (docs.gitlab.com, webhook events). Read loosely: a field GitLab adds or
 * changes elsewhere must not make a delivery unreadable.
 */
export const PushPayload = z.object({
  object_kind: z.enum(['push', 'tag_push']),
  ref: z.string(),
  after: z.string(),
  /** The commit an annotated tag points to; `after` is then the tag object. `null` when the ref was deleted. */
  checkout_sha: z.string().optional().catch(undefined),
  project_id: Id.optional(),
  project: z.object({ id: Id.optional() }).optional(),
});
export type PushPayload = z.infer<typeof PushPayload>;

/** One commit status as the API lists it (commits API, list the statuses of a commit). */
export const StatusList = z.array(
  z.object({ id: z.number(), name: z.string(), status: z.string(), description: z.string().nullish() }),
);

/** An error answer: text, or text per field, under `message` or `error`. */
export const ErrorBody = z.object({ message: z.unknown().optional(), error: z.unknown().optional() });
