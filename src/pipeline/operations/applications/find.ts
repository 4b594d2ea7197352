import { type Permission, type Principal, refusal } from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { Application as ApplicationResource } from '../../../ports/index.ts';
import type { Deps } from '../../context.ts';

/**
 * The application with this id, for whoever has the permission on it. Facts 7.2: what does not exist is `not_found`; what exists and is out
 * of scope is `permission_denied`.
 */
export function findApplication(
  deps: { readonly store: Pick<Deps['store'], 'applications'> },
  principal: Principal,
  input: { readonly id: string; readonly permission: Permission },
): Result<ApplicationResource> {
  const found = deps.store.applications.all().find(({ spec }) => spec.id === input.id);
  if (found === undefined) return fail(problem('not_found', 'there is no such application'));
  const { project, environment, name } = found.spec;
  const denied = refusal(principal, input.permission, { project, environment, application: name });
  return denied === undefined ? ok(found) : fail(denied);
}
