import type { RefName, RepoPath } from '../kernel/index.ts';
import type {
  AuditLog,
  AuditRetention,
  AuditTrail,
  BuildEngine,
  CertificateStore,
  Clock,
  Cluster,
  ClusterCapacity,
  CommentReader,
  CommentWriter,
  CommitChecks,
  CredentialStore,
  DeliveryLog,
  DeploymentWriter,
  ForgeHooks,
  GitReader,
  IdentityCollection,
  ImageResolver,
  JobQueue,
  KeyStore,
  Leases,
  Log,
  Metrics,
  PollSchedule,
  ProjectCollection,
  PullRequests,
  Random,
  RegistryStore,
  RoleCollection,
  SecretStore,
  SettingsStore,
  StatusWriter,
  Store,
  TxtResolver,
} from '../ports/index.ts';

/** What an installation decides about releasing; all times in milliseconds. */
export type PipelineOptions = {
  readonly appDomain: string | undefined;
  readonly publicPort: number | undefined;
  readonly tlsIssuer: string | undefined;
  readonly ingressClass: string;
  /** Container start and readiness of a service without a budget of its own (facts 3.3: 180 s). */
  readonly rolloutTimeoutSeconds: number;
  /** Pause after network policies changed, so that the CNI has applied them (facts 3.2: 2 s). */
  readonly policySettleMs: number;
  /** Repositories marked local may be read over plain http and on loopback. */
  readonly localRepositories: boolean;
  /** How long a mentioned commit may be ahead of what the ref shows before it counts as superseded. */
  readonly mentionGraceMs: number;
  /** How often a forge is asked for a repository's open pull requests, in case a webhook was lost. */
  readonly pullRequestsCheckMs: number;
  /** Registry, with an optional path, that built images are pushed to; nothing can be built without. */
  readonly buildRegistry: string | undefined;
  /** Secret of the control namespace with `username` and `token` for the push. */
  readonly buildRegistryCredentialsSecret: string | undefined;
  readonly buildTimeoutMs: number;
  readonly buildContextBytes: number;
  readonly buildContextFiles: number;
  /** How long before its end a deploy grant is warned of. */
  readonly grantWarningMs: number;
  /** Where statuses link to; absent until the dashboard has an address. */
  readonly publicUrl: string | undefined;
  /** Installation secret that keys the names of environment snapshots, so that a name confirms no guessed value. */
  readonly snapshotKey: string;
};

/** Everything the shell works with. Each job kind takes it whole; a step takes what it needs. */
export type Deps = {
  readonly store: Store;
  readonly cluster: Cluster;
  /** What the cluster has to offer, for the preflight. */
  readonly capacity: ClusterCapacity;
  readonly leases: Leases;
  readonly secrets: SecretStore;
  readonly certificates: CertificateStore;
  /** Answers the challenges of custom domains. */
  readonly dns: TxtResolver;
  readonly credentials: CredentialStore;
  /** Who may do what, as it is now: rechecked at every use, also while a release runs. */
  readonly keys: KeyStore;
  readonly identities: IdentityCollection;
  readonly roles: RoleCollection;
  readonly projects: ProjectCollection;
  readonly settings: SettingsStore;
  readonly registries: RegistryStore;
  readonly audit: AuditLog & AuditTrail & AuditRetention;
  readonly git: GitReader;
  readonly images: ImageResolver;
  readonly builder: BuildEngine;
  readonly statuses: StatusWriter;
  readonly pullRequests: PullRequests;
  readonly comments: CommentWriter;
  /** Webhooks of repositories at their forges. */
  readonly hooks: ForgeHooks;
  readonly commands: CommentReader;
  readonly checks: CommitChecks;
  readonly deployments: DeploymentWriter;
  readonly jobs: JobQueue;
  readonly schedule: PollSchedule;
  readonly deliveries: DeliveryLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A line of text with what looks like a secret taken out. */
  readonly redact: (text: string) => string;
  readonly metrics: Metrics;
  readonly options: PipelineOptions;
};

/** What a run may know of its queue. */
export type Run = { readonly signal: AbortSignal };

/** A ref stored as a plain string in a resource was validated when it was written. */
export function storedRef(ref: string): RefName {
  return ref as RefName;
}

/** The same for a path. */
export function storedPath(path: string): RepoPath {
  return path as RepoPath;
}
