import { type Problem, problem } from '../../kernel/index.ts';
import type { Target } from './kinds.ts';

/** What a request wanted, for messages in our own words. */
export type Intent = { readonly verb: string; readonly target: Target };

/** An answer of the API server that is not a success. */
export type Refusal = { readonly status: number; readonly body: unknown; readonly retryAfterMs: number | undefined };

type StatusBody = { readonly reason: string; readonly message: string; readonly causes: readonly string[] };

/** Our words for HTTP answers, from Kubernetes' API conventions ("Response Status Kind") and measurements on 1.35. */
export function problemOf(refusal: Refusal, intent: Intent): Problem {
  const body = statusBody(refusal.body);
  const cause = causeOf(refusal.status, body, intent);
  // a webhook or policy chooses its own HTTP code, so its wording is looked at first
  if (refusal.status >= 400 && refusal.status < 500 && DENIED.test(body.message))
    return problem('admission_denied', `a policy of the cluster refused the ${intent.target.kind}`, { cause });
  switch (refusal.status) {
    case 401:
      return problem('cluster_unavailable', 'the Kubernetes API refused the credentials', { cause });
    case 403:
      return forbidden(body, intent, cause);
    case 404:
      return problem('not_found', isStatus(refusal.body) ? undefined : NOT_SERVED, { cause });
    case 409:
      return body.reason === 'AlreadyExists' ? problem('already_exists', undefined, { cause }) : conflict(cause);
    case 410:
      return problem('gone', undefined, { cause });
    case 408:
    case 429:
      return unavailable(refusal, cause);
    default:
      return isPermanent(refusal.status, body)
        ? problem('invalid_object', `the cluster refused the ${intent.target.kind} as invalid`, { cause })
        : unavailable(refusal, cause);
  }
}

/** The problem for a request that got no answer, or none that is Kubernetes' JSON. */
export function unreachable(error: unknown): Problem {
  return problem('cluster_unavailable', undefined, { cause: errorSummary(error) });
}

/** A 404 that speaks of the object; a bare one means that the API server does not serve the kind at all. */
export function isMissingObject(refusal: Refusal): boolean {
  return refusal.status === 404 && isStatus(refusal.body);
}

const NOT_SERVED = 'the cluster does not serve this kind; are the custom resource definitions installed?';
const DENIED = /\bdenied (?:the )?request\b/;
/** RBAC's sentence. Anchored, and only words of Kubernetes' own vocabulary are taken from it. */
const RBAC =
  /^[a-z0-9.]+(?: "[^"]{0,253}")? is forbidden: User "[^"]*" cannot (get|list|watch|create|update|patch|delete|deletecollection) resource "([a-z0-9]{1,63}(?:\/[a-z]{1,32})?)"/;
const QUOTA_UNCOUNTED = / is forbidden: status unknown for quota: /;
const RBAC_ESCALATION = /is attempting to grant RBAC permissions not currently held/;
/** Server-side apply answers 500 for these; trying again can not help. */
const PERMANENT_500 = /field not declared in schema|failed to create typed patch object|duplicate entries for key/;

function forbidden(body: StatusBody, intent: Intent, cause: unknown): Problem {
  if (body.causes.includes('NamespaceTerminating'))
    return problem('conflict', 'the namespace is being removed', { cause });
  // Admission's words for a budget whose use is not counted yet, in the first moments of a namespace: a matter of waiting.
  if (QUOTA_UNCOUNTED.test(body.message)) return problem('conflict', 'the budget is not counted yet', { cause });
  const rbac = RBAC.exec(body.message);
  if (rbac !== null)
    return problem('forbidden', `the role of Hakopod does not permit to ${rbac[1]} ${rbac[2]}`, { cause });
  if (RBAC_ESCALATION.test(body.message) || !body.message.includes(' is forbidden: '))
    return problem('forbidden', `the cluster does not permit to ${intent.verb} ${intent.target.resource}`, { cause });
  return problem('admission_denied', `a policy of the cluster refused the ${intent.target.kind}`, { cause });
}

function conflict(cause: unknown): Problem {
  return problem('conflict', undefined, { cause });
}

function unavailable(refusal: Refusal, cause: unknown): Problem {
  const { retryAfterMs } = refusal;
  return problem(
    'cluster_unavailable',
    undefined,
    retryAfterMs === undefined ? { cause } : { cause, afterMs: retryAfterMs },
  );
}

function isPermanent(status: number, body: StatusBody): boolean {
  return (status >= 400 && status < 500) || (status === 500 && PERMANENT_500.test(body.message));
}

function isStatus(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'Status';
}

function statusBody(body: unknown): StatusBody {
  const fields = (isStatus(body) ? body : {}) as {
    reason?: unknown;
    message?: unknown;
    details?: { causes?: unknown };
  };
  const causes = Array.isArray(fields.details?.causes)
    ? (fields.details.causes as readonly { reason?: unknown }[])
    : [];
  return {
    reason: typeof fields.reason === 'string' ? fields.reason : '',
    message: typeof fields.message === 'string' ? fields.message : '',
    causes: causes.map((c) => (typeof c?.reason === 'string' ? c.reason : '')),
  };
}

/** For the log only. The message of a refused Secret is left out: it may quote the value (invariant 9). */
function causeOf(status: number, body: StatusBody, intent: Intent): unknown {
  const base = { status, reason: body.reason, verb: intent.verb, resource: intent.target.resource };
  return intent.target.kind === 'Secret' ? base : { ...base, message: body.message.slice(0, 2000) };
}

function errorSummary(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return { name: error.name, message: error.message, ...(typeof code === 'string' ? { code } : {}) };
}
