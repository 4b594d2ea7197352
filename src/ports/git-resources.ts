import { z } from 'zod';
import { DeployGrant, DeployPolicy } from '../kernel/index.ts';
import { Conditions, type Resource, Timestamp } from './resource.ts';

export const GitRepositorySpec = z.object({
  forge: z.enum(['github', 'gitlab']),
  url: z.string().describe('clone URL, https'),
  repositoryId: z.string().describe("the forge's immutable id of the repository"),
  project: z.string().describe('owner/name or group/path, for API calls'),
  apiUrl: z.string().optional().describe('API base when not the installation default'),
  local: z.boolean().optional().describe('plain http and loopback are allowed'),
  credentialsSecret: z.string().optional().describe('Secret with `username` and `token`'),
  webhookSecret: z.string().optional().describe('Secret with `current` and, during rotation, `previous`'),
  webhookAuth: z.enum(['hmac', 'token', 'signing-token']).describe('hmac for GitHub, the others for GitLab'),
  hookId: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('the :id of /hooks/:id'),
  intervalSeconds: z.int().min(5).max(86_400),
  scope: z
    .object({ project: z.string(), environment: z.string() })
    .optional()
    .describe('the environment that may bind it; without one it belongs to administrators'),
});

/** What is wrong with a webhook at its forge. */
export const HookFault = z.enum([
  ...(['missing', 'url', 'events', 'extra_events', 'tls', 'content_type'] as const),
  ...(['inactive', 'paused', 'disabled', 'secret', 'failing', 'doubled'] as const),
]);
export type HookFault = z.infer<typeof HookFault>;

/** The webhook at the forge as it was last seen. */
const HookState = z.object({
  id: z.string().optional().describe('of the hook at the forge'),
  url: z.string().optional(),
  events: z.array(z.string()).optional(),
  health: z
    .enum(['healthy', 'dead', 'unknown'])
    .describe('what a dead one would tell is polled for more often, what a healthy one tells less'),
  faults: z.array(HookFault).optional(),
  code: z.string().optional().describe('why the forge could not be asked'),
  lastDelivery: z
    .object({ at: Timestamp.optional(), status: z.int().optional(), ok: z.boolean() })
    .optional()
    .describe('the last try of the forge to deliver'),
  installedAt: Timestamp.optional().describe('when Hakopod last wrote it; what was before says nothing about it'),
  rotatedAt: Timestamp.optional().describe('two secrets are valid since then, until the forge uses the new one'),
  checkedAt: Timestamp.optional(),
});
export type HookState = z.infer<typeof HookState>;

export const GitRepositoryStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  lastDeliveryAt: Timestamp.optional(),
  webhook: HookState.optional(),
  pullRequestsAt: Timestamp.optional().describe('when the forge was last asked for its open pull requests'),
  refs: z
    .array(z.object({ name: z.string(), commit: z.string(), syncedAt: Timestamp }))
    .optional()
    .describe('the commit each bound ref had when its sources were last brought up to it'),
});

/** How one commit stands for one application, as the forge should show it. */
export const CommitOutcome = z.enum(['pending', 'success', 'failure', 'superseded', 'cancelled', 'lost']);
export type CommitOutcome = z.infer<typeof CommitOutcome>;

const Report = z.object({ outcome: CommitOutcome, description: z.string() });

/** One commit in a source's ledger. Final entries stay, bounded by `LIMITS.commitsRemembered`, so a late delivery changes nothing. */
export const CommitReport = z.object({
  commit: z.string(),
  desired: Report,
  posting: Report.optional().describe('set before a status is sent, so that a restart knows it is in doubt'),
  posted: Report.optional(),
  writes: z.int().optional().describe('statuses sent for it, also those whose answer was lost'),
  pipeline: z
    .object({ id: z.int(), ref: z.string() })
    .optional()
    .describe('GitLab: the pipeline its first status went to, which the last one ends'),
  undeliverable: z.string().optional().describe('code of a refusal by the forge that trying again can not mend'),
  deployment: z
    .object({ id: z.string().optional(), posted: CommitOutcome.optional(), undeliverable: z.string().optional() })
    .optional()
    .describe('set when a release was accepted for it and the forge shall show a deployment'),
  at: Timestamp,
});
export type CommitReport = z.infer<typeof CommitReport>;

/** Exactly what was planned; an approval of anything else counts for nothing (DESIGN invariant 10). */
const PlanIdentity = {
  commit: z.string(),
  digest: z.string().describe('of the specification and the revision it was compared with'),
  grantRevision: z.int(),
};

export const GitSourceSpec = z.object({
  repository: z.string().describe('name of the GitRepository'),
  ref: z.string().describe('a full ref, or a pattern of tags such as refs/tags/v* whose newest is followed'),
  path: z.string(),
  application: z.object({ project: z.string(), environment: z.string(), name: z.string() }),
  grant: DeployGrant,
  suspended: z.boolean().optional(),
  deployments: z.boolean().optional().describe('releases are shown as deployments of the forge too'),
  drift: z
    .enum(['correct', 'report'])
    .optional()
    .describe('what happens with what somebody changed by hand; correct when absent'),
  policy: DeployPolicy.optional().describe('when a commit may be released; at once when absent'),
  previewEnvironments: z
    .object({
      ttlHours: z.int().min(1).max(72).describe('an environment goes that long after its last head was deployed'),
    })
    .optional()
    .describe('requests of the repository itself get an application of their own, for a while; none when absent'),
});

