import { canonicalJson, type Problem } from '../kernel/index.ts';
import type { Plan } from './plan.ts';

/** The plan as canonical JSON with the names of facts 6.1. A problem's `cause` stays behind. */
export function planJson(plan: Plan): string {
  return canonicalJson({
    changes: plan.changes,
    warnings: plan.warnings,
    required_secrets: plan.requiredSecrets,
    missing_secrets: plan.missingSecrets,
    refusals: plan.refusals.map(publicProblem),
    unchanged: plan.unchanged,
    spec_digest: plan.specDigest,
  });
}

function publicProblem({
  code,
  message,
  at,
  position,
}: Problem): Pick<Problem, 'code' | 'message' | 'at' | 'position'> {
  return { code, message, ...(at === undefined ? {} : { at }), ...(position === undefined ? {} : { position }) };
}
