/** Why a call to an API server has no answer to give. Without `status` nobody answered, or nobody we understand. */
export type CallFailure = {
  /** HTTP status. */
  readonly status?: number;
  /** The reason of the API server's Status, such as `AlreadyExists`. */
  readonly reason?: string;
  /** Fields its causes name. */
  readonly fields?: readonly string[];
  readonly hint?: FailureHint;
  /** Milliseconds the server asks to wait. */
  readonly retryAfterMs?: number;
  /** The other side's own words: for the log, never for an answer. */
  readonly cause?: unknown;
};

/**
 * What Kubernetes says only in words, or not as a Status. `policy`: admission said no, under whatever status it chose. `escalation`: roles
 * with more rights than the writer has. `terminating`: the namespace is going. `uncounted`: a budget without a first count. `permanent`: a
 * 500 that would be the same again. `not_status`: whoever answered does not know the object, such as a proxy, or a server without the kind.
 */
export type FailureHint = 'policy' | 'escalation' | 'terminating' | 'uncounted' | 'permanent' | 'not_status';

/** A call's answer, or why there is none. "The server said no" and "nobody answered" stay apart: what a failure means rests on it. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: CallFailure };

/**
 * What a failed call means. `refused` is a 403 of which only an access review can tell whether a verb is missing (`forbidden`) or admission
 * refused a write (`admission_denied`); of a read it is `forbidden`. `missing`: no such object; `not_served`: no such kind.
 */
export type FailureClass =
  | 'refused'
  | 'forbidden'
  | 'admission_denied'
  | 'terminating'
  | 'uncounted'
  | 'unauthenticated'
  | 'missing'
  | 'not_served'
  | 'conflict'
  | 'name_taken'
  | 'gone'
  | 'invalid'
  | 'unavailable'
  | 'unanswered'
  | 'cancelled'
  | 'timed_out';

/**
 * The one classification of failed calls: the catalogue's problems and the codes of steps are both derived from it (cluster operations 0.3;
 * Kubernetes' API conventions, "Response Status Kind"). `ended`: why nobody waits for the call any more, when that is so; it counts only
 * without a status. 409 is `name_taken` when the server says that it could not create, else `conflict`.
 */
export function failureClass(failure: CallFailure, ended?: 'cancelled' | 'expired'): FailureClass {
  const { status, reason, hint } = failure;
  if (status === undefined || status < 100 || status > 599) return UNANSWERED[ended ?? 'live'];
  const isClientError = status >= 400 && status < 500;
  // A webhook or policy chooses its own status, so its words come first.
  if (hint === 'policy' && isClientError) return 'admission_denied';
  if (status === 403) return HINTED_403[hint ?? ''] ?? 'refused';
  if (status === 404) return hint === 'not_status' ? 'not_served' : 'missing';
  if (status === 409) return reason === 'AlreadyExists' ? 'name_taken' : 'conflict';
  return BY_STATUS[status] ?? (isClientError || hint === 'permanent' ? 'invalid' : 'unavailable');
}

const UNANSWERED = { live: 'unanswered', cancelled: 'cancelled', expired: 'timed_out' } as const;

const HINTED_403: Readonly<Record<string, FailureClass>> = {
  escalation: 'forbidden',
  terminating: 'terminating',
  uncounted: 'uncounted',
};

const BY_STATUS: Readonly<Record<number, FailureClass>> = {
  401: 'unauthenticated',
  408: 'unavailable',
  410: 'gone',
  429: 'unavailable',
};

/** Both are 409 and mean that somebody else was faster: changed since it was read, or made since. */
export function isRaced(failure: CallFailure): boolean {
  const kind = failureClass(failure);
  return kind === 'conflict' || kind === 'name_taken';
}

/** Whether a write was refused, by a missing verb or by a policy; which of them it was, see `FailureClass`. */
export function isRefusedWrite(failure: CallFailure): boolean {
  return failure.status === 403 || failureClass(failure) === 'admission_denied';
}

/** Whether the object a call was for does not exist. */
export function isMissing(failure: CallFailure): boolean {
  return failureClass(failure) === 'missing';
}

/**
 * Whether a delete bound to the uid that was read has done its work without deleting anything: the object is gone, or another one has its
 * name since (cluster operations 13, invariant 8).
 */
export function isAlreadyDeleted(failure: CallFailure): boolean {
  return isMissing(failure) || failureClass(failure) === 'conflict';
}
