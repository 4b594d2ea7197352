/** Interfaces in our own words, one per role, implemented by adapters and queues. Imports kernel only. No optional methods. */
export type { Clock, Random } from './clock.ts';
export type { Cluster, DeleteOptions, HeldLease, Leases, ListQuery, ObjectCache, WatchEvent } from './cluster.ts';
export type { AcceptedPush, DeliveryIntake, DeliveryLog, DeliveryRecord, DeliveryVerdict } from './deliveries.ts';
export type { CommitStatus, Delivery, ForgeRepository, HookDialect, HookHeaders, StatusWriter } from './forge.ts';
export type { GitFile, GitReader, Remote } from './git.ts';
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
  REPORTS_FINALIZER,
  REQUESTED_AT,
  type Release,
  ReleaseSpec,
  ReleaseStatus,
  type Resource,
  ServiceState,
  StepState,
} from './resources.ts';
export type { CredentialStore, HookDirectory, HookEntry, SecretStore } from './secrets.ts';
export type { Collection, NewResource, ReleaseCollection, Store } from './store.ts';
