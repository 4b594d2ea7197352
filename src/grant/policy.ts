import { type DeployPolicy, LIMITS, type Problem, problem } from '../kernel/index.ts';
import { validCron, validTimezone } from '../spec/index.ts';
import { frozenUntil } from './freeze.ts';

/** What an approval is for. Anything else than exactly this plan is another one (DESIGN invariant 10). */
export type PlanIdentity = {
  readonly commit: string;
  /** Of the specification and the revision it was compared with. */
  readonly digest: string;
  readonly grantRevision: number;
};

/** How a check stands at the forge; `missing` when the forge knows none of this name. */
export type CheckState = 'success' | 'pending' | 'failure' | 'missing';

export type PolicyQuestion = {
  /** Absent is automatic. */
  readonly policy: DeployPolicy | undefined;
  readonly plan: PlanIdentity;
  readonly approval: PlanIdentity | undefined;
  /** Of the checks the policy requires, by name. */
  readonly checks: ReadonlyMap<string, CheckState>;
  readonly now: Date;
  /** When this commit began to wait; now when it did not yet. */
  readonly since: Date;
};

/** What a plan that the grant allows is to do. */
export type PolicyVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly for: 'approval' }
  | { readonly kind: 'wait'; readonly for: 'check'; readonly check: string }
  | { readonly kind: 'wait'; readonly for: 'freeze'; readonly until: Date }
  | { readonly kind: 'refuse'; readonly problem: Problem };

const HOUR_MS = 3_600_000;

/**
 * Whether the plan may be released now. A check that failed ends it; then the approval, the other checks and the freeze are waited for, so
 * that people can approve while something else is still going on. Waiting for people and for other programs has an end.
 */
export function judgePolicy(question: PolicyQuestion): PolicyVerdict {
  const { policy, plan, approval, now } = question;
  if (policy === undefined) return { kind: 'go' };
  // Written past the API, it would hold nothing back, or stop whoever reads it.
  const wrong = policyProblem(policy);
  if (wrong !== undefined) return { kind: 'refuse', problem: wrong };
  const states = policy.checks.map((name) => ({ name, state: question.checks.get(name) ?? 'missing' }));
  if (states.some(({ state }) => state === 'failure')) return refuse('a check that the deploy policy requires failed');
  const hours = (now.getTime() - question.since.getTime()) / HOUR_MS;
  if (policy.mode === 'approval' && !isSamePlan(approval, plan))
    return hours < LIMITS.approvalDays * 24
      ? { kind: 'wait', for: 'approval' }
      : { kind: 'refuse', problem: problem('approval_expired') };
  const open = states.find(({ state }) => state !== 'success');
  if (open !== undefined)
    return hours < LIMITS.checksHours
      ? { kind: 'wait', for: 'check', check: open.name }
      : refuse('a check that the deploy policy requires did not succeed in time');
  const until = frozenUntil(policy.freeze, now);
  return until === undefined ? { kind: 'go' } : { kind: 'wait', for: 'freeze', until };
}

function refuse(message: string): PolicyVerdict {
  return { kind: 'refuse', problem: problem('check_failed', message) };
}

/** Whether an approval is for this very plan. */
export function isSamePlan(approval: PlanIdentity | undefined, plan: PlanIdentity): boolean {
  return (
    approval !== undefined &&
    approval.commit === plan.commit &&
    approval.digest === plan.digest &&
    approval.grantRevision === plan.grantRevision
  );
}

/** Our own statuses; waiting for one of them would never end. */
const OWN = /^hakopod\//i;

/** What is wrong with a policy somebody wants to set: `invalid_request` at the field. */
export function policyProblem(policy: DeployPolicy): Problem | undefined {
  const own = policy.checks.findIndex((name) => OWN.test(name));
  if (own >= 0) return invalid(`checks.${own}`, 'a status of Hakopod can not be waited for');
  for (const [i, { start, timezone }] of policy.freeze.entries()) {
    if (!validCron(start)) return invalid(`freeze.${i}.start`, 'must be five fields as cron has them');
    if (timezone !== undefined && !validTimezone(timezone))
      return invalid(`freeze.${i}.timezone`, 'must be the IANA name of a time zone, such as Europe/Berlin');
  }
  return undefined;
}

function invalid(at: string, message: string): Problem {
  return problem('invalid_request', message, { at });
}

/** Bytes of a commit message that are looked at. */
const MESSAGE = 64 * 1024;
const SKIP = /\[(?:skip hakopod|hakopod skip)\]/i;

/** Whether a commit's message asks that it is not deployed. */
export function asksToSkip(message: string): boolean {
  return SKIP.test(message.slice(0, MESSAGE));
}
