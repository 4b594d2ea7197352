import { denied, isAdmin, type Principal, sees } from '../../../access/index.ts';
import { fail, LIMITS, ok, problem, type Result } from '../../../kernel/index.ts';
import type {
  CreateProject,
  ProjectOperations,
  Project as ProjectView,
  RequestInfo,
} from '../../../ports/api/index.ts';
import type { Project } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import type { EnvironmentDeps } from './context.ts';

/** Projects and environments over the API (facts 7.3). */
export function projectOperations(deps: EnvironmentDeps): ProjectOperations {
  return {
    list: async (principal, page) => {
      const items = deps.projects
        .all()
        .filter(({ name }) => sees(principal, { project: name }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const found = deps.pager.of({ name: 'projects', items, keyOf: ({ name }) => name }, page);
      if (!found.ok) return found;
      return ok({ ...found.value, items: found.value.items.map((project) => projectView(project, principal)) });
    },
    create: (principal, input, info) => createProject(deps, { principal, info }, input),
    addEnvironment: async (principal, { project, name }, info) => {
      const allowed = adminOnly(principal);
      if (!allowed.ok) return allowed;
      const added = await addEnvironment(deps, { principal, info }, { project, name });
      return added.ok ? ok(projectView(added.value, principal)) : added;
    },
    remove: (principal, input, info) => removeProject(deps, { principal, info }, input),
    removeEnvironment: (principal, input, info) => removeEnvironment(deps, { principal, info }, input),
  };
}

/** Who does it, and how the request came in. */
export type By = { readonly principal: Principal; readonly info: RequestInfo };

/** What making and changing a project works with. */
export type ProjectDeps = Pick<EnvironmentDeps, 'projects' | 'audit' | 'clock'> & {
  readonly limits: Pick<EnvironmentDeps['limits'], 'environmentsPerProject'>;
};

function adminOnly(principal: Principal): Result<void> {
  return isAdmin(principal) ? ok(undefined) : fail(denied('admin', {}));
}

/** Without a name to show and a description it only sees to it that project and environment exist, and may be repeated. */
export async function createProject(deps: ProjectDeps, by: By, input: CreateProject): Promise<Result<ProjectView>> {
  const allowed = adminOnly(by.principal);
  if (!allowed.ok) return allowed;
  const { name, environment, display_name: displayName, description } = input;
  const isPlain = displayName === undefined && description === undefined;
  const known = await deps.projects.get(name);
  if (!known.ok) return known;
  if (known.value === undefined && deps.projects.all().length >= LIMITS.projects) return fail(problem('limit_reached'));
  const createdAt = deps.clock.now().toISOString();
  const made = await deps.projects.create({
    name,
    spec: {
      environments: [{ name: environment, createdAt }],
      ...(displayName === undefined ? {} : { displayName }),
      ...(description === undefined ? {} : { description }),
    },
  });
  if (made.ok) {
    const resource = { kind: 'Project', project: name, name };
    await audited(deps, by, { action: 'project.create', resource, after: made.value.spec });
    return ok(projectView(made.value, by.principal));
  }
  if (made.problem.code !== 'already_exists') return made;
  if (!isPlain) return fail(problem('project_exists', undefined, { at: 'name' }));
  const added = await addEnvironment(deps, by, { project: name, name: environment });
  return added.ok ? ok(projectView(added.value, by.principal)) : added;
}

async function addEnvironment(
  deps: ProjectDeps,
  by: By,
  input: { readonly project: string; readonly name: string },
): Promise<Result<Project>> {
  const { project, name } = input;
  const createdAt = deps.clock.now().toISOString();
  let outcome: 'known' | 'full' | 'added' = 'known';
  const written = await deps.projects.update(project, ({ spec }) => {
    const { environments } = spec;
    const isKnown = environments.some((environment) => environment.name === name);
    outcome = isKnown ? 'known' : environments.length >= deps.limits.environmentsPerProject ? 'full' : 'added';
    return outcome === 'added'
      ? { spec: { ...spec, environments: [...environments, { name, createdAt }] } }
      : undefined;
  });
  if (!written.ok)
    return written.problem.code === 'not_found' ? fail(problem('not_found', 'there is no such project')) : written;
  const is = outcome as 'known' | 'full' | 'added';
  if (is === 'full') return fail(problem('environment_limit'));
  const resource = { kind: 'Environment', project, environment: name, name };
  if (is === 'added') await audited(deps, by, { action: 'environment.create', resource, after: written.value.spec });
  return written;
}

async function removeProject(
  deps: EnvironmentDeps,
  by: By,
  input: { readonly project: string; readonly confirm_name: string },
): Promise<Result<{ readonly status: 'deleted' }>> {
  const found = await toRemove(deps, by, { project: input.project, confirmed: input.confirm_name === input.project });
  if (!found.ok) return found;
  for (const { name } of found.value.spec.environments) {
    const empty = await emptiness(deps, { project: input.project, environment: name });
    if (!empty.ok) return empty;
  }
  const removed = await deps.projects.delete(input.project, found.value.uid);
  if (!removed.ok) return removed;
  const resource = { kind: 'Project', project: input.project, name: input.project };
  await audited(deps, by, { action: 'project.delete', resource, before: found.value.spec });
  return ok({ status: 'deleted' });
}

async function removeEnvironment(
  deps: EnvironmentDeps,
  by: By,
  input: { readonly project: string; readonly environment: string; readonly confirm_name: string },
): Promise<Result<{ readonly status: 'deleted' }>> {
  const { project, environment } = input;
  const found = await toRemove(deps, by, { project, environment, confirmed: input.confirm_name === environment });
  if (!found.ok) return found;
  const empty = await emptiness(deps, { project, environment });
  if (!empty.ok) return empty;
  const written = await deps.projects.update(project, ({ spec }) => ({
    spec: { ...spec, environments: spec.environments.filter(({ name }) => name !== environment) },
  }));
  if (!written.ok) return written;
  const resource = { kind: 'Environment', project, environment, name: environment };
  await audited(deps, by, {
    action: 'environment.delete',
    resource,
    before: found.value.spec,
    after: written.value.spec,
  });
  return ok({ status: 'deleted' });
}

async function toRemove(
  deps: EnvironmentDeps,
  by: By,
  input: { readonly project: string; readonly environment?: string; readonly confirmed: boolean },
): Promise<Result<Project>> {
  const allowed = adminOnly(by.principal);
  if (!allowed.ok) return allowed;
  const read = await deps.projects.get(input.project);
  if (!read.ok) return read;
  if (read.value === undefined) return fail(problem('not_found', 'there is no such project'));
  const { environment } = input;
  if (environment !== undefined && !read.value.spec.environments.some(({ name }) => name === environment))
    return fail(problem('not_found', 'the project has no such environment'));
  return input.confirmed
    ? ok(read.value)
    : fail(problem('invalid_request', 'must be the name of what is deleted', { at: 'confirm_name' }));
}

/** `not_empty` while an application, a source or a registry credential is in the environment. */
async function emptiness(
  deps: EnvironmentDeps,
  place: { readonly project: string; readonly environment: string },
): Promise<Result<void>> {
  const isHere = (key: { readonly project: string; readonly environment: string }): boolean =>
    key.project === place.project && key.environment === place.environment;
  const full = (what: string): Result<never> => fail(problem('not_empty', `there are ${what} in it still`));
  if (deps.store.applications.all().some(({ spec }) => isHere(spec))) return full('applications');
  if (deps.store.sources.all().some(({ spec }) => isHere(spec.application))) return full('sources');
  const registries = await deps.registries.list(place);
  if (!registries.ok) return registries;
  return registries.value.length > 0 ? full('registry credentials') : ok(undefined);
}

/** A project as the principal may see it: the environments it reaches. */
function projectView({ name, spec, generation, createdAt }: Project, principal: Principal): ProjectView {
  return {
    id: name,
    name,
    display_name: spec.displayName ?? name,
    description: spec.description ?? '',
    metadata_revision: generation,
    environments: spec.environments
      .filter((environment) => sees(principal, { project: name, environment: environment.name }))
      .map((environment) => ({ name: environment.name })),
    created_at: createdAt,
  };
}
