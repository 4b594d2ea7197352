import { isAdmin, type Principal } from '../../../access/index.ts';
import { type ApplicationKey, fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { ReleaseDeps } from './context.ts';

/**
 * Whether the project and environment of an application exist. An administrator's first deployment makes what is missing; with `write` false
 * it is only asked whether that is allowed.
 */
export async function requireEnvironment(
  deps: Pick<ReleaseDeps, 'projects' | 'clock' | 'limits'>,
  principal: Principal,
  input: { readonly key: Pick<ApplicationKey, 'project' | 'environment'>; readonly write: boolean },
): Promise<Result<void>> {
  const { project, environment } = input.key;
  const read = await deps.projects.get(project);
  if (!read.ok) return read;
  const known = read.value?.spec.environments ?? [];
  if (known.some(({ name }) => name === environment)) return ok(undefined);
  if (!isAdmin(principal))
    return fail(problem('not_found', 'the project has no such environment; an administrator can add it'));
  if (known.length >= deps.limits.environmentsPerProject) return fail(problem('environment_limit'));
  if (!input.write) return ok(undefined);
  const added = { name: environment, createdAt: deps.clock.now().toISOString() };
  const made =
    read.value === undefined
      ? await deps.projects.create({ name: project, spec: { environments: [added] } })
      : undefined;
  if (made?.ok === true) return ok(undefined);
  if (made !== undefined && made.problem.code !== 'already_exists') return made;
  const updated = await deps.projects.update(project, ({ spec }) =>
    spec.environments.some(({ name }) => name === environment)
      ? undefined
      : { spec: { ...spec, environments: [...spec.environments, added] } },
  );
  return updated.ok ? ok(undefined) : updated;
}
