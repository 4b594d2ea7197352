import {
  at,
  type Fields,
  fail,
  type Manifest,
  ok,
  problem,
  type Result,
  records,
  text,
} from '../../../kernel/index.ts';
import {
  EditableRef,
  OPERATION_LIMITS,
  type Unsupported,
  WorkloadConfiguration,
  type WorkloadRef,
} from '../../../ports/cluster-operations/index.ts';
import { intentOn, problemOf } from '../answers.ts';
import { openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';
import { readContainer } from './read-container.ts';
import { replicasOf } from './snapshot-items.ts';
import { isManaged, objectOf } from './workload-kinds.ts';

const { callMs, containers: maxContainers, envFrom: maxEnvFrom, configurationBytes } = OPERATION_LIMITS;

/**
 * Reads the editable pod template of a Deployment, StatefulSet or DaemonSet within 20 s (cluster operations 12). Secrets and ConfigMaps are
 * named, never read. `invalid_request` for a pod, `not_found`, `forbidden`, `cluster_unavailable`; `invalid_object` when what is there does
 * not fit into the bounds of a configuration.
 */
export async function readWorkload(
  deps: Pick<OperationDeps, 'api' | 'clock'>,
  target: WorkloadRef,
  signal?: AbortSignal,
): Promise<Result<WorkloadConfiguration>> {
  const ref = EditableRef.safeParse(target);
  if (!ref.success) return fail(problem('invalid_request'));
  const context = openContext(deps.clock, callMs, signal);
  try {
    const object = objectOf(ref.data);
    const read = await deps.api.get(object, context.signal);
    if (!read.ok) return fail(problemOf(read.failure, intentOn(object, 'get')));
    return bounded({ ...configurationOf(ref.data, read.value), observedAt: deps.clock.now().toISOString() });
  } finally {
    context.end();
  }
}

function bounded(configuration: WorkloadConfiguration): Result<WorkloadConfiguration> {
  const valid = WorkloadConfiguration.safeParse(configuration);
  if (valid.success && Buffer.byteLength(JSON.stringify(valid.data)) < configurationBytes) return ok(valid.data);
  const at = valid.success ? undefined : valid.error.issues[0]?.path.map(String).join('.');
  return fail(
    problem(
      'invalid_object',
      'the workload does not fit into the bounds of a configuration',
      at === undefined ? {} : { at },
    ),
  );
}

/** The configuration of an object as read; its bounds are the caller's to check. */
export function configurationOf(target: EditableRef, object: Manifest): WorkloadConfiguration {
  const unsupported = new Set<Unsupported>();
  const spec = at(object, 'spec');
  const pod = at(spec, 'template', 'spec');
  const containers = records(at(pod, 'containers'));
  const initContainers = records(at(pod, 'initContainers'));
  const read = (list: readonly Fields[]) =>
    list.slice(0, maxContainers).map((container) => readContainer(container, unsupported));
  const isDeployment = target.kind === 'deployment';
  return {
    target,
    resourceVersion: object.metadata.resourceVersion ?? '',
    ...(target.kind === 'daemonset' ? {} : { replicas: replicasOf(object) }),
    ...(isDeployment ? { paused: at(spec, 'paused') === true } : {}),
    strategy: strategyOf(text(at(spec, isDeployment ? 'strategy' : 'updateStrategy', 'type'))),
    containers: read(containers),
    initContainers: read(initContainers),
    envFrom: [...new Set([...containers, ...initContainers].flatMap(envFromOf))].slice(0, maxEnvFrom),
    managed: isManaged(object),
    unsupported: [...unsupported].sort(),
  };
}

function strategyOf(type: string | undefined): WorkloadConfiguration['strategy'] {
  return type === 'RollingUpdate' || type === 'Recreate' || type === 'OnDelete' ? type : '';
}

function envFromOf(container: Fields): readonly string[] {
  return records(container.envFrom).flatMap((source) => {
    const [secret, configMap] = [text(at(source.secretRef, 'name')), text(at(source.configMapRef, 'name'))];
    if (secret !== undefined) return [`secret/${secret}`];
    return configMap === undefined ? [] : [`configmap/${configMap}`];
  });
}