export const GitSourceStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  seen: z
    .object({
      commit: z.string(),
      ref: z.string().optional().describe('the tag it was found at, when the source follows a pattern'),
      generation: z.int().describe('of the source when the ref was read'),
      request: z.string().optional().describe('the sync request this reading answered'),
      at: Timestamp,
    })
    .optional()
    .describe('the commit to plan'),
  planned: z
    .object({
      commit: z.string(),
      grantRevision: z.int(),
      generation: z.int().optional().describe('of the source, so that a changed binding plans again'),
      outcome: z.enum(['accepted', 'unchanged', 'refused', 'held', 'waiting', 'skipped']),
      code: z.string().optional(),
      message: z.string().optional(),
      request: z.string().optional().describe('the sync request this plan answered'),
      at: Timestamp,
    })
    .optional(),
  waiting: z
    .object({
      ...PlanIdentity,
      for: z.enum(['approval', 'check', 'freeze']),
      check: z.string().optional().describe('the check that is waited for'),
      until: Timestamp.optional().describe('when the freeze ends'),
      since: Timestamp,
      lookAt: Timestamp.describe('when it is judged again, if nothing happens before'),
    })
    .optional()
    .describe('the plan that the deploy policy keeps from being released'),
  approval: z
    .object({ ...PlanIdentity, by: z.string(), via: z.enum(['api', 'cli', 'comment']), at: Timestamp })
    .optional()
    .describe('the last plan somebody approved'),
  released: z.object({ commit: z.string(), revision: z.int() }).optional(),
  watched: z
    .array(z.string())
    .optional()
    .describe('build contexts and Dockerfiles of the last plan: a commit that changes one is planned too'),
  envFiles: z
    .array(z.string())
    .optional()
    .describe('env files of the last plan, also ones that are not there: a commit that changes one is planned too'),
  reports: z.array(CommitReport).optional(),
});

export const PlanSpec = z.object({
  repository: z.string().describe('name of the GitRepository'),
  source: z.string().describe('name of the GitSource'),
  application: z.object({ project: z.string(), environment: z.string(), name: z.string() }),
  number: z.int().min(1).describe('of the pull or merge request'),
});

/** The ephemeral application of a request, as its comment says it. */
const PlanEnvironment = z.object({
  application: z.string().describe('name of the Application'),
  state: z.enum(['deploying', 'ready', 'failed', 'refused', 'limited', 'expired', 'removed']),
  commit: z.string().describe('the head this is about'),
  revision: z.int().optional().describe('the release of the environment that carries the head'),
  url: z.string().optional().describe('of its first public service'),
  urls: z.record(z.string(), z.string()).optional().describe('of every public service'),
  code: z.string().optional(),
  message: z.string().optional(),
  expiresAt: Timestamp.optional(),
});
export type PlanEnvironment = z.infer<typeof PlanEnvironment>;

export const PlanStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  head: z.string().optional().describe('the planned commit'),
  headRef: z.string().optional().describe('the ref of this repository that serves the head'),
  branch: z.string().optional().describe('the branch of the head when it is no fork'),
  fork: z.boolean().optional(),
  draft: z.boolean().optional(),
  base: z.object({ ref: z.string(), commit: z.string().optional() }).optional(),
  sourceGeneration: z
    .int()
    .optional()
    .describe('of the source when this was planned, so that another grant plans again'),
  grantRevision: z.int().optional(),
  revision: z.int().optional().describe('the accepted revision it was compared with'),
  standing: z
    .string()
    .optional()
    .describe('how the accepted revision and the file of the base branch stood; another one plans again'),
  outcome: z.enum(['planned', 'unchanged', 'untouched', 'refused', 'limited']).optional(),
  summary: z.string().optional(),
  code: z.string().optional(),
  digest: z.string().optional().describe('of the planned specification'),
  text: z.string().optional().describe('the whole plan for its page: text, gzip, base64'),
  comment: z
    .object({
      desired: z.string().optional().describe('digest of the text the comment should have'),
      posted: z.string().optional(),
      writingSince: Timestamp.optional().describe('a worker writes the comment since then'),
      id: z.string().optional(),
      environment: z.string().optional().describe('digest of what the text says of the environment'),
      undeliverable: z.string().optional().describe('code of a refusal by the forge that trying again can not mend'),
    })
    .optional(),
  environment: PlanEnvironment.optional().describe('where the source wants preview environments'),
  closed: z
    .boolean()
    .optional()
    .describe('nothing more is planned; it goes when its statuses are posted and its environment is gone'),
  at: Timestamp.optional(),
  reports: z.array(CommitReport).optional(),
});

export type GitRepository = Resource<z.infer<typeof GitRepositorySpec>, z.infer<typeof GitRepositoryStatus>>;
export type GitSource = Resource<z.infer<typeof GitSourceSpec>, z.infer<typeof GitSourceStatus>>;

/** The plan of one pull request for one source. */
export type PullRequestPlan = Resource<z.infer<typeof PlanSpec>, z.infer<typeof PlanStatus>>;

/** Annotation on a GitSource: a new value asks for one more plan of the commit the ref points to. */
export const REQUESTED_AT = 'hakopod.io/requested-at';

/** Annotation on a GitSource: the accepted revision when a person last resumed it; a hold by that release or an older one is over. */
export const RESUMED_REVISION = 'hakopod.io/resumed-revision';

/** Finalizer on a GitSource: its open commit statuses are closed before it goes. */
export const REPORTS_FINALIZER = 'hakopod.io/reports';
