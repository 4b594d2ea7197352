import type { Project } from './access-resources.ts';
import type { Collection } from './store.ts';

/** Projects with their environments, by the project's slug. */
export type ProjectCollection = Collection<Project>;
