import { fail, ok, type Result } from '../../kernel/index.ts';
import type { ForgeRepository, PullRequestPlan } from '../../ports/index.ts';
import { planMarker } from '../../status/index.ts';
import type { Deps } from '../context.ts';
import { owesComment } from './plans.ts';

/**
 * Makes the request's comment say what the plan wants. The plan says already that this worker writes it. The body is not kept: it follows
 * from the commit and the bound revisions, so a retry plans again and, when nothing moved, writes the same text.
 */
export async function writeComment(
  deps: Deps,
  input: { readonly forge: ForgeRepository; readonly plan: PullRequestPlan; readonly body: string },
): Promise<Result<void>> {
  const { forge, plan, body } = input;
  if (!owesComment(plan)) return ok(undefined);
  const { desired, id } = plan.status.comment ?? {};
  const written = await deps.comments.upsert(forge, {
    number: plan.spec.number,
    marker: planMarker(plan.spec.application),
    body,
    ...(id === undefined ? {} : { known: id }),
  });
  const saved = await deps.store.plans.updateStatus(plan.name, (current) => {
    const comment = { ...current.status.comment, writingSince: undefined };
    if (written.ok) return { ...current.status, comment: { ...comment, posted: desired, id: written.value } };
    const { kind, code } = written.problem;
    return { ...current.status, comment: kind === 'rejected' ? { ...comment, undeliverable: code } : comment };
  });
  if (!saved.ok) return saved.problem.code === 'not_found' ? ok(undefined) : saved;
  if (written.ok) return ok(undefined);
  if (written.problem.kind !== 'rejected') return fail(written.problem);
  deps.log.warn('the forge refused a comment', { plan: plan.name, code: written.problem.code });
  return ok(undefined);
}
