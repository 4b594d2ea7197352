import { z } from 'zod';
import { DeployGrant } from '../kernel/index.ts';

/**
 * The custom resources of group `hakopod.io`, version `v1`: every durable fact (DESIGN 4). The CRDs of the chart are generated from
 * these schemas. All live in the control namespace.
 */
export const GROUP_VERSION = 'hakopod.io/v1';

const Timestamp = z.iso.datetime();

/** Kubernetes' standard condition; `Ready` is the one kstatus reads. */
export const Condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: Timestamp,
  observedGeneration: z.int().optional(),
});
export type Condition = z.infer<typeof Condition>;

const Conditions = z.array(Condition).optional();

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
export const GitRepositoryStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  lastDeliveryAt: Timestamp.optional(),
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
  undeliverable: z.string().optional().describe('code of a refusal by the forge that trying again can not mend'),
  at: Timestamp,
});
export type CommitReport = z.infer<typeof CommitReport>;

export const GitSourceSpec = z.object({
  repository: z.string().describe('name of the GitRepository'),
  ref: z.string(),
  path: z.string(),
  application: z.object({ project: z.string(), environment: z.string(), name: z.string() }),
  grant: DeployGrant,
  suspended: z.boolean().optional(),
  drift: z
    .enum(['correct', 'report'])
    .optional()
    .describe('what happens with what somebody changed by hand; correct when absent'),
});
export const GitSourceStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  seen: z
    .object({
      commit: z.string(),
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
      outcome: z.enum(['accepted', 'unchanged', 'refused', 'held']),
      code: z.string().optional(),
      message: z.string().optional(),
      request: z.string().optional().describe('the sync request this plan answered'),
      at: Timestamp,
    })
    .optional(),
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
export const PlanStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  head: z.string().optional().describe('the planned commit'),
  headRef: z.string().optional().describe('the ref of this repository that serves the head'),
  branch: z.string().optional().describe('the branch of the head when it is no fork'),
  fork: z.boolean().optional(),
  base: z.object({ ref: z.string(), commit: z.string().optional() }).optional(),
  sourceGeneration: z
    .int()
    .optional()
    .describe('of the source when this was planned, so that another grant plans again'),
  grantRevision: z.int().optional(),
  revision: z.int().optional().describe('the accepted revision it was compared with'),
  outcome: z.enum(['planned', 'unchanged', 'untouched', 'refused', 'limited']).optional(),
  summary: z.string().optional(),
  code: z.string().optional(),
  digest: z.string().optional().describe('of the planned specification'),
  comment: z
    .object({
      desired: z.string().optional().describe('digest of the text the comment should have'),
      posted: z.string().optional(),
      writingSince: Timestamp.optional().describe('a worker writes the comment since then'),
      id: z.string().optional(),
      undeliverable: z.string().optional().describe('code of a refusal by the forge that trying again can not mend'),
    })
    .optional(),
  closed: z.boolean().optional().describe('nothing more is planned; it goes when its statuses are posted'),
  at: Timestamp.optional(),
  reports: z.array(CommitReport).optional(),
});

export const InventoryEntry = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string(),
});
export type InventoryEntry = z.infer<typeof InventoryEntry>;

export const ServiceState = z.object({
  name: z.string(),
  status: z.enum([
    'missing',
    'deploying',
    'ready',
    'failed',
    'pending',
    'running',
    'completed',
    'scheduled',
    'stopped',
  ]),
  ready: z.int().optional(),
  desired: z.int().optional(),
  image: z.string().optional(),
  url: z.string().optional(),
  endpoints: z.record(z.string(), z.string()).optional().describe('URL of each additional HTTP endpoint'),
  message: z.string().optional(),
});
export type ServiceState = z.infer<typeof ServiceState>;

