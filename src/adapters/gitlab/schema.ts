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

/** The pipelines of a commit (pipelines API), and the one a status went to, which old versions do not say. */
export const PipelineList = z.array(z.object({ id: z.int().positive(), ref: z.string() }));
export const StatusAnswer = z.object({ pipeline_id: z.int().positive(), ref: z.string() });

/** An error answer: text, or text per field, under `message` or `error`. */
export const ErrorBody = z.object({ message: z.unknown().optional(), error: z.unknown().optional() });

const CHANGES = ['open', 'reopen', 'update', 'close', 'merge'];

/**
 * The part of a merge request payload that is read. An `update` comes for every edit; it is a push when it has `oldrev`, another base when
 * the target branch is among the changes, and a draft or none any more when that is.
 */
export const MergeRequestPayload = z.object({
  object_kind: z.literal('merge_request'),
  project: z.object({ id: Id }),
  object_attributes: z.object({
    iid: z.int().positive(),
    action: z.string().optional(),
    oldrev: z.string().optional().catch(undefined),
    target_project_id: Id.optional(),
    last_commit: z.object({ id: z.string() }).nullish(),
  }),
  changes: z
    .object({
      target_branch: z.unknown().optional(),
      draft: z.unknown().optional(),
      work_in_progress: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
});
export type MergeRequestPayload = z.infer<typeof MergeRequestPayload>;

/** True when the delivery may change what is planned. */
export function isRelevantChange({ object_attributes: request, changes }: MergeRequestPayload): boolean {
  const action = request.action ?? '';
  if (action !== 'update') return CHANGES.includes(action);
  const { target_branch: target, draft, work_in_progress: unready } = changes ?? {};
  return [request.oldrev, target, draft, unready].some((change) => change !== undefined);
}

/** Whether it is a draft; older versions say it by another name. */
const DRAFT = { draft: z.boolean().nullish(), work_in_progress: z.boolean().nullish() };

/** One merge request as the API answers it. `sha` is null while there is no commit. */
export const MergeRequestAnswer = z.object({
  iid: z.int().positive(),
  state: z.string(),
  ...DRAFT,
  sha: z.string().nullish(),
  updated_at: z.string(),
  source_branch: z.string(),
  target_branch: z.string(),
  /** Null when the fork was deleted. */
  source_project_id: Id.nullish(),
  target_project_id: Id,
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  diff_refs: z.object({ base_sha: z.string().nullish() }).nullish(),
});
export type MergeRequestAnswer = z.infer<typeof MergeRequestAnswer>;

export const MergeRequestList = z.array(
  z.object({ iid: z.int().positive(), ...DRAFT, sha: z.string().nullish(), target_branch: z.string() }),
);

/** A note of a merge request; `system` ones are GitLab's own. */
export const Note = z.object({
  id: z.int().positive(),
  body: z.string(),
  author: z.object({ id: Id }),
  system: z.boolean(),
});
export type Note = z.infer<typeof Note>;
export const NoteWithAuthor = Note.extend({
  author: z.object({ id: Id, username: z.string() }),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type NoteWithAuthor = z.infer<typeof NoteWithAuthor>;

/** A member of a project, of itself or of a group above it (members API). */
export const Member = z.object({ access_level: z.int(), state: z.string() });

/** The newest commit status of each name (commits API, list the statuses of a commit). */
export const CommitStatusList = z.array(z.object({ name: z.string(), status: z.string() }));

/** The part of a note payload that is read; notes on issues, commits and snippets have no merge request. */
export const NotePayload = z.object({
  object_kind: z.literal('note'),
  project: z.object({ id: Id }),
  object_attributes: z.object({
    id: Id,
    note: z.string(),
    noteable_type: z.string(),
    action: z.string().optional(),
    system: z.boolean().optional(),
  }),
  merge_request: z.object({ iid: z.int().positive(), target_project_id: Id.optional() }).nullish(),
});
export const NoteList = z.array(Note);

/** Deployments and environments (deployments API, environments API). */
export const DeploymentAnswer = z.object({ id: Id });
export const DeploymentList = z.array(z.object({ id: Id, sha: z.string() }));
export const EnvironmentList = z.array(z.object({ id: Id, name: z.string(), external_url: z.string().nullish() }));

export const User = z.object({ id: Id });

const Switch = z.boolean().nullish();
/** A project's webhook (project webhooks API). `alert_status` says whether GitLab stopped it. */
export const Hook = z.object({
  id: Id,
  url: z.string(),
  push_events: Switch,
  tag_push_events: Switch,
  merge_requests_events: Switch,
  note_events: Switch,
  issues_events: Switch,
  confidential_issues_events: Switch,
  confidential_note_events: Switch,
  job_events: Switch,
  pipeline_events: Switch,
  wiki_page_events: Switch,
  deployment_events: Switch,
  releases_events: Switch,
  push_events_branch_filter: z.string().nullish(),
  branch_filter_strategy: z.string().nullish(),
  enable_ssl_verification: Switch,
  alert_status: z.string().nullish(),
  /** Since version 19, with the signing tokens themselves; the token is never told. */
  signing_token_present: Switch,
});
export type Hook = z.infer<typeof Hook>;
export const HookList = z.array(Hook);

/** What a webhook delivered in the last days (project webhooks API, events), without the payloads. */
export const HookDeliveries = z.array(
  z.object({
    id: z.number(),
    trigger: z.string().optional(),
    response_status: z.union([z.string(), z.number()]).nullish(),
  }),
);
export type HookDeliveries = z.infer<typeof HookDeliveries>;

/** The answer to a token request. `expires_in` is absent where access tokens do not end. */
export const OauthAnswer = z.object({
  access_token: z.string().min(1).max(16_384),
  refresh_token: z.string().min(1).max(16_384).nullish(),
  expires_in: z.number().positive().nullish(),
  scope: z.string().nullish(),
});

/** A refused token request (RFC 6749, section 5.2). */
export const OauthRefusal = z.object({
  error: z.enum(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_request', 'invalid_scope']),
});
