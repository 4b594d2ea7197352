import type { Manifest, ObjectRef } from '../../../kernel/index.ts';
import type { DeleteOptions, ListQuery } from '../../../ports/index.ts';

/** Why a call has no answer to give. Without `status` the API server did not answer, or not that we know. */
export type CallFailure = {
  readonly status?: number;
  /** The reason of the API server's Status, such as `AlreadyExists`. */
  readonly reason?: string;
  /** Fields its causes name. */
  readonly fields?: readonly string[];
};

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: CallFailure };

/** One right, as a SelfSubjectAccessReview asks for it. */
export type Right = {
  readonly verb: string;
  readonly group: '' | 'apps';
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
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
