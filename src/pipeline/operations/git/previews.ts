import { allows, refusal } from '../../../access/index.ts';
import { fail, keyOfName, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type {
  Deleted,
  PlannedEnvironment,
  PreviewOperations,
  Preview as PreviewView,
} from '../../../ports/api/index.ts';
import type { PlanEnvironment } from '../../../ports/index.ts';
import { planName } from '../../preview/plans.ts';
import { isPreview, markForRemoval, type Preview } from '../../preview-environment/index.ts';
import { audited } from '../audited.ts';
import type { By, GitDeps } from './context.ts';
import { previewRefusal } from './source-previews.ts';

type Place = { readonly project: string; readonly environment: string; readonly application: string };

/** Preview environments over the API (facts 4.9, 7.7). Who may read the application it is of may read it. */
export function previewOperations(deps: GitDeps): PreviewOperations {
  return {
    list: async (principal, { cursor, limit, ...filters }) => {
      const { project, environment } = filters;
      const items = environmentsOf(deps)
        .filter(
          (one) =>
            (project === undefined || one.spec.project === project) &&
            (environment === undefined || one.spec.environment === environment) &&
            allows(principal, 'deployments:read', placeOf(one)),
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const page = deps.pager.of({ name: 'previews', filters, items, keyOf: ({ name }) => name }, { cursor, limit });
      return page.ok ? ok({ ...page.value, items: page.value.items.map((one) => previewView(deps, one)) }) : page;
    },
    show: async (principal, { name }) => {
      const found = await findPreview(deps, name, (place) => refusal(principal, 'deployments:read', place));
      return found.ok ? ok(previewView(deps, found.value)) : found;
    },
    remove: (principal, input, info) => removePreview(deps, { principal, info }, input),
  };
}

/** The environment of a request in the words of the wire. */
export function plannedEnvironment(environment: PlanEnvironment): PlannedEnvironment {
  const { application, commit: commit_sha, expiresAt, revision: _revision, ...others } = environment;
  const { name } = keyOfName(application);
  return { name, commit_sha, ...others, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
}

/**
 * Asks for the end of an environment. Its request's plan remembers it as removed at this head, so that only another head makes a new one; a
 * worker takes it down, with namespace and volumes. Codes: `not_found`, `invalid_request`.
 */
async function removePreview(
  deps: GitDeps,
  by: By,
  { name, confirmation }: Parameters<PreviewOperations['remove']>[1],
): Promise<Result<Deleted>> {
  const found = await findPreview(deps, name, (place) => previewRefusal(by.principal, place));
  if (!found.ok) return found;
  if (confirmation !== name)
    return fail(problem('invalid_request', 'is not the name of the preview environment', { at: 'confirmation' }));
  const { spec } = found.value;
  const { source, number, repository } = spec.preview;
  const remembered = await rememberRemoved(deps, found.value);
  if (!remembered.ok) return remembered;
  const marked = await markForRemoval(deps, found.value);
  if (!marked.ok) return marked;
  if (marked.value === 'gone') return ok({ status: 'deleted' });
  const { project, environment } = spec;
  const resource = { kind: 'Application', project, environment, application: spec.name, name };
  await audited(deps, by, { action: 'preview.delete-request', resource, before: { source, number } });
  const queued = await deps.jobs.addAll([
    { queue: 'reconcile', application: found.value.name },
    { queue: 'preview', repository, number },
  ]);
  if (!queued.ok)
    deps.log.warn('a removal waits for the next resync', { application: found.value.name, code: queued.problem.code });
  return ok({ status: 'deleted' });
}

async function rememberRemoved(deps: GitDeps, { name, spec }: Preview): Promise<Result<void>> {
  const plan = planName(spec.preview.source, spec.preview.number);
  const written = await deps.store.plans.updateStatus(plan, ({ status }) => {
    const commit = status.head ?? status.environment?.commit;
    if (commit === undefined) return undefined;
    return { ...status, environment: { application: name, state: 'removed', commit } };
  });
  return written.ok || written.problem.code === 'not_found' ? ok(undefined) : written;
}

function environmentsOf(deps: GitDeps): readonly Preview[] {
  return deps.store.applications.all().filter(isPreview);
}

/** Facts 7.2: `not_found` for what does not exist, the refusal for what exists out of scope. */
async function findPreview(
  deps: GitDeps,
  name: string,
  refused: (place: Place) => Problem | undefined,
): Promise<Result<Preview>> {
  const found = environmentsOf(deps).find(({ spec }) => spec.name === name);
  if (found === undefined)
    return fail(problem('not_found', 'there is no such preview environment; `hakopod previews list` shows them'));
  const denial = refused(placeOf(found));
  return denial === undefined ? ok(found) : fail(denial);
}

function placeOf({ spec }: Preview): Place {
  return { project: spec.project, environment: spec.environment, application: keyOfName(spec.preview.parent).name };
}

function previewView(deps: GitDeps, { name, spec, status, deleting, createdAt }: Preview): PreviewView {
  const { preview } = spec;
  const repository = deps.store.repositories.cached(preview.repository);
  const recorded = deps.store.plans.cached(planName(preview.source, preview.number))?.status.environment;
  const planned = recorded?.application === name ? plannedEnvironment(recorded) : undefined;
  const { state = 'deploying', name: _name, expires_at: _expires, ...others } = planned ?? {};
  return {
    ...others,
    name: spec.name,
    application_id: spec.id,
    project: spec.project,
    environment: spec.environment,
    parent: keyOfName(preview.parent).name,
    source: preview.source,
    repository: preview.repository,
    ...(repository === undefined ? {} : { repository_path: repository.spec.project }),
    number: preview.number,
    ...(preview.branch === undefined ? {} : { branch: preview.branch }),
    state: deleting ? 'removing' : state,
    revision: status.acceptedRevision ?? 0,
    created_at: createdAt,
    expires_at: preview.expiresAt,
  };
}
