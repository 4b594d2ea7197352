import { fail, type Manifest, ok, type Problem, type Result } from '../kernel/index.ts';
import type { Rendered, RenderedWorkload } from '../render/index.ts';
import type { Application, KubernetesPatches } from '../spec/index.ts';
import { applyPatch } from './apply.ts';
import type { Fields } from './json.ts';
import type { PatchKind } from './types.ts';

const KINDS = ['deployment', 'service', 'ingress'] as const satisfies readonly PatchKind[];

/**
 * Applies the Kubernetes patches of all services of an application to its rendering; without patches it is the same rendering. The first
 * refusal is the answer. Errors: `invalid_patch`, `protected_field`, at `services.X.kubernetes.deployment`, `service` or `ingress`.
 */
export function applyPatches(application: Application, rendered: Rendered): Result<Rendered> {
  const { problems, patched } = applyAll(application, rendered);
  const [first] = problems;
  return first === undefined ? ok(patched) : fail(first);
}

/** Every refusal of `applyPatches`, one for each patch at most, by the name of the service. */
export function patchProblems(application: Application, rendered: Rendered): readonly Problem[] {
  return applyAll(application, rendered).problems;
}

type Applied = { readonly patched: Rendered; readonly problems: readonly Problem[] };

/** The rendering with every patch that may be applied, and why the others may not. */
function applyAll(application: Application, rendered: Rendered): Applied {
  const replaced = new Map<Manifest, Manifest>();
  const problems: Problem[] = [];
  for (const [service, { kubernetes }] of Object.entries(application.services)) {
    if (kubernetes === undefined) continue;
    const objects = objectsOf(rendered, service);
    for (const kind of KINDS) {
      const object = objects[kind];
      const text = kubernetes[kind];
      if (object === undefined || text === undefined) continue;
      const at = `services.${service}.kubernetes.${kind}`;
      // A manifest is plain JSON, and a patch changes neither what names it nor its kind.
      const patched = applyPatch({ kind, object: object as unknown as Fields, text, at });
      if (patched.ok) replaced.set(object, patched.value as unknown as Manifest);
      else problems.push(patched.problem);
    }
  }
  return { patched: replaced.size === 0 ? rendered : withObjects(rendered, replaced), problems };
}

/** What each patch of a service is for. Jobs have none: the specification refuses them. */
function objectsOf(
  { workloads, services }: Rendered,
  name: string,
): { readonly [K in keyof KubernetesPatches]?: Manifest | undefined } {
  const found = workloads.find(({ service }) => service === name);
  if (found === undefined || found.workload.kind !== 'Deployment') return {};
  return {
    deployment: found.workload,
    service: services.find(({ metadata }) => metadata.name === name),
    ingress: found.ingress,
  };
}

function withObjects(rendered: Rendered, replaced: ReadonlyMap<Manifest, Manifest>): Rendered {
  const now = (object: Manifest): Manifest => replaced.get(object) ?? object;
  const workloads = rendered.workloads.map(
    (one): RenderedWorkload => ({
      ...one,
      workload: now(one.workload),
      ...(one.ingress === undefined ? {} : { ingress: now(one.ingress) }),
    }),
  );
  return { ...rendered, services: rendered.services.map(now), workloads };
}
