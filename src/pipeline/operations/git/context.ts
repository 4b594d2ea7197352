import type { Principal } from '../../../access/index.ts';
import type { Result } from '../../../kernel/index.ts';
import type { RequestInfo } from '../../../ports/api/index.ts';
import type { Deps } from '../../context.ts';
import type { StandardUrls } from '../../forge-pace.ts';
import type { Pager } from '../page.ts';

/** What the operations on repositories, sources and plans work with. */
export type GitDeps = Pick<
  Deps,
  'store' | 'jobs' | 'projects' | 'credentials' | 'audit' | 'hooks' | 'deliveries' | 'clock' | 'random' | 'log'
> & {
  readonly pager: Pager;
  /** Where forges reach the receiver, when configured. */
  readonly publicUrl: string | undefined;
  /** How long before its end a grant is said to expire. */
  readonly grantWarningMs: number;
  /** `invalid_url` or `ssh_unsupported` for a clone URL that can not be used, by the Git adapter's rules. */
  readonly checkUrl: (url: string, local: boolean) => Result<unknown>;
  /** Where the API of each forge is for repositories without an own one. */
  readonly forgeApis: StandardUrls;
  readonly limits: { readonly applicationsPerEnvironment: number; readonly environmentsPerProject: number };
};

/** Who does it, and how the request came in. */
export type By = { readonly principal: Principal; readonly info: RequestInfo };
