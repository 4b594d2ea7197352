import { type Manifest, sha256 } from '../../../kernel/index.ts';
import { at, type Fields, record, records, text } from '../objects.ts';
import { conditionOf } from './owned.ts';

/** What a pod's containers do now. */
export type PodState =
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'unschedulable' }
  | { readonly kind: 'running'; readonly ready: boolean }
  | { readonly kind: 'crashing'; readonly reason: string; readonly exitCode: number }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly reason: string };

const PHASE: Readonly<Record<PodState['kind'], string>> = {
  waiting: 'Pending',
  unschedulable: 'Pending',
  running: 'Running',
  crashing: 'Running',
  ended: 'Succeeded',
};

function terminated(state: { readonly exitCode: number; readonly reason: string }, now: string): Fields {
  return { terminated: { exitCode: state.exitCode, reason: state.reason, startedAt: now, finishedAt: now } };
}

function containerState(state: PodState, now: string): Fields {
  switch (state.kind) {
    case 'waiting':
      return { waiting: { reason: state.reason, message: 'simulated' } };
    case 'crashing':
      return { waiting: { reason: state.reason, message: 'back-off restarting failed container' } };
    case 'ended':
      return terminated(state, now);
    case 'running':
      return { running: { startedAt: now } };
    default:
      return {};
  }
}

function containerStatus(container: Fields, state: PodState, now: string): Fields {
  const image = text(container.image) ?? '';
  const ready = state.kind === 'running' && state.ready;
  const started = state.kind === 'running';
  return {
    name: container.name,
    image,
    imageID: image.includes('@') ? image : `${image}@sha256:${sha256(image)}`,
    ready,
    started,
    restartCount: state.kind === 'crashing' ? 1 : 0,
    state: containerState(state, now),
    lastState: state.kind === 'crashing' ? terminated({ exitCode: state.exitCode, reason: 'Error' }, now) : {},
  };
}

function condition(
  pod: Manifest,
  now: string,
  values: { readonly type: string; readonly status: string } & Fields,
): Fields {
  const old = conditionOf(pod, values.type);
  const same = old?.status === values.status;
  return { lastProbeTime: null, lastTransitionTime: same ? old?.lastTransitionTime : now, ...values };
}

function podAddress(pod: Manifest): string {
  const bytes = sha256(pod.metadata.uid ?? '');
  return `10.244.${Number.parseInt(bytes.slice(0, 2), 16)}.${Number.parseInt(bytes.slice(2, 4), 16)}`;
}

/** The status a kubelet would report for a pod in this state. */
export function podStatus(pod: Manifest, state: PodState, now: string): Fields {
  const old = record(pod.status);
  const scheduled = state.kind !== 'unschedulable';
  const isReady = state.kind === 'running' && state.ready;
  const why = isReady ? {} : { reason: state.kind === 'ended' ? 'PodCompleted' : 'ContainersNotReady' };
  const ready = { status: isReady ? 'True' : 'False', ...why };
  const placed = condition(pod, now, {
    type: 'PodScheduled',
    status: scheduled ? 'True' : 'False',
    ...(scheduled ? {} : { reason: 'Unschedulable', message: '0/1 nodes are available' }),
  });
  if (!scheduled) return { phase: 'Pending', qosClass: old.qosClass, conditions: [placed] };
  const failed = state.kind === 'ended' && state.exitCode !== 0;
  const started = text(old.startTime) ?? now;
  return {
    phase: failed ? 'Failed' : PHASE[state.kind],
    qosClass: old.qosClass,
    observedGeneration: pod.metadata.generation,
    startTime: started,
    hostIP: '10.250.0.1',
    hostIPs: [{ ip: '10.250.0.1' }],
    podIP: podAddress(pod),
    podIPs: [{ ip: podAddress(pod) }],
    conditions: [
      condition(pod, now, { type: 'Initialized', status: 'True' }),
      condition(pod, now, { type: 'Ready', ...ready }),
      condition(pod, now, { type: 'ContainersReady', ...ready }),
      placed,
    ],
    containerStatuses: records(at(pod, 'spec', 'containers')).map((container) =>
      containerStatus(container, state, now),
    ),
  };
}
