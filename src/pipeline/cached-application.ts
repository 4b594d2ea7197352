import { fail, ok, problem, type Result } from '../kernel/index.ts';
import type { Application as ApplicationResource } from '../ports/index.ts';
import type { Deps } from './context.ts';

/** An application there must be: `cluster_unavailable`, which is worth another try, until the cache has it. */
export function cachedApplication({ store }: Pick<Deps, 'store'>, name: string): Result<ApplicationResource> {
  const application = store.applications.cached(name);
  return application === undefined
    ? fail(problem('cluster_unavailable', 'the application is not in the cache yet'))
    : ok(application);
}
