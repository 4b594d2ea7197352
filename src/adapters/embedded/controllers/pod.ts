import type { Manifest } from '../../../kernel/index.ts';
import { behaviourOf, type PlainBehaviour } from '../behaviour.ts';
import { seconds } from '../ids.ts';
import { at, record, sameJson } from '../objects.ts';
import { builtIn } from '../resources.ts';
import type { Controller, ControllerContext } from './manager.ts';
import { isFinished, isReady, living, writeStatus } from './owned.ts';
import { type PodState, podStatus } from './pod-status.ts';

const PODS = builtIn('pods');
const NODE = 'embedded';

/** Reasons a container waits for before it ever starts. */
const NEVER_STARTED = /^(ImagePull|ErrImage|InvalidImage|CreateContainer|RegistryUnavailable|ContainerCreating)/;

function failing(behaviour: PlainBehaviour & { kind: 'fail' }, endsByItself: boolean): PodState {
  if (behaviour.reason === 'Unschedulable') return { kind: 'unschedulable' };
  if (NEVER_STARTED.test(behaviour.reason)) return { kind: 'waiting', reason: behaviour.reason };
  const exitCode = behaviour.exitCode ?? 1;
  if (!endsByItself) return { kind: 'crashing', reason: behaviour.reason, exitCode };
  return { kind: 'ended', exitCode, reason: behaviour.reason === 'OOMKilled' ? 'OOMKilled' : 'Error' };
}

/** The pod's state `age` milliseconds after its start, and when to look again. */
function stateAt(
  behaviour: PlainBehaviour,
  pod: { readonly age: number; readonly endsByItself: boolean; readonly runMs: number },
): { readonly state: PodState; readonly again: number | undefined } {
  const { age, endsByItself, runMs } = pod;
  const delay = behaviour.kind === 'delay' ? behaviour.ms : 0;
  const wait = endsByItself ? delay + runMs : delay;
  if (behaviour.kind === 'fail' && (!endsByItself || NEVER_STARTED.test(behaviour.reason))) {
    return { state: failing(behaviour, endsByItself), again: undefined };
  }
  if (behaviour.kind === 'hang') return { state: { kind: 'running', ready: endsByItself }, again: undefined };
  if (age < wait) return { state: { kind: 'running', ready: endsByItself }, again: wait - age };
  if (behaviour.kind === 'fail') return { state: failing(behaviour, true), again: undefined };
  const done: PodState = endsByItself
    ? { kind: 'ended', exitCode: 0, reason: 'Completed' }
    : { kind: 'running', ready: true };
  return { state: done, again: undefined };
}

function reconcile(context: ControllerContext, uid: string): void {
  const { machine, delays } = context;
  const pod = living(machine, PODS, uid);
  if (pod === undefined || isFinished(pod)) return;
  const age = context.since(uid, 'created') - delays.podStartMs;
  if (age < 0) {
    context.later(uid, -age);
    return;
  }
  const behaviour = behaviourOf(pod, context.behaviours());
  const endsByItself = at(pod, 'spec', 'restartPolicy') !== 'Always';
  const { state, again } = stateAt(behaviour, { age, endsByItself, runMs: delays.jobRunMs });
  if (again !== undefined) context.later(uid, Math.ceil(again));
  report(context, pod, state);
}

function report(context: ControllerContext, pod: Manifest, state: PodState): void {
  const { machine } = context;
  const uid = pod.metadata.uid ?? '';
  const status = podStatus(pod, state, seconds(machine.now()));
  const settled = keepTimes(pod, status);
  const placed = at(pod, 'spec', 'nodeName') !== undefined || state.kind === 'unschedulable';
  const onNode = placed ? pod : { ...pod, spec: { ...record(pod.spec), nodeName: NODE } };
  if (state.kind === 'running' && state.ready) {
    if (!isReady(pod)) context.forget(uid, 'ready');
    context.since(uid, 'ready');
  }
  writeStatus(machine, PODS, onNode, settled);
}

/** The old status when the new one differs in nothing but container times, so that looking again writes nothing. */
function keepTimes(pod: Manifest, status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const bare = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value ?? {}, (key, inner: unknown) => (/^(started|finished)At$/.test(key) ? undefined : inner)),
    );
  return sameJson(bare(pod.status), bare(status)) ? record(pod.status) : status;
}

/** The kubelet and the scheduler: runs pods as they were told to behave. */
export const POD_CONTROLLER: Controller = {
  name: 'pod',
  wakes: (change) =>
    change.info.storage === PODS.storage && change.type === 'ADDED' ? [change.object.metadata.uid ?? ''] : [],
  reconcile,
};
