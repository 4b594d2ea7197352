import { type Principal, refusal } from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { RequestInfo } from '../../../ports/api/index.ts';
import { isEnded } from '../../release/conclude.ts';
import { audited } from '../audited.ts';
import type { ReleaseDeps } from './context.ts';
import { targetOf } from './find.ts';

type Cancelled = { readonly id: string; readonly status: 'cancellation_requested' };

/**
 * Asks for the end of a release (facts 6.5). One that waits ends here and now; one that runs ends at its next step, and what was applied
 * stays. `terminal_operation` when it has ended.
 */
export async function cancel(
  deps: ReleaseDeps,
  principal: Principal,
  input: { readonly id: string; readonly info: RequestInfo },
): Promise<Result<Cancelled>> {
  const { id, info } = input;
  const target = targetOf(id);
  const denied = refusal(principal, 'deployments:write', target);
  if (denied !== undefined) return fail(denied);
  const now = deps.clock.now().toISOString();
  let wasEnded = false;
  let isWaiting = false;
  const ended = await deps.store.releases.updateStatus(id, (current) => {
    wasEnded = isEnded(current);
    isWaiting = current.status.state === undefined || current.status.state === 'queued';
    if (wasEnded || !isWaiting) return undefined;
    const { message } = problem('cancelled');
    return { ...current.status, state: 'cancelled', finishedAt: now, code: 'cancelled', message };
  });
  if (!ended.ok) return ended;
  if (wasEnded) return fail(problem('terminal_operation'));
  const { application, revision } = ended.value.spec;
  if (!isWaiting) {
    const asked = await deps.store.applications.updateStatus(application, ({ status }) => {
      const cancelled = status.cancelled ?? [];
      return cancelled.includes(revision) ? undefined : { ...status, cancelled: [...cancelled, revision] };
    });
    if (!asked.ok) return asked;
  }
  const queued = await deps.jobs.add({ queue: 'reconcile', application });
  if (!queued.ok) deps.log.warn('a cancellation waits for the next resync', { release: id, code: queued.problem.code });
  const resource = { kind: 'Deployment', ...target, name: id };
  await audited(deps, { principal, info }, { action: 'deployment.cancel', resource });
  return ok({ id, status: 'cancellation_requested' });
}
