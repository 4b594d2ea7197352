import { canManageGit, type Principal } from '../../../access/index.ts';
import type { GitRepository } from '../../../ports/index.ts';

/** Whether the principal manages Git where this repository belongs; without an environment it is the administrators'. */
export function mayManage(principal: Principal, { spec }: Pick<GitRepository, 'spec'>): boolean {
  return canManageGit(principal, spec.scope ?? {});
}
