import type { Problem } from '../kernel/index.ts';
import { patchProblems } from '../patch/index.ts';
import { previewInput, renderApplication } from '../render/index.ts';
import type { Application } from '../spec/index.ts';
import type { PipelineOptions } from './context.ts';
import { renderOptions } from './release/options.ts';

/**
 * Why the Kubernetes patches of an application can not be applied, found before anything is: rendered as far as that goes without secrets
 * and images, then patched (spec kubernetes-patches). Codes: `invalid_patch`, `protected_field`. Empty for what a plan refuses anyhow.
 */
export function patchRefusals(application: Application, options: PipelineOptions): readonly Problem[] {
  if (Object.values(application.services).every(({ kubernetes }) => kubernetes === undefined)) return [];
  const rendered = renderApplication(previewInput(application, { options: renderOptions(options) }));
  return rendered.ok ? patchProblems(application, rendered.value) : [];
}
