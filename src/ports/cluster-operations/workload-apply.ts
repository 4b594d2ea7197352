import { z } from 'zod';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { WorkloadConfiguration } from './configuration.ts';
import { OPERATION_LIMITS } from './limits.ts';
import { checkTiming, Timing } from './timing.ts';
import { EndpointId, parsed, ResourceVersion, Uuid } from './words.ts';
import { EditableRef } from './workload-ref.ts';

const Identity = { request: Uuid, endpoint: EndpointId, ...Timing };

/** A change of one workload at the version it was read, or the creation of a Deployment. */
export const WorkloadApply = z
  .strictObject({
    ...Identity,
    target: EditableRef,
    /** Empty for a create. */
    resourceVersion: ResourceVersion.or(z.literal('')),
    spec: WorkloadConfiguration,
    create: z.boolean(),
  })
  .refine(({ target, spec }) => sameTarget(target, spec.target), { path: ['spec', 'target'] })
  .refine(({ resourceVersion, spec }) => resourceVersion === spec.resourceVersion, {
    path: ['spec', 'resourceVersion'],
  })
  .refine(({ spec }) => spec.observedAt === undefined, { path: ['spec', 'observedAt'] })
  .refine(({ spec }) => !spec.managed, { path: ['spec', 'managed'] })
  .refine(({ spec }) => spec.unsupported.length === 0, { path: ['spec', 'unsupported'] })
  .refine(({ create, resourceVersion }) => create === (resourceVersion === ''), { path: ['resourceVersion'] })
  .refine(({ create, spec }) => create || spec.runManifest === undefined, { path: ['spec', 'runManifest'] })
  .refine(({ create, target }) => !create || target.kind === 'deployment', { path: ['target', 'kind'] })
  .refine(({ create, spec }) => !create || spec.paused !== true, { path: ['spec', 'paused'] })
  .refine(({ create, spec }) => !create || spec.initContainers.length === 0, { path: ['spec', 'initContainers'] })
  .refine(({ create, spec }) => !create || spec.envFrom.length === 0, { path: ['spec', 'envFrom'] });
export type WorkloadApply = z.infer<typeof WorkloadApply>;

function sameTarget(a: EditableRef, b: EditableRef): boolean {
  return a.namespace === b.namespace && a.kind === b.kind && a.name === b.name;
}

/** Validates in the order identity, times, content, size (cluster operations 0.2): `invalid_request` or `clock_skew`. */
export function parseWorkloadApply(input: unknown, now: Date): Result<WorkloadApply> {
  const identity = parsed(z.object(Identity), input);
  if (!identity.ok) return identity;
  const timing = checkTiming(identity.value, now);
  if (!timing.ok) return timing;
  const request = parsed(WorkloadApply, input);
  if (!request.ok) return request;
  const bytes = Buffer.byteLength(JSON.stringify(request.value));
  return bytes <= OPERATION_LIMITS.workloadApplyBytes ? ok(request.value) : fail(problem('invalid_request'));
}
