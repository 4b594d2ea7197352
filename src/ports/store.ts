import type { Result } from '../kernel/index.ts';
import type { Application, DomainClaim } from './application-resources.ts';
import type { GitRepository, GitSource, PullRequestPlan } from './git-resources.ts';
import type { BuildRun, Release } from './release-resources.ts';

/** What a new resource needs; the API server adds the rest. */
export type NewResource<R extends { spec: unknown }> = {
  readonly name: string;
  readonly spec: R['spec'];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
};

/**
 * One kind of custom resource. `get` reads the API server (`undefined` when absent); `cached` and `all` read the watch's cache and
 * may lag. Writes are compare-and-set: `updateStatus` and `update` read fresh, call `change`, write at the read's resourceVersion and, on
 * `conflict`, start over (at most 10 times). A `change` that answers `undefined` writes nothing. Of an object, `update` replaces what
 * `change` names as a whole (so start from `current.annotations`) and keeps everything else. An application's `fence` that is left
 * out is kept; a lower one is `lease_lost`. An object that does not match its schema is left out of lists and `invalid_object` to `get`.
 */
export interface Collection<R extends { readonly spec: unknown; readonly status: unknown }> {
  get(name: string): Promise<Result<R | undefined>>;
  /** `already_exists` when the name is taken. */
  create(resource: NewResource<R>): Promise<Result<R>>;
  updateStatus(name: string, change: (current: R) => R['status'] | undefined): Promise<Result<R>>;
  update(
    name: string,
    change: (current: R) =>
      | {
          readonly spec?: R['spec'];
          readonly annotations?: Readonly<Record<string, string>>;
          readonly finalizers?: readonly string[];
        }
      | undefined,
  ): Promise<Result<R>>;
  /** Deletes at this uid; gone already is a success. */
  delete(name: string, uid: string): Promise<Result<void>>;
  cached(name: string): R | undefined;
  all(): readonly R[];
  /** Calls back with the names that change in the cache. */
  onChange(listener: (name: string) => void): () => void;
}

/** Releases are many and big: no cache of bodies. */
export interface ReleaseCollection {
  get(name: string): Promise<Result<Release | undefined>>;
  /** `already_exists` when the revision is taken; that makes acceptance a compare-and-set. */
  create(resource: NewResource<Release>): Promise<Result<Release>>;
  updateStatus(name: string, change: (current: Release) => Release['status'] | undefined): Promise<Result<Release>>;
  /** All releases of one application, newest revision first. */
  ofApplication(application: string): Promise<Result<readonly Release[]>>;
  /** The release accepted with this idempotency digest, while it is kept. */
  byIdempotency(digest: string): Promise<Result<Release | undefined>>;
  /** Calls back with the release when the watch first shows it and after each change. Returns the way to stop. */
  watch(name: string, listener: (release: Release) => void): () => void;
  delete(name: string, uid: string): Promise<Result<void>>;
}

/** Builds carry their logs: no cache of bodies. */
export interface BuildRunCollection {
  get(name: string): Promise<Result<BuildRun | undefined>>;
  /** `already_exists` when this commit and configuration has its build already. */
  create(resource: NewResource<BuildRun>): Promise<Result<BuildRun>>;
  updateStatus(name: string, change: (current: BuildRun) => BuildRun['status'] | undefined): Promise<Result<BuildRun>>;
  /** All builds of one application, newest first. */
  ofApplication(application: string): Promise<Result<readonly BuildRun[]>>;
  delete(name: string, uid: string): Promise<Result<void>>;
}

/** Custom domains by host name, across all applications: creating one is reserving it. Few and rarely read: no cache. */
export interface DomainClaimCollection {
  get(host: string): Promise<Result<DomainClaim | undefined>>;
  /** `already_exists` when somebody holds the domain. */
  create(resource: NewResource<DomainClaim>): Promise<Result<DomainClaim>>;
  update(
    host: string,
    change: (current: DomainClaim) => { readonly spec?: DomainClaim['spec'] } | undefined,
  ): Promise<Result<DomainClaim>>;
  updateStatus(
    host: string,
    change: (current: DomainClaim) => DomainClaim['status'] | undefined,
  ): Promise<Result<DomainClaim>>;
  /** Those of one application, by host. */
  ofApplication(application: string): Promise<Result<readonly DomainClaim[]>>;
  /** Deletes at this version, so that a claim somebody renewed meanwhile stays: `conflict`. Gone already is a success. */
  release(claim: DomainClaim): Promise<Result<void>>;
}

/** Every durable fact (DESIGN 4). */
export interface Store {
  readonly repositories: Collection<GitRepository>;
  readonly sources: Collection<GitSource>;
  readonly applications: Collection<Application>;
  readonly plans: Collection<PullRequestPlan>;
  readonly releases: ReleaseCollection;
  readonly builds: BuildRunCollection;
  readonly domains: DomainClaimCollection;
  /** The cached sources bound to this repository and ref, in time proportional to their number. */
  sourcesOf(repository: string, ref: string): readonly GitSource[];
  /** The refs of this repository that any cached source is bound to. */
  repositoryRefs(repository: string): readonly string[];
  /** The preview environments of a project as the API server has them now, those on their way out included; never cached. */
  previewsOf(project: string): Promise<Result<readonly Application[]>>;
  /** Starts the caches and resolves when each has listed once. */
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
