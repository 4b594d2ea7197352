import { allows, refusal } from '../../../access/index.ts';
import { ok, type Result } from '../../../kernel/index.ts';
import type { Source, SourceOperations } from '../../../ports/api/index.ts';
import { type GitSource, REQUESTED_AT, RESUMED_REVISION } from '../../../ports/index.ts';
import { removeHook } from '../../hooks/index.ts';
import { audited } from '../audited.ts';
import { bindSource } from './bind-source.ts';
import type { By, GitDeps } from './context.ts';
import { bindRefusal, findSource, resourceOf, targetOf } from './find-source.ts';
import { renewGrant, setGrant } from './grants.ts';
import { policyOperations } from './policy.ts';
import { sourcePreviewOperations } from './source-previews.ts';
import { grantView, sourceView } from './view.ts';

/** Sources and their grants over the API (facts 4.2, 4.3). */
export function sourceOperations(deps: GitDeps): SourceOperations {
  return {
    list: async (principal, { cursor, limit, ...filters }) => {
      const { project, environment, repository } = filters;
      const items = deps.store.sources
        .all()
        .filter(
          ({ spec }) =>
            (project === undefined || spec.application.project === project) &&
            (environment === undefined || spec.application.environment === environment) &&
            (repository === undefined || spec.repository === repository) &&
            allows(principal, 'deployments:read', targetOf(spec.application)),
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const found = deps.pager.of({ name: 'sources', filters, items, keyOf: ({ name }) => name }, { cursor, limit });
      return found.ok
        ? ok({ ...found.value, items: found.value.items.map((source) => sourceView(deps, source)) })
        : found;
    },
    create: (principal, input, info) => bindSource(deps, { principal, info }, input),
    show: async (principal, { id }) => {
      const found = await findSource(deps, id, (target) => refusal(principal, 'deployments:read', target));
      return found.ok ? ok(sourceView(deps, found.value)) : found;
    },
    remove: (principal, { id }, info) => removeSource(deps, { principal, info }, id),
    sync: (principal, { id }, info) =>
      changeSource(
        deps,
        { principal, info },
        { id, action: 'source.sync', change: (source) => requested(deps, source) },
      ),
    suspend: (principal, { id }, info) =>
      changeSource(
        deps,
        { principal, info },
        { id, action: 'source.suspend', change: ({ spec }) => ({ spec: { ...spec, suspended: true } }) },
      ),
    setDrift: (principal, { id, policy }, info) =>
      changeSource(
        deps,
        { principal, info },
        { id, action: 'source.drift', change: ({ spec }) => ({ spec: { ...spec, drift: policy } }) },
      ),
    setDeployments: (principal, { id, enabled }, info) =>
      changeSource(
        deps,
        { principal, info },
        { id, action: 'source.deployments', change: ({ spec }) => ({ spec: { ...spec, deployments: enabled } }) },
      ),
    resume: (principal, { id }, info) => resumeSource(deps, { principal, info }, id),
    grant: async (principal, { id }) => {
      const found = await findSource(deps, id, (target) => refusal(principal, 'deployments:read', target));
      return found.ok ? ok(grantView(deps, found.value.spec.grant)) : found;
    },
    ...policyOperations(deps),
    ...sourcePreviewOperations(deps),
    setGrant: (principal, input, info) => setGrant(deps, { principal, info }, input),
    renewGrant: (principal, { id, days }, info) => renewGrant(deps, { principal, info }, { id, days }),
  };
}

type Change = (source: GitSource) => {
  readonly spec?: GitSource['spec'];
  readonly annotations?: Readonly<Record<string, string>>;
};

/** A change that whoever may deploy may make. */
async function changeSource(
  deps: GitDeps,
  by: By,
  input: { readonly id: string; readonly action: string; readonly change: Change },
): Promise<Result<Source>> {
  const { id, action, change } = input;
  const found = await findSource(deps, id, (target) => refusal(by.principal, 'deployments:write', target));
  if (!found.ok) return found;
  const written = await deps.store.sources.update(id, change);
  if (!written.ok) return written;
  const sides = { before: found.value.spec, after: written.value.spec };
  await audited(deps, by, { action, resource: resourceOf(written.value), ...sides });
  return ok(sourceView(deps, written.value));
}

function requested(deps: GitDeps, source: GitSource): { readonly annotations: Readonly<Record<string, string>> } {
  return { annotations: { ...source.annotations, [REQUESTED_AT]: deps.clock.now().toISOString() } };
}

/** Follows the ref again; what a release over the API held is deployed after all. */
async function resumeSource(deps: GitDeps, by: By, id: string): Promise<Result<Source>> {
  const application = await deps.store.applications.get(id);
  if (!application.ok) return application;
  const releases = await deps.store.releases.ofApplication(id);
  if (!releases.ok) return releases;
  const accepted = Math.max(application.value?.status.acceptedRevision ?? 0, releases.value[0]?.spec.revision ?? 0);
  return changeSource(deps, by, {
    id,
    action: 'source.resume',
    change: (source) => ({
      spec: { ...source.spec, suspended: false },
      annotations: { ...requested(deps, source).annotations, [RESUMED_REVISION]: String(accepted) },
    }),
  });
}

/** The grant and, with the last source of the repository, the hook are gone at once; the application runs on. */
async function removeSource(
  deps: GitDeps,
  by: By,
  id: string,
): Promise<Result<{ readonly status: 'deleted'; readonly webhook_revoked: boolean }>> {
  const found = await findSource(deps, id, (target) => bindRefusal(by.principal, target));
  if (!found.ok) return found;
  const source = found.value;
  const removed = await deps.store.sources.delete(source.name, source.uid);
  if (!removed.ok) return removed;
  const repository = await deps.store.repositories.get(source.spec.repository);
  if (!repository.ok) return repository;
  const isLast = !deps.store.sources
    .all()
    .some((other) => other.spec.repository === source.spec.repository && other.uid !== source.uid);
  if (isLast && repository.value !== undefined) await removeHook(deps, repository.value);
  const secret = repository.value?.spec.webhookSecret;
  if (isLast && secret !== undefined) {
    const revoked = await deps.credentials.remove(secret);
    if (!revoked.ok) return revoked;
  }
  await audited(deps, by, { action: 'source.delete', resource: resourceOf(source), before: source.spec });
  return ok({ status: 'deleted', webhook_revoked: isLast });
}
