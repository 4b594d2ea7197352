import { refusal } from '../../../access/index.ts';
import { policyProblem } from '../../../grant/index.ts';
import { type DeployPolicy, fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { ApprovePlan, PolicyOperations, SetPolicy, Source } from '../../../ports/api/index.ts';
import { approve } from '../../policy/approve.ts';
import { audited } from '../audited.ts';
import type { By, GitDeps } from './context.ts';
import { bindRefusal, findSource, resourceOf } from './find-source.ts';
import { sourceView } from './view.ts';

/** Of a source without one. */
const AUTOMATIC: DeployPolicy = { mode: 'automatic', checks: [], freeze: [] };

/** Deploy policies over the API. Setting one takes what binding takes; approving takes what deploying takes. */
export function policyOperations(deps: GitDeps): PolicyOperations {
  return {
    policy: async (principal, { id }) => {
      const found = await findSource(deps, id, (target) => refusal(principal, 'deployments:read', target));
      return found.ok ? ok(found.value.spec.policy ?? AUTOMATIC) : found;
    },
    setPolicy: (principal, { id, ...choice }, info) => setPolicy(deps, { principal, info }, { id, choice }),
    approve: (principal, input, info) => approvePlan(deps, { principal, info }, input),
  };
}

/** What is not named stays. The source is planned again, under the new policy. */
async function setPolicy(
  deps: GitDeps,
  by: By,
  { id, choice }: { readonly id: string; readonly choice: SetPolicy },
): Promise<Result<DeployPolicy>> {
  const found = await findSource(deps, id, (target) => bindRefusal(by.principal, target));
  if (!found.ok) return found;
  let next = AUTOMATIC;
  let wrong: ReturnType<typeof policyProblem>;
  const written = await deps.store.sources.update(id, ({ spec }) => {
    const before = spec.policy ?? AUTOMATIC;
    next = {
      mode: choice.mode ?? before.mode,
      checks: [...new Set(choice.checks ?? before.checks)],
      freeze: choice.freeze ?? before.freeze,
    };
    wrong = policyProblem(next);
    return wrong === undefined ? { spec: { ...spec, policy: next } } : undefined;
  });
  if (wrong !== undefined) return fail(wrong);
  if (!written.ok) return written;
  const sides = { before: found.value.spec.policy ?? AUTOMATIC, after: next };
  await audited(deps, by, { action: 'source.policy', resource: resourceOf(written.value), ...sides });
  return ok(next);
}

async function approvePlan(
  deps: GitDeps,
  by: By,
  input: ApprovePlan & { readonly id: string },
): Promise<Result<Source>> {
  const { id, commit_sha: commit, digest } = input;
  const found = await findSource(deps, id, (target) => refusal(by.principal, 'deployments:write', target));
  if (!found.ok) return found;
  if (found.value.spec.suspended === true)
    return fail(problem('conflict', 'the source is suspended; `hakopod sources resume` plans it again'));
  const via = by.info.origin === 'api' ? 'api' : 'cli';
  const approved = await approve(deps, { source: id, commit, digest, by: by.principal.identity, via });
  if (!approved.ok) return approved;
  await audited(deps, by, {
    action: 'source.approve',
    resource: resourceOf(approved.value),
    after: { commit, digest },
  });
  return ok(sourceView(deps, approved.value));
}
