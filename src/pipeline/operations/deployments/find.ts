import { type Principal, refusal } from '../../../access/index.ts';
import { fail, keyOfName, ok, problem, type Result } from '../../../kernel/index.ts';
import type { Release } from '../../../ports/index.ts';
import type { ReleaseDeps } from './context.ts';

/** A release by id, for whoever may read it. What is out of scope is refused before it is looked for. */
export async function findRelease(
  deps: Pick<ReleaseDeps, 'store'>,
  principal: Principal,
  id: string,
): Promise<Result<Release>> {
  const denied = refusal(principal, 'deployments:read', targetOf(id));
  if (denied !== undefined) return fail(denied);
  const read = await deps.store.releases.get(id);
  if (!read.ok) return read;
  return read.value === undefined ? fail(problem('not_found', 'there is no such release')) : ok(read.value);
}

/** The scope a release's id names. */
export function targetOf(id: string): {
  readonly project: string;
  readonly environment: string;
  readonly application: string;
} {
  const { project, environment, name: application } = keyOfName(id);
  return { project, environment, application };
}
