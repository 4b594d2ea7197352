import { denied, isAdmin, type Principal } from '../../../access/index.ts';
import { fail, ok, type Result } from '../../../kernel/index.ts';
import type { ManifestRequest } from '../../../ports/api/index.ts';
import type { ClusterOperations } from '../../../ports/cluster-operations/index.ts';
import type { Deps } from '../../context.ts';
import type { RunKeeper } from './runs.ts';

/** What the operations on the cluster work with. */
export type ClusterDeps = Pick<Deps, 'store' | 'cluster' | 'leases' | 'audit' | 'clock' | 'random' | 'log'> & {
  readonly operations: ClusterOperations;
  readonly runs: RunKeeper;
  /** Where may be written and commands run: names, or `*`; and the namespace of Hakopod itself. */
  readonly namespaces: { readonly granted: readonly string[]; readonly control: string };
  /** Renders the enrolment file; `invalid_request` for what can not be put in one. */
  readonly manifest: (request: ManifestRequest) => Result<{ readonly file_name: string; readonly text: string }>;
};

/** What is not a service's belongs to the whole installation: `permission_denied` for everybody but its administrators. */
export function clusterAdmin(principal: Principal): Result<void> {
  return isAdmin(principal) ? ok(undefined) : fail(denied('admin', {}));
}
