import { denied, isAdmin, type Principal } from '../../../access/index.ts';
import { fail, ok, type Result } from '../../../kernel/index.ts';
import type { Deps } from '../../context.ts';
import type { Pager } from '../page.ts';

/** What the operations on people and their keys work with. */
export type PeopleDeps = Pick<Deps, 'keys' | 'identities' | 'roles' | 'audit' | 'clock' | 'random' | 'log'> & {
  readonly pager: Pager;
};

/** `permission_denied` for everybody who is no administrator of the installation. */
export function adminOnly(principal: Principal): Result<void> {
  return isAdmin(principal) ? ok(undefined) : fail(denied('admin', {}));
}
