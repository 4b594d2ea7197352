import { judgePolicy, type PlanIdentity, type PolicyVerdict } from '../../grant/index.ts';
import { type CommitSha, digestOf, fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { CheckConclusion, GitSource, Release } from '../../ports/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Deps } from '../context.ts';
import { forgeOf } from '../remote.ts';

/** The plan a source would release. */
export type GatedPlan = {
  readonly source: GitSource;
  readonly commit: CommitSha;
  readonly application: Application;
  /** What it was compared with. */
  readonly latest: Release | undefined;
};

export type GateVerdict = { readonly verdict: PolicyVerdict; readonly plan: PlanIdentity };

/** What identifies a plan, so that an approval is for this very one, given under this very policy. */
function identityOf({ source, commit, application, latest }: GatedPlan): PlanIdentity {
  return {
    commit,
    digest: digestOf([digestOf(application), latest?.spec.revision ?? 0, source.spec.policy]),
    grantRevision: source.spec.grant.revision,
  };
}

/**
 * Whether the source's deploy policy lets the plan be released now. The forge is asked only for a policy that requires checks. A failure
 * is worth another try.
 */
export async function gate(deps: Deps, gated: GatedPlan): Promise<Result<GateVerdict>> {
  const { source, commit } = gated;
  const { policy } = source.spec;
  const plan = identityOf(gated);
  if (policy === undefined) return ok({ verdict: { kind: 'go' }, plan });
  const checks = await checksOf(deps, gated, policy.checks);
  if (!checks.ok) return checks;
  const { waiting, approval } = source.status;
  const now = deps.clock.now();
  const since = waiting?.commit === commit ? new Date(waiting.since) : now;
  return ok({ verdict: judgePolicy({ policy, plan, approval, checks: checks.value, now, since }), plan });
}

async function checksOf(
  deps: Deps,
  { source, commit }: GatedPlan,
  names: readonly string[],
): Promise<Result<ReadonlyMap<string, CheckConclusion>>> {
  if (names.length === 0) return ok(new Map());
  const repository = deps.store.repositories.cached(source.spec.repository);
  if (repository === undefined) return fail(problem('cluster_unavailable'));
  const forge = await forgeOf(repository, deps.credentials);
  return forge.ok ? deps.checks.read(forge.value, commit, names) : forge;
}
