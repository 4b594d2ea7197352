import { type Manifest, ok, type Result } from '../kernel/index.ts';
import type { Rendered, RenderedWorkload } from '../render/index.ts';
import type { Application, KubernetesPatches } from '../spec/index.ts';
import { applyPatch } from './apply.ts';
import type { Fields } from './json.ts';
import type { PatchKind } from './types.ts';

/**
 * Applies the Kubernetes patches of all services of an application to its rendering; without patches it is the same rendering. The first
 * refusal is the answer. Errors: `invalid_patch`, `protected_field`, at `services.X.kubernetes.deployment`, `service` or `ingress`.
 */
export function applyPatches(application: Application, rendered: Rendered): Result<Rendered> {
  const services: Manifest[] = [];
  const workloads: RenderedWorkload[] = [];
  for (const workload of rendered.workloads) {
    const patched = patchWorkload(workload, patchesOf(application, workload.service));
    if (!patched.ok) return patched;
    workloads.push(patched.value);
  }
  for (const object of rendered.services) {
    const { name } = object.metadata;
    const patched = patchOne(object, 'service', patchesOf(application, name), name);
    if (!patched.ok) return patched;
    services.push(patched.value);
  }
  return ok({ ...rendered, services, workloads });
}

function patchesOf(application: Application, service: string): KubernetesPatches {
  const { services } = application;
  return (Object.hasOwn(services, service) ? services[service]?.kubernetes : undefined) ?? {};
}

function patchWorkload(workload: RenderedWorkload, patches: KubernetesPatches): Result<RenderedWorkload> {
  const { service, ingress } = workload;
  // Jobs have no patches: the specification refuses them.
  if (workload.workload.kind !== 'Deployment') return ok(workload);
  const deployment = patchOne(workload.workload, 'deployment', patches, service);
  if (!deployment.ok) return deployment;
  const patched = { ...workload, workload: deployment.value };
  if (ingress === undefined) return ok(patched);
  const published = patchOne(ingress, 'ingress', patches, service);
  return published.ok ? ok({ ...patched, ingress: published.value }) : published;
}

function patchOne(object: Manifest, kind: PatchKind, patches: KubernetesPatches, service: string): Result<Manifest> {
  const text = patches[kind];
  if (text === undefined) return ok(object);
  const at = `services.${service}.kubernetes.${kind}`;
  // A manifest is plain JSON, and a patch changes neither what names it nor its kind.
  const patched = applyPatch({ kind, object: object as unknown as Fields, text, at });
  return patched.ok ? ok(patched.value as unknown as Manifest) : patched;
}
