import { isAdmin } from '../../../access/index.ts';
import { type ApplicationKey, fail, ok, problem, type Result } from '../../../kernel/index.ts';
import { type By, createProject, type ProjectDeps } from './projects.ts';

/**
 * Whether the project and environment of something exist. What an administrator puts into one makes what is missing, on record like any
 * creation; with `write` false it is only asked whether that is allowed.
 */
export async function requireEnvironment(
  deps: ProjectDeps,
  by: By,
  input: { readonly key: Pick<ApplicationKey, 'project' | 'environment'>; readonly write: boolean },
): Promise<Result<void>> {
  const { project, environment } = input.key;
  const read = await deps.projects.get(project);
  if (!read.ok) return read;
  const known = read.value?.spec.environments ?? [];
  if (known.some(({ name }) => name === environment)) return ok(undefined);
  if (!isAdmin(by.principal))
    return fail(problem('not_found', 'the project has no such environment; an administrator can add it'));
  if (known.length >= deps.limits.environmentsPerProject) return fail(problem('environment_limit'));
  if (!input.write) return ok(undefined);
  const made = await createProject(deps, by, { name: project, environment });
  return made.ok ? ok(undefined) : made;
}
