import type { Permission, Principal } from '../../../access/index.ts';
import { at, fail, type Manifest, newestPod, ok, problem, type Result } from '../../../kernel/index.ts';
import type { Application } from '../../../ports/index.ts';
import { CONTAINER, namespaceName, serviceLabels } from '../../../render/index.ts';
import { findApplication } from '../applications/find.ts';
import type { ClusterDeps } from './context.ts';

export type PodInput = {
  readonly id: string;
  readonly service: string;
  readonly pod?: string | undefined;
  readonly container?: string | undefined;
};

/** A container of a service's pod. */
export type ChosenPod = {
  readonly application: Application;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
};

/**
 * The pod of a service that is meant, for whoever has the permission on its application: the named one, or the newest that runs, or else the
 * newest. What is asked for by name must be the service's own. `not_found`, `pod_not_found`, `unknown_container`.
 */
export async function choosePod(
  deps: ClusterDeps,
  principal: Principal,
  { input, permission }: { readonly input: PodInput; readonly permission: Permission },
): Promise<Result<ChosenPod>> {
  const found = findApplication(deps, principal, { id: input.id, permission });
  if (!found.ok) return found;
  const namespace = namespaceName(input.id);
  const labels = serviceLabels(input.id, input.service);
  const labelSelector = Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
  const listed = await deps.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector });
  if (!listed.ok) return listed;
  const pod = choose(listed.value, input.pod);
  if (pod === undefined)
    return fail(
      problem('pod_not_found', input.pod === undefined ? 'the service has no pod now' : 'the service has no such pod'),
    );
  const container = containerOf(pod, input);
  if (!container.ok) return container;
  const { name, uid = '' } = pod.metadata;
  return ok({ application: found.value, namespace, name, uid, container: container.value });
}

function choose(pods: readonly Manifest[], wanted: string | undefined): Manifest | undefined {
  if (wanted !== undefined) return pods.find(({ metadata }) => metadata.name === wanted);
  const running = pods.filter(
    (pod) => at(pod, 'status', 'phase') === 'Running' && pod.metadata.deletionTimestamp === undefined,
  );
  return newestPod(running) ?? newestPod(pods);
}

/** The named one, the only one, or the one we rendered; a patch may have put others beside it. */
function containerOf(pod: Manifest, { container }: PodInput): Result<string> {
  const { containers = [] } = (pod.spec ?? {}) as { readonly containers?: readonly { readonly name: string }[] };
  const names = containers.map(({ name }) => name);
  const [first] = names;
  const chosen = container ?? (names.length === 1 ? first : names.find((name) => name === CONTAINER));
  if (chosen === undefined)
    return fail(problem('unknown_container', `the pod has ${names.length} containers; name one`));
  return names.includes(chosen) ? ok(chosen) : fail(problem('unknown_container'));
}
