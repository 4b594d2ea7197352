import { type Manifest, ok, type Problem, type Result } from '../../kernel/index.ts';
import type { Application as ApplicationResource, Release } from '../../ports/index.ts';
import { allObjects, type Rendered, type RenderInput } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import { unpackSpec } from '../release-body.ts';
import { recordedHosts } from './hosts.ts';
import { recordedSecrets } from './recorded-secrets.ts';
import { finalObjects, renderInput } from './render.ts';
import type { View } from './session.ts';

/** One object that must be there at rest, and the autoscaler that owns its replicas. */
export type KeptObject = { readonly manifest: Manifest; readonly autoscaler?: Manifest | undefined };

/** What must be there at rest. */
export type Kept = {
  readonly objects: readonly KeptObject[];
  /** Everything there should be; absent when not all of it is known. */
  readonly whole: Rendered | undefined;
  readonly problem: Problem | undefined;
};

/** What must be there of an application whose release has ended, with the values and digests it runs with. */
export async function keptObjects(
  view: View,
  rest: { readonly release: Release; readonly application: ApplicationResource },
): Promise<Result<Kept>> {
  const desired = unpackSpec(rest.release.spec.spec);
  if (!desired.ok) return desired;
  const input = await inputAtRest(view, { ...rest, desired: desired.value });
  return input.ok ? renderKept(input.value) : input;
}

async function inputAtRest(
  view: View,
  rest: { readonly release: Release; readonly application: ApplicationResource; readonly desired: Application },
): Promise<Result<RenderInput>> {
  const { release, application, desired } = rest;
  const hosts = await recordedHosts(view, application, desired);
  if (!hosts.ok) return hosts;
  return renderInput(
    view,
    { release, desired },
    {
      images: release.status.resolved ?? {},
      credentials: release.status.credentials ?? {},
      secrets: recordedSecrets(view, desired),
      ...hosts.value,
      placement: release.status.placement ?? {},
      creationId: release.name,
    },
  );
}

/**
 * A snapshot somebody deleted can only come back with a release, because its values may have changed since; what
 * runs is then left alone, and everything around it is kept.
 */
function renderKept(input: RenderInput): Result<Kept> {
  const whole = finalObjects(input);
  if (whole.ok) {
    const scaled = new Map(whole.value.workloads.map(({ workload, autoscaler }) => [workload, autoscaler]));
    const objects = allObjects(whole.value)
      .filter(({ kind }) => kind !== 'Job')
      .map((manifest) => ({ manifest, autoscaler: scaled.get(manifest) }));
    return ok({ objects, whole: whole.value, problem: undefined });
  }
  if (whole.problem.code !== 'missing_secrets' && whole.problem.code !== 'certificate_missing') return whole;
  const around = finalObjects({ ...input, preview: true });
  if (!around.ok) return around;
  const { namespace, networkPolicies, quota, claims, services } = around.value;
  const text = 'the values this service runs with were deleted from the cluster; they come back with the next release';
  return ok({
    objects: [namespace, ...networkPolicies, quota, ...claims, ...services].map((manifest) => ({ manifest })),
    whole: undefined,
    problem: whole.problem.code === 'missing_secrets' ? { ...whole.problem, message: text } : whole.problem,
  });
}
