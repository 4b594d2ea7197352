import {
  at,
  count,
  fail,
  isMissing,
  type Manifest,
  ok,
  problem,
  type Result,
  reasonWord,
  records,
} from '../../../kernel/index.ts';
import {
  type InspectedPod,
  type Inspection,
  type InspectionTarget,
  OPERATION_LIMITS,
  parseInspectionTarget,
} from '../../../ports/cluster-operations/index.ts';
import { intentOn, problemOf } from '../answers.ts';
import { clean } from './clean.ts';
import { openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';
import { podContainersOf } from './pod-containers.ts';
import { selectorText } from './selector.ts';
import { replicasOf } from './snapshot-items.ts';

const { callMs, inspectionPods, inspectionConditions, nameBytes, shortBytes } = OPERATION_LIMITS;

/**
 * Reads a Deployment and the pods its own selector selects, in two calls within 20 s (cluster operations 8). Gone is an answer, and one
 * recreated under the name carries its own UID. More than 128 pods are `cluster_unavailable`, never a cut list: a cut one would look like
 * pods recreated and restarts that never were. `invalid_request`, `forbidden` and `cluster_unavailable` otherwise.
 */
export async function inspect(
  deps: Pick<OperationDeps, 'api' | 'clock'>,
  target: InspectionTarget,
  signal?: AbortSignal,
): Promise<Result<Inspection>> {
  const valid = parseInspectionTarget(target);
  if (!valid.ok) return valid;
  const { namespace, name } = valid.value;
  const context = openContext(deps.clock, callMs, signal);
  try {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
    const read = await deps.api.get(ref, context.signal);
    if (!read.ok)
      return isMissing(read.failure) ? ok({ missing: true }) : fail(problemOf(read.failure, intentOn(ref, 'get')));
    const labelSelector = selectorText(at(read.value, 'spec', 'selector'));
    if (labelSelector === undefined) return unavailable('the Deployment has no selector of pods');
    const limit = inspectionPods + 1;
    const query = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector, limit, stopAfter: inspectionPods };
    const pods = await deps.api.list(query, context.signal);
    if (!pods.ok) return fail(problemOf(pods.failure, intentOn(query, 'list')));
    if (pods.value.more || pods.value.items.length > inspectionPods)
      return unavailable('the Deployment has more pods than can be inspected');
    return ok(inspection(read.value, pods.value.items, deps.clock.now()));
  } finally {
    context.end();
  }
}

function unavailable(message: string): Result<never> {
  return fail(problem('cluster_unavailable', message));
}

function inspection(deployment: Manifest, pods: readonly Manifest[], now: Date): Inspection {
  const status = at(deployment, 'status');
  const number = (field: string): number => count(at(status, field)) ?? 0;
  const conditions = records(at(status, 'conditions')).flatMap((condition) => {
    const type = reasonWord(condition.type);
    const reason = reasonWord(condition.reason);
    if (type === undefined) return [];
    return [{ type, status: clean(condition.status, shortBytes), ...(reason === undefined ? {} : { reason }) }];
  });
  return {
    missing: false,
    observedAt: now.toISOString(),
    uid: clean(deployment.metadata.uid, shortBytes),
    generation: count(at(deployment, 'metadata', 'generation')) ?? 0,
    observedGeneration: number('observedGeneration'),
    desired: replicasOf(deployment),
    updated: number('updatedReplicas'),
    ready: number('readyReplicas'),
    available: number('availableReplicas'),
    conditions: conditions.slice(0, inspectionConditions),
    pods: pods.map(inspectedPod),
  };
}

function inspectedPod(pod: Manifest): InspectedPod {
  return {
    name: clean(pod.metadata.name, nameBytes),
    uid: clean(pod.metadata.uid, shortBytes),
    phase: clean(at(pod, 'status', 'phase'), shortBytes),
    containers: podContainersOf(pod).map(({ reason, ...container }) => ({
      ...container,
      image: '',
      imageId: '',
      ...(reasonWord(reason) === undefined ? {} : { reason: reasonWord(reason) ?? '' }),
    })),
  };
}
