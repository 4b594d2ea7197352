import { type ApplicationKey, type Problem, problem } from '../../../kernel/index.ts';
import type { EnvironmentDeps } from './context.ts';

/** `application_limit` when an environment has as many applications as are allowed (facts 6.2), so that no new one may be made in it. */
export function applicationLimit(
  deps: Pick<EnvironmentDeps, 'store'> & {
    readonly limits: Pick<EnvironmentDeps['limits'], 'applicationsPerEnvironment'>;
  },
  { project, environment }: Pick<ApplicationKey, 'project' | 'environment'>,
): Problem | undefined {
  const there = deps.store.applications
    .all()
    .filter(({ spec }) => spec.project === project && spec.environment === environment);
  return there.length >= deps.limits.applicationsPerEnvironment ? problem('application_limit') : undefined;
}
