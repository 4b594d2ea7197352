import type { Code, Problem } from '../../kernel/index.ts';
import type { ErrorAnswer } from '../../ports/api/index.ts';

/** The HTTP status of each code that its kind does not say already: 400 for `rejected`, 503 for the others (facts 7.2). */
const STATUS: Partial<Readonly<Record<Code, number>>> = {
  unauthorized: 401,
  permission_denied: 403,
  grant_refused: 403,
  kubernetes_patch_refused: 403,
  authority_revoked: 403,
  not_found: 404,
  pod_not_found: 404,
  pod_security: 403,
  method_not_allowed: 405,
  conflict: 409,
  domain_taken: 409,
  domain_not_verified: 409,
  certificate_missing: 409,
  certificate_in_use: 409,
  already_exists: 409,
  missing_secrets: 409,
  registry_credential_missing: 409,
  secret_exists: 409,
  project_exists: 409,
  not_empty: 409,
  has_source: 409,
  terminal_operation: 409,
  not_resumable: 409,
  unresolved_base: 409,
  kubernetes_patches_disabled: 409,
  superseded: 409,
  delivery_unavailable: 409,
  body_limit: 413,
  unsupported_media_type: 415,
  rate_limit: 429,
  stream_limit: 429,
  exec_refused: 409,
  cluster_busy: 409,
  run_in_progress: 409,
  application_managed: 409,
  namespace_not_granted: 422,
  exec_unavailable: 503,
  forbidden: 503,
};

/** Codes that are called otherwise outside: facts 7.2 keep `forbidden` for people; what the cluster refuses us is no fault of theirs. */
const OUTSIDE: Partial<Readonly<Record<Code, string>>> = {
  permission_denied: 'forbidden',
  forbidden: 'cluster_unavailable',
};

/** Seconds until another try makes sense, where the problem does not know (facts 7.1: 2 for the rate). */
const RETRY_SECONDS: Partial<Readonly<Record<Code, number>>> = {
  rate_limit: 2,
  busy: 1,
  stream_limit: 5,
  queue_full: 30,
};

/** The HTTP status a problem is answered with. */
export function statusOf({ code, kind }: Problem): number {
  return STATUS[code] ?? (kind === 'rejected' ? 400 : 503);
}

/** `Retry-After` for what goes away by itself. */
export function retryAfter(problem: Problem): string | undefined {
  if (problem.kind !== 'waiting') return undefined;
  const seconds = problem.afterMs === undefined ? RETRY_SECONDS[problem.code] : Math.ceil(problem.afterMs / 1000);
  return String(Math.max(1, seconds ?? 5));
}

/** The envelope of facts 7.1. `cause` is another system's words and stays here. */
export function envelopeOf(problem: Problem): ErrorAnswer {
  const { at, position } = problem;
  const details = {
    ...(at === undefined ? {} : { at }),
    ...(position === undefined ? {} : { position }),
    ...problem.details,
  };
  return {
    error: {
      code: OUTSIDE[problem.code] ?? problem.code,
      message: at === undefined ? problem.message : `${at}: ${problem.message}`,
      ...(Object.keys(details).length === 0 ? {} : { details }),
    },
  };
}