export const ApplicationSpec = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('random and immutable; names the namespace'),
  project: z.string(),
  environment: z.string(),
  name: z.string(),
  suspended: z.boolean().optional(),
});
export const ApplicationStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  phase: z.enum(['queued', 'healthy', 'empty', 'failed', 'cancelled', 'recovered']).optional(),
  fence: z.int().optional().describe('of the lease under which this was last written; never falls'),
  acceptedRevision: z.int().optional(),
  acceptedAt: Timestamp.optional().describe(
    'when the API took the accepted revision, just before its Release is created',
  ),
  acceptedFor: z.string().optional().describe('the idempotency digest it was taken for'),
  gitRevision: z
    .int()
    .optional()
    .describe('the newest accepted revision that came from the source: it supersedes older ones of the source'),
  cancelled: z.array(z.int()).optional().describe('revisions somebody asked to cancel that have no end yet'),
  revision: z.int().optional().describe('the last revision that succeeded'),
  services: z.array(ServiceState).optional(),
  jobs: z
    .array(
      z.object({
        service: z.string(),
        revision: z.int(),
        uid: z.string(),
        result: z.enum(['succeeded', 'failed']),
        message: z.string().optional(),
      }),
    )
    .optional()
    .describe('completions on record, so that a Job somebody removed does not run again'),
  inventory: z.array(InventoryEntry).optional(),
  drift: z
    .object({
      at: Timestamp,
      corrected: z.boolean(),
      count: z.int().describe('objects that were not as released'),
      objects: z.array(z.object({ object: z.string(), fields: z.array(z.string()) })),
    })
    .optional()
    .describe('what was last found changed by hand, since the last release'),
});

export const ReleaseSpec = z.object({
  application: z.string().describe('name of the Application'),
  applicationId: z.string(),
  revision: z.int().min(1),
  specDigest: z.string(),
  spec: z.string().describe('canonical JSON, gzip, base64'),
  origin: z.object({
    kind: z.enum(['git', 'api']),
    actor: z.string(),
    source: z.string().optional(),
    ref: z.string().optional(),
    commit: z.string().optional(),
    grantRevision: z.int().optional(),
    trigger: z.string().optional().describe('what was accepted, so that a repeated acceptance finds its release'),
    identity: z.string().optional().describe('who asked over the API; rechecked while the release runs'),
    key: z.string().optional().describe('id of the API key it was asked with'),
    action: z.enum(['deploy', 'rollback', 'restart', 'scale', 'stop', 'resume']).optional(),
    via: z.enum(['api', 'cli', 'local']).optional(),
    holds: z
      .string()
      .optional()
      .describe(
        'the commit its source had seen: that commit is not deployed again until a new one or `sources resume`',
      ),
  }),
  idempotency: z.string().optional().describe('digest of the identity and the Idempotency-Key it was accepted with'),
  requestHash: z
    .string()
    .optional()
    .describe('digest of the request, so that a reused key with another one is refused'),
  images: z
    .record(z.string(), z.string())
    .optional()
    .describe('service to the digest of an earlier revision that this one runs again'),
  builds: z.record(z.string(), z.string()).optional().describe('service to the BuildRun whose image it runs'),
});
export const StepState = z.enum(['running', 'done', 'refused', 'failed', 'timed_out', 'unknown', 'skipped']);
export const ReleaseStatus = z.object({
  conditions: Conditions,
  state: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'superseded']).optional(),
  attempts: z.int().optional(),
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  deadline: Timestamp.optional(),
  resolved: z.record(z.string(), z.string()).optional().describe('service to image digest, resolved once'),
  credentials: z
    .record(z.string(), z.string())
    .optional()
    .describe('service to the name of the registry credentials that opened its image; the others are public'),
  placement: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('group of services that share storage to the nodes it may run on; the others run anywhere'),
  steps: z
    .array(
      z.object({
        name: z.string(),
        state: StepState,
        code: z.string().optional(),
        message: z.string().optional(),
        startedAt: Timestamp.optional(),
        at: Timestamp,
      }),
    )
    .optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  at: z.string().optional().describe('the field at fault'),
  lost: z.boolean().optional().describe('no worker came back before the deadline'),
  recovery: z
    .object({
      state: z.enum(['running', 'succeeded', 'failed', 'skipped']),
      revision: z.int().optional().describe('the one that is put back'),
      code: z.string().optional(),
      message: z.string().optional().describe('why it failed or was not tried'),
      startedAt: Timestamp,
      deadline: Timestamp.optional(),
      finishedAt: Timestamp.optional(),
    })
    .optional()
    .describe('putting the last good revision back after this one failed'),
  resumed: z
    .object({
      generation: z.int().min(1).describe('how often it was resumed'),
      services: z.array(z.string()).describe('what is carried out again; the others stay as they are'),
      identity: z.string().optional().describe('who resumed it; rechecked while it runs'),
      key: z.string().optional(),
      idempotency: z.string().describe('digest of the identity and the Idempotency-Key it was resumed with'),
      requestHash: z.string(),
      at: Timestamp,
    })
    .optional()
    .describe('the last time somebody let it go on after it had failed'),
});

