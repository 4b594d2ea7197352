import {
  at,
  type CallFailure,
  type Code,
  type FailureClass,
  type FailureHint,
  failureClass,
  type ObjectRef,
  type Problem,
  problem,
  records,
  text,
} from '../../kernel/index.ts';
import { resourceOf, type Target } from './kinds.ts';

/** What a request wanted, for messages in our own words. */
export type Intent = { readonly verb: string; readonly target: Pick<Target, 'resource' | 'kind'> };

/** The intent to use a verb on an object, or on all of its kind. */
export function intentOn(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>, verb: string): Intent {
  return { verb, target: { resource: resourceOf(ref), kind: ref.kind } };
}

/** An answer of the API server that is not a success. */
export type Refusal = { readonly status: number; readonly body: unknown; readonly retryAfterMs: number | undefined };

/** What an answer of the API server says, in the words of the one classification. */
export function failureOf({ status, body, retryAfterMs }: Refusal, intent: Intent): CallFailure {
  const isStatus = at(body, 'kind') === 'Status';
  const said = isStatus ? body : undefined;
  const causes = records(at(said, 'details', 'causes'));
  const reason = text(at(said, 'reason'));
  const message = text(at(said, 'message')) ?? '';
  const isTerminating = causes.some((cause) => cause.reason === 'NamespaceTerminating');
  const hint = !isStatus ? 'not_status' : isTerminating ? 'terminating' : hintOf(message);
  return {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    fields: causes.flatMap((cause) => text(cause.field) ?? []),
    cause: causeOf({ status, reason: reason ?? '', message }, intent),
  };
}

/** The failure of a request that got no answer, or none that is what was asked for. */
export function unanswered(error: unknown): { readonly ok: false; readonly failure: CallFailure } {
  return { ok: false, failure: { cause: errorSummary(error) } };
}

/** Measured on 1.35. What RBAC says is not among them: whether a verb is missing is asked, not read. */
const HINTS: readonly (readonly [FailureHint, RegExp])[] = [
  ['policy', /\bdenied (?:the )?request\b/],
  // A budget whose use is not counted yet, in the first moments of a namespace: a matter of waiting.
  ['uncounted', / is forbidden: status unknown for quota: /],
  // Of a verb somebody has, so that a review would say yes.
  ['escalation', /is attempting to grant RBAC permissions not currently held/],
  // Server-side apply answers 500 for these.
  ['permanent', /field not declared in schema|failed to create typed patch object|duplicate entries for key/],
];

function hintOf(message: string): FailureHint | undefined {
  return HINTS.find(([, pattern]) => pattern.test(message))?.[0];
}

type Text = (intent: Intent) => string;

const PERMIT: Text = ({ verb, target }) => `the role of Hakopod does not permit to ${verb} ${target.resource}`;
const POLICY: Text = ({ target }) => `a policy of the cluster refused the ${target.kind}`;

/** The catalogue's code of each class, and our words where the catalogue's do not say enough. */
const PROBLEMS: Readonly<Record<FailureClass, { readonly code: Code; readonly text?: Text }>> = {
  refused: { code: 'forbidden', text: PERMIT },
  forbidden: { code: 'forbidden', text: PERMIT },
  admission_denied: { code: 'admission_denied', text: POLICY },
  terminating: { code: 'conflict', text: () => 'the namespace is being removed' },
  uncounted: { code: 'conflict', text: () => 'the budget is not counted yet' },
  unauthenticated: { code: 'cluster_unavailable', text: () => 'the Kubernetes API refused the credentials' },
  missing: { code: 'not_found' },
  not_served: {
    code: 'not_found',
    text: () => 'the cluster does not serve this kind; are the custom resource definitions installed?',
  },
  conflict: { code: 'conflict' },
  name_taken: { code: 'already_exists' },
  gone: { code: 'gone' },
  invalid: { code: 'invalid_object', text: ({ target }) => `the cluster refused the ${target.kind} as invalid` },
  unavailable: { code: 'cluster_unavailable' },
  unanswered: { code: 'cluster_unavailable' },
  cancelled: { code: 'cluster_unavailable' },
  timed_out: { code: 'cluster_unavailable' },
};

/** A failed call as a problem. `kind`: what is known better than the failure says, such as from an access review. */
export function problemOf(failure: CallFailure, intent: Intent, kind: FailureClass = failureClass(failure)): Problem {
  const { code, text: words } = PROBLEMS[kind];
  const { cause, retryAfterMs } = failure;
  const isWaiting = kind === 'unavailable' && retryAfterMs !== undefined;
  return problem(code, words?.(intent), { cause, ...(isWaiting ? { afterMs: retryAfterMs } : {}) });
}

/** For the log only. The message of a refused Secret is left out: it may quote the value (invariant 9). */
function causeOf(
  { status, reason, message }: { readonly status: number; readonly reason: string; readonly message: string },
  intent: Intent,
): unknown {
  const base = { status, reason, verb: intent.verb, resource: intent.target.resource };
  return intent.target.kind === 'Secret' ? base : { ...base, message: message.slice(0, 2000) };
}

function errorSummary(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return { name: error.name, message: error.message, ...(typeof code === 'string' ? { code } : {}) };
}
