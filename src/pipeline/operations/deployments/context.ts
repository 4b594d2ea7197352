import type { Deps } from '../../context.ts';
import type { Pager } from '../page.ts';

/** What the operations on releases and applications work with. */
export type ReleaseDeps = Pick<
  Deps,
  | 'store'
  | 'projects'
  | 'settings'
  | 'audit'
  | 'secrets'
  | 'certificates'
  | 'dns'
  | 'certificates'
  | 'dns'
  | 'registries'
  | 'cluster'
  | 'capacity'
  | 'jobs'
  | 'clock'
  | 'random'
  | 'log'
  | 'options'
> & {
  readonly pager: Pager;
  readonly limits: {
    /** Facts 6.2: 200. */
    readonly applicationsPerEnvironment: number;
    /** Facts 11.5: 32. */
    readonly environmentsPerProject: number;
  };
};
