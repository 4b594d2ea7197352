import { fail, ok, type Result } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';
import { CHECKS, type GrantQuestion } from './checks.ts';

declare const granted: unique symbol;

/** A value a grant allows. Only this stage can make one, so that what skips the grant does not compile. */
export type Granted<T> = {
  readonly value: T;
  /** `release` for a push; a pull request may only be planned. */
  readonly purpose: 'plan' | 'release';
  /** A fork's plan must not tell which secrets exist (DESIGN invariant 9). */
  readonly fork: boolean;
  /** The revision of the grant that allowed it; anything else is stale (DESIGN invariant 10). */
  readonly grantRevision: number;
  readonly [granted]: true;
};

/**
 * Whether this source may make this application so. The checks are ordered and the first refusal is the reason. Codes: `grant_refused`,
 * `grant_expired`, `application_mismatch`, `domain_verification_required`, `kubernetes_patch_refused`; `at` is the field of the file, or
 * `grant.<part>`. Evaluated at plan, at acceptance and before every privileged step (DESIGN invariant 4).
 */
export function evaluateGrant(question: GrantQuestion): Result<Granted<Application>> {
  for (const check of CHECKS) {
    const refusal = check(question);
    if (refusal !== undefined) return fail(refusal);
  }
  const { grant, request, application } = question;
  return ok({
    value: application,
    purpose: request.trigger === 'push' ? 'release' : 'plan',
    fork: request.fork,
    grantRevision: grant.revision,
  } as Granted<Application>);
}
