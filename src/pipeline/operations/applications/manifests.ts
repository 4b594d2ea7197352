import type { Principal } from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import { applyPatches, manifestYaml, shownObjects } from '../../../patch/index.ts';
import type { Application as ApplicationResource, Release } from '../../../ports/index.ts';
import { namedImages, previewInput, type Rendered, renderApplication } from '../../../render/index.ts';
import type { Application } from '../../../spec/index.ts';
import type { Deps } from '../../context.ts';
import { renderOptions } from '../../release/options.ts';
import { unpackSpec } from '../../release-body.ts';
import { findApplication } from './find.ts';

/**
 * The Deployment, Service and Ingress of the accepted revision as YAML, patched, of one long-running service or of all (spec
 * kubernetes-patches). Secrets are read and shown nowhere, and nothing is applied. Codes: `not_found`, and those of rendering and patching.
 */
export async function showManifests(
  deps: Pick<Deps, 'store' | 'options'>,
  principal: Principal,
  { id, service }: { readonly id: string; readonly service?: string | undefined },
): Promise<Result<string>> {
  const found = findApplication(deps, principal, { id, permission: 'deployments:read' });
  if (!found.ok) return found;
  const releases = await deps.store.releases.ofApplication(found.value.name);
  if (!releases.ok) return releases;
  const [latest] = releases.value;
  if (latest === undefined) return fail(problem('not_found', 'the application has no revision yet'));
  const desired = unpackSpec(latest.spec.spec);
  if (!desired.ok) return desired;
  const isLongRunning = (name: string): boolean =>
    Object.hasOwn(desired.value.services, name) && desired.value.services[name]?.job === undefined;
  if (service !== undefined && !isLongRunning(service))
    return fail(problem('not_found', 'there is no long-running service of this name', { at: 'service' }));
  const rendered = renderRevision(deps, { application: found.value, release: latest, desired: desired.value });
  return rendered.ok ? ok(manifestYaml(shownObjects(rendered.value, service))) : rendered;
}

function renderRevision(
  deps: Pick<Deps, 'options'>,
  input: { readonly application: ApplicationResource; readonly release: Release; readonly desired: Application },
): Result<Rendered> {
  const { application, release, desired } = input;
  const { id, project, environment, name } = application.spec;
  const rendered = renderApplication(
    previewInput(desired, {
      key: { project, environment, name },
      id,
      revision: release.spec.revision,
      operation: release.name,
      images: { ...namedImages(desired), ...release.spec.images, ...release.status.resolved },
      ...(release.status.placement === undefined ? {} : { placement: release.status.placement }),
      options: renderOptions(deps.options),
    }),
  );
  return rendered.ok ? applyPatches(desired, rendered.value) : rendered;
}
