import { ok, type Result } from '../../kernel/index.ts';
import { applyPatches } from '../../patch/index.ts';
import type { Release } from '../../ports/index.ts';
import { type Rendered, type RenderInput, renderApplication } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import { cachedApplication } from '../cached-application.ts';
import { renderOptions } from './options.ts';
import type { View } from './session.ts';

/** What a release's objects are made from. */
export type ReleaseInput = Pick<
  RenderInput,
  'placement' | 'images' | 'credentials' | 'secrets' | 'creationId' | 'domains' | 'certificates'
>;

/** A release in the words of rendering. */
export function renderInput(
  session: View,
  release: { readonly release: Release; readonly desired: Application },
  input: ReleaseInput,
): Result<RenderInput> {
  const application = cachedApplication(session.deps, release.release.spec.application);
  if (!application.ok) return application;
  const { project, environment, name } = application.value.spec;
  return ok({
    application: release.desired,
    key: { project, environment, name },
    id: session.id,
    revision: release.release.spec.revision,
    operation: release.release.name,
    snapshotKey: session.deps.options.snapshotKey,
    options: renderOptions(session.deps.options),
    ...input,
  });
}

/**
 * The objects of a release as they are written, and as drift is judged against: rendered, then patched as the specification says. What this
 * answers is final, so that carrying out and keeping agree, and a patch that may not be is refused before anything is written.
 */
export function finalObjects(input: RenderInput): Result<Rendered> {
  const rendered = renderApplication(input);
  return rendered.ok ? applyPatches(input.application, rendered.value) : rendered;
}
