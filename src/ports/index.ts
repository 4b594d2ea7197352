/** Interfaces in our own words, one per role, implemented by adapters and queues. Imports kernel only. No optional methods. */
export type { BuildEngine, BuildRequest, BuildSpace } from './build-engine.ts';
export type { Clock, Random } from './clock.ts';
export type { Cluster, DeleteOptions, HeldLease, Leases, ListQuery, ObjectCache, WatchEvent } from './cluster.ts';
export {
  type AcceptedPush,
  type DeliveryIntake,
  type DeliveryLog,
  type DeliveryRecord,
  type DeliveryVerdict,
  pullRequestMentions,
} from './deliveries.ts';
export type {
  CommentWriter,
  CommitStatus,
  Delivery,
  ForgeRepository,
  HookDialect,
  HookHeaders,
  OpenPullRequest,
  PullRequest,
  PullRequests,
  StatusWriter,
} from './forge.ts';
export type { GitExport, GitFile, GitReader, Remote } from './git.ts';
export type {
  HttpClient,
  HttpClientOptions,
  HttpFailure,
  HttpOutcome,
  HttpRequest,
  HttpResponse,
  OpenHttp,
} from './http.ts';
export type { Job, JobQueue, PollSchedule, QueueCounts, QueueInspector, QueueName } from './jobs.ts';
export type { Log } from './log.ts';
export type { Metrics } from './metrics.ts';
export type { ImageResolver } from './registry.ts';
export {
  type Application,
  ApplicationSpec,
  ApplicationStatus,
  type BuildRun,
  BuildRunSpec,
  BuildRunStatus,
  CommitOutcome,
  CommitReport,
  Condition,
  type GitRepository,
  GitRepositorySpec,
  GitRepositoryStatus,
  type GitSource,
  GitSourceSpec,
  GitSourceStatus,
  GROUP_VERSION,
  InventoryEntry,
  PlanSpec,
  PlanStatus,
  type PullRequestPlan,
  REPORTS_FINALIZER,
  REQUESTED_AT,
  RESUMED_REVISION,
  type Release,
  ReleaseSpec,
  ReleaseStatus,
  type Resource,
  ServiceState,
  StepState,
} from './resources.ts';
export type { CredentialStore, HookDirectory, HookEntry, SecretStore } from './secrets.ts';
export type { BuildRunCollection, Collection, NewResource, ReleaseCollection, Store } from './store.ts';
