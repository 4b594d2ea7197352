import type { Manifest } from '../../../kernel/index.ts';
import { seconds } from '../ids.ts';
import { at, type Fields, number, record, text } from '../objects.ts';
import type { ControllerContext } from './manager.ts';
import { conditionOf } from './owned.ts';
import { rollingBounds } from './rolling.ts';

/** A count of an object's status; absent is zero. */
export function statusNumber(object: Manifest, field: string): number {
  return number(at(object, 'status', field), 0);
}

type Counts = {
  readonly wanted: number;
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
};

type Sets = { readonly current: Manifest; readonly old: readonly Manifest[] };

function countsOf(deployment: Manifest, { current, old }: Sets): Counts {
  const all = [current, ...old];
  const sum = (field: string): number => all.reduce((total, set) => total + statusNumber(set, field), 0);
  return {
    wanted: number(at(deployment, 'spec', 'replicas'), 1),
    replicas: sum('replicas'),
    updated: statusNumber(current, 'replicas'),
    ready: sum('readyReplicas'),
    available: sum('availableReplicas'),
  };
}

function condition(
  deployment: Manifest,
  now: string,
  values: { readonly type: string; readonly status: string } & Fields,
): Fields {
  const old = conditionOf(deployment, values.type);
  const same = old !== undefined && old.status === values.status && old.reason === values.reason;
  const flipped = old === undefined || old.status !== values.status;
  return {
    ...values,
    lastUpdateTime: same ? old.lastUpdateTime : now,
    lastTransitionTime: flipped ? now : old.lastTransitionTime,
  };
}

function isComplete(counts: Counts): boolean {
  const { wanted, replicas, updated, available } = counts;
  return updated === wanted && replicas === wanted && available === wanted;
}

function madeProgress(deployment: Manifest, counts: Counts): boolean {
  const { replicas, updated, ready, available } = counts;
  const generation = deployment.metadata.generation ?? 1;
  return (
    statusNumber(deployment, 'observedGeneration') < generation ||
    updated > statusNumber(deployment, 'updatedReplicas') ||
    ready > statusNumber(deployment, 'readyReplicas') ||
    available > statusNumber(deployment, 'availableReplicas') ||
    replicas - updated < statusNumber(deployment, 'replicas') - statusNumber(deployment, 'updatedReplicas')
  );
}

function progressing(
  context: ControllerContext,
  deployment: Manifest,
  request: { counts: Counts; set: Manifest; now: string },
): Fields {
  const { counts, set, now } = request;
  const uid = deployment.metadata.uid ?? '';
  const describe = (status: string, reason: string, what: string): Fields =>
    condition(deployment, now, {
      type: 'Progressing',
      status,
      reason,
      message: `ReplicaSet "${set.metadata.name}" ${what}`,
    });
  if (isComplete(counts)) {
    context.forget(uid, 'progress');
    return describe('True', 'NewReplicaSetAvailable', 'has successfully progressed.');
  }
  if (madeProgress(deployment, counts)) context.forget(uid, 'progress');
  const limit = number(at(deployment, 'spec', 'progressDeadlineSeconds'), 600) * context.delays.deadlineSecondMs;
  const left = limit - context.since(uid, 'progress');
  if (left <= 0) return describe('False', 'ProgressDeadlineExceeded', 'has timed out progressing.');
  context.later(uid, Math.ceil(left));
  return describe('True', 'ReplicaSetUpdated', 'is progressing.');
}

function availability(deployment: Manifest, counts: Counts, now: string): Fields {
  const spec = record(deployment.spec);
  const rolling = text(at(spec, 'strategy', 'type')) !== 'Recreate';
  const least = counts.wanted - (rolling ? rollingBounds(spec).unavailable : 0);
  const enough = counts.available >= least;
  return condition(deployment, now, {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
  });
}

/** The status the Deployment controller reports; counts of zero are left out, as Kubernetes does. */
export function deploymentStatus(context: ControllerContext, deployment: Manifest, sets: Sets): Fields {
  const now = seconds(context.machine.now());
  const counts = countsOf(deployment, sets);
  const paused = at(deployment, 'spec', 'paused') === true;
  const refused = conditionOf(sets.current, 'ReplicaFailure');
  const conditions = [
    availability(deployment, counts, now),
    ...(paused ? [] : [progressing(context, deployment, { counts, set: sets.current, now })]),
    ...(refused === undefined
      ? []
      : [
          condition(deployment, now, {
            type: 'ReplicaFailure',
            status: 'True',
            reason: refused.reason,
            message: refused.message,
          }),
        ]),
  ];
  const count = (name: string, value: number): Fields => (value > 0 ? { [name]: value } : {});
  return {
    observedGeneration: deployment.metadata.generation,
    ...count('replicas', counts.replicas),
    ...count('updatedReplicas', counts.updated),
    ...count('readyReplicas', counts.ready),
    ...count('availableReplicas', counts.available),
    ...count('unavailableReplicas', Math.max(0, Math.max(counts.wanted, counts.replicas) - counts.available)),
    conditions,
  };
}
