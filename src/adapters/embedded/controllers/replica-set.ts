import type { Manifest } from '../../../kernel/index.ts';
import { ApiError } from '../errors.ts';
import { seconds } from '../ids.ts';
import { at, type Fields, number } from '../objects.ts';
import { builtIn } from '../resources.ts';
import type { Controller, ControllerContext } from './manager.ts';
import {
  conditionOf,
  createPod,
  isFinished,
  isReady,
  living,
  podsOf,
  removePod,
  wakesFor,
  writeStatus,
} from './owned.ts';

const REPLICA_SETS = builtIn('replicasets');
/** Milliseconds until a refused pod is tried again. */
const RETRY_MS = 100;

/** Brings the number of pods to the number wanted. Answers why a pod was refused, or undefined. */
function scale(context: ControllerContext, set: Manifest, pods: readonly Manifest[]): string | undefined {
  const wanted = number(at(set, 'spec', 'replicas'), 1);
  for (const pod of surplus(pods, pods.length - wanted)) removePod(context.machine, pod);
  for (let missing = wanted - pods.length; missing > 0; missing -= 1) {
    try {
      createPod(context.machine, set);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      context.later(set.metadata.uid ?? '', RETRY_MS);
      return error.message;
    }
  }
  return undefined;
}

/** The pods to remove first: those that are not ready, then the newest. */
function surplus(pods: readonly Manifest[], count: number): readonly Manifest[] {
  if (count <= 0) return [];
  return [...pods]
    .reverse()
    .sort((a, b) => Number(isReady(a)) - Number(isReady(b)))
    .slice(0, count);
}

/** Ready for `minReadySeconds`. Looks again when one is not yet. */
function isAvailable(context: ControllerContext, set: Manifest, pod: Manifest): boolean {
  if (!isReady(pod)) return false;
  const wait = number(at(set, 'spec', 'minReadySeconds'), 0) * context.delays.minReadySecondMs;
  const left = wait - context.since(pod.metadata.uid ?? '', 'ready');
  if (left > 0) context.later(set.metadata.uid ?? '', Math.ceil(left));
  return left <= 0;
}

function failure(context: ControllerContext, set: Manifest, message: string | undefined): Fields {
  if (message === undefined) return {};
  const old = conditionOf(set, 'ReplicaFailure');
  const lastTransitionTime = old?.lastTransitionTime ?? seconds(context.machine.now());
  return {
    conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime }],
  };
}

function reconcile(context: ControllerContext, uid: string): void {
  const { machine } = context;
  const set = living(machine, REPLICA_SETS, uid);
  if (set === undefined) return;
  const active = (): readonly Manifest[] => podsOf(machine, set).filter((pod) => !isFinished(pod));
  const refused = scale(context, set, active());
  const pods = active();
  const ready = pods.filter(isReady);
  const available = ready.filter((pod) => isAvailable(context, set, pod)).length;
  writeStatus(machine, REPLICA_SETS, set, {
    replicas: pods.length,
    ...(pods.length === 0 ? {} : { fullyLabeledReplicas: pods.length }),
    ...(ready.length === 0 ? {} : { readyReplicas: ready.length }),
    ...(available === 0 ? {} : { availableReplicas: available }),
    observedGeneration: set.metadata.generation,
    ...failure(context, set, refused),
  });
}

/** Keeps the wanted number of pods of one template. */
export const REPLICA_SET_CONTROLLER: Controller = {
  name: 'replica-set',
  wakes: wakesFor(REPLICA_SETS, builtIn('pods')),
  reconcile,
};
