import type { Deps } from '../../context.ts';
import type { Pager } from '../page.ts';

/** What the operations on projects, environments and what lies in them work with. */
export type EnvironmentDeps = Pick<
  Deps,
  'store' | 'projects' | 'secrets' | 'certificates' | 'registries' | 'audit' | 'clock' | 'random' | 'log'
> & {
  readonly pager: Pager;
  readonly limits: {
    /** Facts 6.2: 200. */
    readonly applicationsPerEnvironment: number;
    /** Facts 11.5: 32. */
    readonly environmentsPerProject: number;
  };
};
