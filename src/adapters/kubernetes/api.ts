import type { Answer, Manifest, ObjectRef } from '../../kernel/index.ts';
import type { DeleteOptions, ListQuery } from '../../ports/index.ts';

/** One right, as a SelfSubjectAccessReview asks for it. */
export type Right = {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: a kind without namespaces, or all of them. */
  readonly namespace?: string;
  /** Absent: any name. */
  readonly name?: string;
};

export type ApiList = ListQuery & {
  /** No further page is asked for once more than this many items are held; absent: all pages. */
  readonly stopAfter?: number;
  /** Items of one page; 500 unless told. */
  readonly limit?: number;
};

/** Items as listed, and whether the API server has more. */
export type Listed = { readonly items: readonly Manifest[]; readonly more: boolean };

/**
 * The few calls the operations are made of: one request each (a list: one per page), bounded by the signal alone, so that tests record
 * and script them. A missing object is a failure of status 404.
 */
export interface ClusterApi {
  get(ref: ObjectRef, signal: AbortSignal): Promise<Answer<Manifest>>;
  list(query: ApiList, signal: AbortSignal): Promise<Answer<Listed>>;
  create(manifest: Manifest, signal: AbortSignal): Promise<Answer<Manifest>>;
  /** PUT at the manifest's resourceVersion. */
  replace(manifest: Manifest, signal: AbortSignal): Promise<Answer<Manifest>>;
  /** JSON merge patch, or a strategic one. */
  patch(ref: ObjectRef, patch: Patch, signal: AbortSignal): Promise<Answer<Manifest>>;
  delete(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<Answer<void>>;
  /** Whether the account of this client holds the right. A failure is one of the question, never a no. */
  review(right: Right, signal: AbortSignal): Promise<Answer<boolean>>;
  /** The body of `/version`. */
  version(signal: AbortSignal): Promise<Answer<Readonly<Record<string, unknown>>>>;
}

export type Patch = { readonly type: 'merge' | 'strategic'; readonly body: object };
