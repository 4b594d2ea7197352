import type { Manifest, ObjectRef, Result } from '../kernel/index.ts';

/** A kind as the API server knows it, and how its objects are found. */
export type ListQuery = {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Answers apiVersion, kind and metadata alone: no body crosses the wire or stays in memory. */
  readonly metadataOnly?: true;
};

export type WatchEvent = { readonly type: 'added' | 'modified' | 'deleted'; readonly object: Manifest };

export type DeleteOptions = {
  /** Nothing but the object with this uid is deleted (invariant 8). */
  readonly uid: string;
  /** The delete fails with `conflict` when the live object has another version. */
  readonly resourceVersion?: string;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan';
};

/** A cache of all objects a query selects, kept current by a watch that restarts itself whatever ends it. */
export interface ObjectCache {
  /** True after the first complete list. */
  readonly synced: boolean;
  /** Resolves when synced, or rejects when the signal aborts first. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  items(): readonly Manifest[];
  get(name: string, namespace?: string): Manifest | undefined;
  /** Called after each change; the listener must not throw. Returns the way to stop. */
  onChange(listener: (event: WatchEvent) => void): () => void;
  stop(): Promise<void>;
}

/**
 * The Kubernetes API in raw JSON. Every call has a timeout (30 s, watches apart) and answers with the catalogue's cluster codes:
 * `conflict`, `already_exists`, `not_found`, `forbidden`, `admission_denied`, `invalid_object`, `cluster_unavailable`, `gone`.
 * Reads and `apply` are idempotent; after a `cluster_unavailable` write it is unknown whether it happened, so read first.
 */
export interface Cluster {
  /** `undefined` when the object does not exist. */
  get(ref: ObjectRef, signal?: AbortSignal): Promise<Result<Manifest | undefined>>;
  /** All objects, paged behind the scenes. */
  list(query: ListQuery, signal?: AbortSignal): Promise<Result<readonly Manifest[]>>;
  create(manifest: Manifest): Promise<Result<Manifest>>;
  /** PUT; the manifest's resourceVersion, when present, makes it a compare-and-set. */
  replace(manifest: Manifest, subresource?: 'status'): Promise<Result<Manifest>>;
  /** Forced, strict server-side apply under the field manager `hakopod`. */
  apply(manifest: Manifest, options?: { readonly dryRun?: boolean }): Promise<Result<Manifest>>;
  /** JSON merge patch; include `metadata.resourceVersion` for a compare-and-set. */
  mergePatch(ref: ObjectRef, patch: object, subresource?: 'status'): Promise<Result<Manifest>>;
  /**
   * Deleting what is already gone is a success, also when another object has its name since, which stays; with a `resourceVersion` that is
   * a `conflict`.
   */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<Result<void>>;
  /** A cache of the query, started at once. */
  cache(query: ListQuery): ObjectCache;
  /**
   * Watches the queries and calls `judge` with everything they select, first at once, then after each change and at least every
   * 2 s (facts 3.7), until it answers a value. `undefined` when `deadline` passes or the signal aborts first.
   */
  waitFor<T>(request: {
    readonly queries: readonly ListQuery[];
    readonly judge: (objects: readonly Manifest[]) => T | undefined;
    readonly deadline: Date;
    readonly signal?: AbortSignal;
  }): Promise<Result<T | undefined>>;
}

/** Proof of holding a lease. */
export interface HeldLease {
  /** Grows with every change of holder; written beside everything done under the lease. */
  readonly fence: number;
  /** Aborts when the lease is lost or can not be renewed in time. */
  readonly signal: AbortSignal;
  /** Empties the holder, so the next one needs not wait. */
  release(): Promise<void>;
}

/** Mutual exclusion per name on `coordination.k8s.io` Leases, renewed in the background. */
export interface Leases {
  /** `lease_held` (waiting) while another holder is alive, judged by renewals seen, not by comparing clocks. */
  acquire(name: string): Promise<Result<HeldLease>>;
}
