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

/** Actions of a `pull_request` delivery after which the head, the base, the state or the draft may be another one. */
const CHANGES = ['opened', 'synchronize', 'reopened', 'ready_for_review', 'converted_to_draft', 'edited', 'closed'];

/** The part of a `pull_request` payload that is read. `edited` also tells of titles; only another base matters. */
export const PullRequestPayload = z.object({
  action: z.string(),
  number: z.int().positive(),
  changes: z.object({ base: z.unknown().optional() }).optional().catch(undefined),
  pull_request: z.object({ head: z.object({ sha: z.string() }) }),
  repository: z.object({ id: Id }),
});
export type PullRequestPayload = z.infer<typeof PullRequestPayload>;

/** True when the delivery may change what is planned. */
export function isRelevantChange({ action, changes }: PullRequestPayload): boolean {
  return CHANGES.includes(action) && (action !== 'edited' || changes?.base !== undefined);
}

/** One pull request as the API answers it (REST API, pulls). */
export const PullRequestAnswer = z.object({
  number: z.int().positive(),
  state: z.string(),
  draft: z.boolean().nullish(),
  updated_at: z.string(),
  /** `repo` is null when the fork was deleted. */
  head: z.object({ sha: z.string(), ref: z.string(), repo: z.object({ id: Id }).nullish() }),
  base: z.object({ ref: z.string(), repo: z.object({ id: Id }) }),
  merged: z.boolean().nullish(),
  /** Of a request that is not merged, a try of GitHub's own. */
  merge_commit_sha: z.string().nullish(),
});
export type PullRequestAnswer = z.infer<typeof PullRequestAnswer>;

export const PullRequestList = z.array(
  z.object({
    number: z.int().positive(),
    draft: z.boolean().nullish(),
    head: z.object({ sha: z.string() }),
    base: z.object({ ref: z.string() }),
  }),
);

/** A comparison of two commits (REST API, commits). */
export const Comparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) });

/** An issue comment (REST API, issues/comments). */
export const Comment = z.object({
  id: z.int().positive(),
  body: z.string().nullish(),
  user: z.object({ id: Id, login: z.string().optional(), type: z.string().optional() }).nullish(),
  issue_url: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type Comment = z.infer<typeof Comment>;
/** What somebody may do to a repository (REST API, collaborators/permission). */
export const Permission = z.object({ permission: z.string() });

/** The part of an `issue_comment` payload that is read; `pull_request` is there only for requests. */
export const CommentPayload = z.object({
  action: z.string(),
  issue: z.object({ number: z.int().positive(), pull_request: z.object({}).optional().catch(undefined) }),
  comment: z.object({ id: Id, body: z.string().nullish() }),
  repository: z.object({ id: Id }),
});

/** The newest commit status of each context (REST API, commits/status). */
export const CombinedStatus = z.object({ statuses: z.array(z.object({ context: z.string(), state: z.string() })) });

/** The newest check runs of a commit (REST API, checks). */
export const CheckRuns = z.object({
  check_runs: z.array(z.object({ name: z.string(), status: z.string(), conclusion: z.string().nullish() })),
});
export const CommentList = z.array(Comment);

/** A deployment (REST API, deployments). */
export const DeploymentAnswer = z.object({ id: z.int().positive() });
export const DeploymentList = z.array(DeploymentAnswer);

export const User = z.object({ id: Id });
export const Viewer = z.object({ data: z.object({ viewer: z.object({ databaseId: Id }) }) });

/** A repository's webhook (REST API, repos/webhooks). `insecure_ssl` is a digit, as text or number. */
export const Hook = z.object({
  id: Id,
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({
    url: z.string().optional(),
    content_type: z.string().optional(),
    insecure_ssl: z.union([z.string(), z.number()]).optional(),
  }),
});
export type Hook = z.infer<typeof Hook>;
export const HookList = z.array(Hook);

/** What a webhook delivered (REST API, repos/webhooks). */
export const HookDeliveries = z.array(
  z.object({ id: z.number(), delivered_at: z.string(), event: z.string(), status_code: z.number() }),
);

/** A token of an App's installation (REST API, apps). */
export const InstallationToken = z.object({ token: z.string().min(1), expires_at: z.string() });
export type InstallationToken = z.infer<typeof InstallationToken>;