/**
 * One image to build: a commit and a build table (DESIGN 1). Its name follows from both, so the same commit and configuration is built
 * once. Immutable but for status.
 */
export const BuildRunSpec = z.object({
  application: z.string().describe('name of the Application'),
  applicationId: z.string(),
  source: z.string().describe('name of the GitSource whose repository and grant it uses'),
  service: z.string().describe('the first service that asked for it; names the image'),
  commit: z.string(),
  revision: z.string().describe('digest of the build table: the configuration revision'),
  build: z.object({
    context: z.string(),
    dockerfile: z.string(),
    target: z.string().optional(),
    build_args: z.record(z.string(), z.string()),
  }),
  repository: z.string().describe('where the image is pushed, without a tag'),
  tag: z.string(),
});
export const BuildRunStatus = z.object({
  conditions: Conditions,
  state: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']).optional(),
  release: z.string().optional().describe('the release that asked for it last'),
  attempts: z.int().optional().describe('builds begun since it was asked for'),
  fence: z.int().optional().describe('of the lease under which this was last written'),
  worker: z.string().optional(),
  startedAt: Timestamp.optional(),
  heartbeatAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  deadline: Timestamp.optional(),
  image: z.string().optional().describe('repository@digest'),
  digest: z.string().optional(),
  log: z.string().optional().describe('the last lines of the log, redacted; at most 32 KiB'),
  code: z.string().optional(),
  message: z.string().optional(),
});

/** A custom domain reserved for one application: named after the host, so no two applications hold the same one (facts 6.2). */
export const DomainClaimSpec = z.object({
  host: z.string(),
  application: z.string().describe('name of the Application'),
  applicationId: z.string(),
  token: z.string().describe('what the TXT record of the challenge says; proves nothing but the ownership'),
  revision: z.int().min(1).describe('the newest revision that was accepted with it'),
});
export const DomainClaimStatus = z.object({
  verifiedAt: Timestamp.optional().describe('the record was found; only then the domain leads anywhere'),
  checkedAt: Timestamp.optional(),
  failingSince: Timestamp.optional().describe('the record of a verified domain is gone since then'),
  code: z.string().optional().describe('why the last check did not find the record'),
});

/** Any of our resources: Kubernetes metadata, a spec and a status. */
export type Resource<Spec, Status> = {
  readonly name: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly uid: string;
  readonly createdAt: string;
  /** True once somebody asked to delete it and a finalizer holds it. */
  readonly deleting: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly spec: Spec;
  readonly status: Status;
};

export type GitRepository = Resource<z.infer<typeof GitRepositorySpec>, z.infer<typeof GitRepositoryStatus>>;
export type GitSource = Resource<z.infer<typeof GitSourceSpec>, z.infer<typeof GitSourceStatus>>;
/** The plan of one pull request for one source. */
export type PullRequestPlan = Resource<z.infer<typeof PlanSpec>, z.infer<typeof PlanStatus>>;
export type Application = Resource<z.infer<typeof ApplicationSpec>, z.infer<typeof ApplicationStatus>>;
export type Release = Resource<z.infer<typeof ReleaseSpec>, z.infer<typeof ReleaseStatus>>;
export type DomainClaim = Resource<z.infer<typeof DomainClaimSpec>, z.infer<typeof DomainClaimStatus>>;
export type BuildRun = Resource<z.infer<typeof BuildRunSpec>, z.infer<typeof BuildRunStatus>>;

/** Annotation on a GitSource: a new value asks for one more plan of the commit the ref points to. */
export const REQUESTED_AT = 'hakopod.io/requested-at';
/** Annotation on a GitSource: the accepted revision when a person last resumed it; a hold by that release or an older one is over. */
export const RESUMED_REVISION = 'hakopod.io/resumed-revision';
/** Finalizer on an Application somebody removes: what it runs goes before it does. */
export const CLEANUP_FINALIZER = 'hakopod.io/cleanup';
/** Finalizer on a GitSource: its open commit statuses are closed before it goes. */
export const REPORTS_FINALIZER = 'hakopod.io/reports';
