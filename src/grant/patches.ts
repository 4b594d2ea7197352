import type { Application, KubernetesPatches } from '../spec/index.ts';

const KINDS = ['deployment', 'service', 'ingress'] as const satisfies readonly (keyof KubernetesPatches)[];

/** The services whose Kubernetes patches `next` adds or changes over `previous`, by name. Removing a patch is not among them. */
export function servicesWithNewPatches(next: Application, previous: Application | undefined): readonly string[] {
  return Object.keys(next.services)
    .filter((name) => addsPatch(patchesOf(next, name), patchesOf(previous, name)))
    .sort();
}

function patchesOf(application: Application | undefined, name: string): KubernetesPatches {
  const services = application?.services ?? {};
  return (Object.hasOwn(services, name) ? services[name]?.kubernetes : undefined) ?? {};
}

function addsPatch(next: KubernetesPatches, previous: KubernetesPatches): boolean {
  return KINDS.some((kind) => next[kind] !== undefined && next[kind] !== previous[kind]);
}
