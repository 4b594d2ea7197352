import { allows, type Principal } from '../../../access/index.ts';
import { fail, keyOfName, ok, problem, type Result } from '../../../kernel/index.ts';
import type { Application, ApplicationOperations, ApplicationSummary, RequestInfo } from '../../../ports/api/index.ts';
import {
  type Application as ApplicationResource,
  CLEANUP_FINALIZER,
  DELETED_CLAIMS,
  type Release,
} from '../../../ports/index.ts';
import { isPreview } from '../../preview-environment/index.ts';
import { recordedSpec } from '../../release-body.ts';
import { audited } from '../audited.ts';
import type { ReleaseDeps } from '../deployments/context.ts';
import { observationOf, summaryOf } from '../deployments/view.ts';
import { findApplication } from './find.ts';
import { showManifests } from './manifests.ts';
import { claimsToDelete } from './volumes.ts';

/** Releases shown with an application (facts 7.3). */
const SHOWN = 30;

/** Applications over the API (facts 7.3). Lists come from the watch's cache; the releases of one application from the cluster. */
export function applicationOperations(deps: ReleaseDeps): ApplicationOperations {
  return {
    list: async (principal, input) => {
      const scope = scopeOf(principal, input);
      const visible = sorted(deps.store.applications.all()).filter(
        ({ spec }) =>
          (scope.project === undefined || spec.project === scope.project) &&
          (scope.environment === undefined || spec.environment === scope.environment) &&
          allows(principal, 'deployments:read', { ...spec, application: spec.name }),
      );
      const { project = null, environment = null } = scope;
      const list = { name: 'applications', filters: { project, environment } };
      const page = deps.pager.of({ ...list, items: visible, keyOf: ({ name }) => name }, input);
      if (!page.ok) return page;
      return ok({ ...page.value, items: page.value.items.map((application) => overview(deps, application)) });
    },
    show: async (principal, { id }) => {
      const found = findApplication(deps, principal, { id, permission: 'deployments:read' });
      return found.ok ? detail(deps, found.value) : found;
    },
    manifests: (principal, input) => showManifests(deps, principal, input),
    remove: (principal, input, info) => removeApplication(deps, principal, { input, info }),
    deployments: async (principal, { id, cursor, limit }) => {
      const found = findApplication(deps, principal, { id, permission: 'deployments:read' });
      if (!found.ok) return found;
      const releases = await deps.store.releases.ofApplication(found.value.name);
      if (!releases.ok) return releases;
      // Newest first: the keys ascend while the revisions fall.
      const keyOf = ({ spec }: Release): string => String(9_999_999_999 - spec.revision);
      const page = deps.pager.of({ name: `releases of ${id}`, items: releases.value, keyOf }, { cursor, limit });
      if (!page.ok) return page;
      return ok({ ...page.value, items: page.value.items.map((release) => summaryOf(release, found.value)) });
    },
  };
}

/**
 * Asks for the end of an application: its confirmed name and expected revision guard against the wrong one. A worker takes it down; the
 * answer does not wait for that. Volumes stay but for those named. Codes: `invalid_request`, `not_found`, `conflict`, `has_source`.
 */
