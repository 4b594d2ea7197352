import { fail, ok, type Result } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';
import { CHECKS, type GrantQuestion } from './checks.ts';
import { type Granted, granted } from './granted.ts';

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
  return ok(
    granted({
      value: application,
      purpose: request.trigger === 'push' ? 'release' : 'plan',
      fork: request.fork,
      grantRevision: grant.revision,
    }),
  );
}
