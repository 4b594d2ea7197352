/** Interfaces in our own words, one per role, implemented by adapters and queues. Imports kernel, and the words of access. No optional methods. */
export {
  AuditOrigin,
  AuditRecordSpec,
  type Identity,
  IdentitySpec,
  PlainStatus,
  type Project,
  ProjectSpec,
  type Role,
  RoleSpec,
  type SettingsObject,
  SettingsSpec,
  type StoredAuditRecord,
} from './access-resources.ts';
export type { AppCredentials, AppTokens, TokenUse } from './app-tokens.ts';
export {
  type Application,
  ApplicationSpec,
  ApplicationStatus,
  CLEANUP_FINALIZER,
  DELETED_CLAIMS,
  type DomainClaim,
  DomainClaimSpec,
  DomainClaimStatus,
  InventoryEntry,
  ServiceState,
} from './application-resources.ts';
export type { AuditEntry, AuditEvent, AuditFilter, AuditLog, AuditRetention, AuditTrail } from './audit.ts';
export type { BuildEngine, BuildRequest, BuildSpace } from './build-engine.ts';
export type { ClusterCapacity } from './capacity.ts';
export type { CertificateEntry, CertificatePair, CertificateStore } from './certificates.ts';
export type { Clock, Random } from './clock.ts';
export type { Cluster, DeleteOptions, HeldLease, Leases, ListQuery, ObjectCache, WatchEvent } from './cluster.ts';
export {
  type ClusterRun,
  type ClusterRunCollection,
  ClusterRunSpec,
  ClusterRunStatus,
  RUN_KEPT_MS,
  RUNS_KEPT,
  RunKind,
} from './cluster-runs.ts';
export {
  type AcceptedPush,
  commentMentions,
  DELIVERIES_KEPT,
  type DeliveryIntake,
  type DeliveryLog,
  type DeliveryRecord,
  type DeliveryVerdict,
  type ProvenBy,
  pullRequestMentions,
  pullRequestOfMentions,
} from './deliveries.ts';
export type {
  CheckConclusion,
  CommentReader,
  CommentWriter,
  CommitChecks,
  CommitStatus,
  Delivery,
  ForgeRepository,
  HookDialect,
  HookHeaders,
  OpenPullRequest,
  PullRequest,
  PullRequests,
  RequestComment,
  StatusPipeline,
  StatusWriter,
  WrittenStatus,
} from './forge.ts';
export type { BudgetLimits, ForgeBudget } from './forge-budget.ts';
export type { DeploymentWriter, ForgeDeployment } from './forge-deployments.ts';
export type { ForgeDelivery, ForgeHook, ForgeHooks, HookEvent, WantedHook } from './forge-hooks.ts';
export type { GitExport, GitFile, GitReader, Remote } from './git.ts';
export {
  CommitOutcome,
  CommitReport,
  type GitRepository,
  GitRepositorySpec,
  GitRepositoryStatus,
  type GitSource,
  GitSourceSpec,
  GitSourceStatus,
  HookFault,
  type HookState,
  type PlanEnvironment,
  PlanSpec,
  PlanStatus,
  type PullRequestPlan,
  REPORTS_FINALIZER,
  REQUESTED_AT,
  RESUMED_REVISION,
} from './git-resources.ts';
export type {
  HttpClient,
  HttpClientOptions,
  HttpFailure,
  HttpOutcome,
  HttpRequest,
  HttpResponse,
  OpenHttp,
} from './http.ts';
export type { IdentityCollection, RoleCollection } from './identities.ts';
export { type IdentityStore, InstallationIdentity } from './installation-identity.ts';
export type { Job, JobQueue, PollSchedule, QueueCounts, QueueInspector, QueueName } from './jobs.ts';
export type { FirstKeySecret, KeyChange, KeyDirectory, KeyRecord, KeyStore } from './keys.ts';
export type { Log } from './log.ts';
export type { MessageSocket } from './message-socket.ts';
export type { Metrics } from './metrics.ts';
export type { OauthExchange, OauthGrant, OauthTokens } from './oauth-tokens.ts';
export type { ProjectCollection } from './projects.ts';
export type {
  NamedCredentials,
  RegistryCredentials,
  RegistryEntry,
  RegistryScope,
  RegistryStore,
} from './registries.ts';
export type { ImageResolver, ResolvedImage, ResolveOptions } from './registry.ts';
export {
  type BuildRun,
  BuildRunSpec,
  BuildRunStatus,
  type Release,
  ReleaseSpec,
  ReleaseStatus,
  StepState,
} from './release-resources.ts';
export { Condition, GROUP_VERSION, type Resource } from './resource.ts';
export type { CredentialStore, HookDirectory, HookEntry, Renewal, RepositoryAccess, SecretStore } from './secrets.ts';
export type { Setting, SettingSection, SettingSections, SettingsStore } from './settings.ts';
export type {
  BuildRunCollection,
  Collection,
  DomainClaimCollection,
  NewResource,
  ReleaseCollection,
  Store,
} from './store.ts';
export type { TxtResolver } from './txt-resolver.ts';