async function removeApplication(
  deps: ReleaseDeps,
  principal: Principal,
  asked: { readonly input: Parameters<ApplicationOperations['remove']>[1]; readonly info: RequestInfo },
): ReturnType<ApplicationOperations['remove']> {
  const { input, info } = asked;
  const found = findApplication(deps, principal, { id: input.id, permission: 'applications:manage' });
  if (!found.ok) return found;
  const { name, spec, uid } = found.value;
  if (input.confirm_name !== spec.name)
    return fail(problem('invalid_request', 'is not the name of the application', { at: 'confirm_name' }));
  // Its request would get another one.
  if (isPreview(found.value))
    return fail(problem('invalid_request', 'this is a preview environment; `hakopod previews delete` removes it'));
  const source = await deps.store.sources.get(name);
  if (!source.ok) return source;
  if (source.value !== undefined) return fail(problem('has_source'));
  const claims = await claimsToDelete(deps, found.value, input.delete_volumes ?? []);
  if (!claims.ok) return claims;
  let isStale = false;
  const marked = await deps.store.applications.update(name, ({ status, finalizers, annotations, deleting }) => {
    isStale = (status.acceptedRevision ?? 0) !== input.expected_revision;
    const isMarked = finalizers.includes(CLEANUP_FINALIZER);
    const { [DELETED_CLAIMS]: before = '', ...others } = annotations;
    // What an earlier request named counts only when its removal came to be.
    const named = [...new Set([...(deleting ? before.split(',') : []), ...claims.value])]
      .filter(Boolean)
      .sort()
      .join(',');
    if (isStale || (isMarked && named === before)) return undefined;
    return {
      finalizers: isMarked ? finalizers : [...finalizers, CLEANUP_FINALIZER],
      annotations: named === '' ? others : { ...others, [DELETED_CLAIMS]: named },
    };
  });
  if (!marked.ok) return marked;
  if (isStale) return fail(problem('conflict', 'the application has another revision than expected'));
  const deleted = await deps.store.applications.delete(name, uid);
  if (!deleted.ok) return deleted;
  const { project, environment } = spec;
  const resource = { kind: 'Application', project, environment, application: spec.name, name: spec.name };
  const after = claims.value.length === 0 ? {} : { after: { deleted_claims: claims.value } };
  await audited(deps, { principal, info }, { action: 'application.delete', resource, before: spec, ...after });
  const queued = await deps.jobs.add({ queue: 'reconcile', application: name });
  if (!queued.ok)
    deps.log.warn('a removal waits for the next resync', { application: name, code: queued.problem.code });
  return ok({ status: 'deleted' });
}

/** Facts 7.1: an empty project or environment is the key's own. */
function scopeOf(
  { key }: Principal,
  asked: { readonly project?: string | undefined; readonly environment?: string | undefined },
): { readonly project?: string | undefined; readonly environment?: string | undefined } {
  const project = asked.project ?? key?.scope.project;
  const isOwn = asked.project === undefined || asked.project === key?.scope.project;
  return { project, environment: asked.environment ?? (isOwn ? key?.scope.environment : undefined) };
}

function sorted(applications: readonly ApplicationResource[]): readonly ApplicationResource[] {
  return [...applications].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function overview(deps: ReleaseDeps, application: ApplicationResource): ApplicationSummary {
  const { spec, status } = application;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const source = deps.store.sources.cached(application.name);
  return {
    id: spec.id,
    name: spec.name,
    project: spec.project,
    environment: spec.environment,
    revision: status.acceptedRevision ?? 0,
    status: status.phase ?? 'queued',
    observed: observationOf(application),
    ...(source === undefined ? {} : { source: source.name }),
    ...previewPart(spec),
    created_at: application.createdAt,
    updated_at: ready?.lastTransitionTime ?? application.createdAt,
  };
}

function previewPart({ preview }: ApplicationResource['spec']): Pick<ApplicationSummary, 'preview'> {
  if (preview === undefined) return {};
  const { source, number, expiresAt } = preview;
  return { preview: { parent: keyOfName(preview.parent).name, source, number, expires_at: expiresAt } };
}

async function detail(deps: ReleaseDeps, application: ApplicationResource): Promise<Result<Application>> {
  const releases = await deps.store.releases.ofApplication(application.name);
  if (!releases.ok) return releases;
  const [latest] = releases.value;
  const spec = latest === undefined ? undefined : recordedSpec(latest.spec.spec);
  if (spec?.ok === false) return spec;
  return ok({
    ...overview(deps, application),
    revision: Math.max(application.status.acceptedRevision ?? 0, latest?.spec.revision ?? 0),
    spec: spec === undefined ? null : { ...spec.value },
    deployments: releases.value.slice(0, SHOWN).map((release) => summaryOf(release, application)),
  });
}
