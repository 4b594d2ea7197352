import { fail, type Manifest, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import { applyPatches, patchProblems, shownObjects } from '../../patch/index.ts';
import { namedImages, previewInput, renderApplication } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Loaded } from './source.ts';

/**
 * Holds the Kubernetes patches of what was read to what a release would: rendered with the defaults of an installation and placeholders, then
 * patched. A file with a patch that can not be applied is not valid. What a plan refuses anyhow is not looked at.
 */
export function withPatchChecks(loaded: Loaded): Loaded {
  const { application, locate, problems } = loaded;
  if (application === undefined) return loaded;
  const found = patchRefusals(application);
  return found.length === 0
    ? loaded
    : { ...loaded, application: undefined, problems: [...problems, ...found.map(locate)] };
}

function patchRefusals(application: Application): readonly Problem[] {
  if (Object.values(application.services).every(({ kubernetes }) => kubernetes === undefined)) return [];
  const rendered = renderApplication(previewInput(application));
  return rendered.ok ? patchProblems(application, rendered.value) : [];
}

/**
 * The Deployment, Service and Ingress that a release of the application would write, of one long-running service or of all, patched. Codes:
 * `not_found`, and those of rendering and patching.
 */
export function manifestsOf(application: Application, service: string | undefined): Result<readonly Manifest[]> {
  const { services } = application;
  const isKnown = service === undefined || (Object.hasOwn(services, service) && services[service]?.job === undefined);
  if (!isKnown)
    return fail(problem('not_found', 'the file has no long-running service of this name', { at: '--service' }));
  const rendered = renderApplication(previewInput(application, { images: namedImages(application) }));
  const patched = rendered.ok ? applyPatches(application, rendered.value) : rendered;
  return patched.ok ? ok(shownObjects(patched.value, service)) : patched;
}
