import { at, containerStatuses, type Fields, type Manifest, reasonWord, records } from '../kernel/index.ts';
import { countAt, textAt } from './json.ts';

/** Bytes of a message (facts 3.7). */
const MESSAGE_BYTES = 1024;

/** Cuts a message of ours to what a status holds. */
export function bounded(message: string): string {
  return Buffer.byteLength(message) <= MESSAGE_BYTES
    ? message
    : Buffer.from(message).subarray(0, MESSAGE_BYTES).toString();
}

const WAITING: Readonly<Record<string, string>> = {
  ImagePullBackOff: 'the image can not be pulled',
  ErrImagePull: 'the image can not be pulled',
  InvalidImageName: 'the image name is not valid',
  ErrImageNeverPull: 'the image is not on the node',
  CrashLoopBackOff: 'the container starts and exits again and again',
  CreateContainerConfigError: 'the container can not be configured',
  CreateContainerError: 'the container can not be created',
  RunContainerError: 'the container can not be started',
};

/** Reasons every pod goes through on its way; they explain nothing. */
const ORDINARY = new Set(['ContainerCreating', 'PodInitializing']);

/** A condition by type. */
export function conditionOf(owner: Manifest, type: string): Fields | undefined {
  return records(at(owner, 'status', 'conditions')).find((condition) => condition.type === type);
}

/** Whether a condition holds. */
export function holds(owner: Manifest, type: string): boolean {
  return conditionOf(owner, type)?.status === 'True';
}

function exitText(state: unknown): string | undefined {
  const terminated = at(state, 'terminated');
  const code = at(terminated, 'exitCode');
  if (typeof code !== 'number') return undefined;
  if (at(terminated, 'reason') === 'OOMKilled') return 'it used more memory than its limit (OOMKilled)';
  return code === 0 ? 'it exited with code 0' : `it exited with code ${code}`;
}

function containerReason(status: Fields): string | undefined {
  const waiting = reasonWord(at(status, 'state', 'waiting', 'reason'));
  const last = exitText(status.lastState);
  if (waiting !== undefined && !ORDINARY.has(waiting)) {
    const text = `${WAITING[waiting] ?? 'the container is waiting'} (${waiting})`;
    return last === undefined || waiting !== 'CrashLoopBackOff' ? text : `${text}; ${last}`;
  }
  const now = exitText(status.state);
  if (now !== undefined) return `the container has ended: ${now}`;
  if (at(status, 'state', 'running') !== undefined && status.ready !== true) {
    const restarts = countAt(status, 'restartCount');
    if (last !== undefined && restarts > 0) return `the container was restarted (${restarts}): ${last}`;
    return status.started === true
      ? 'the container runs but its readiness probe fails'
      : 'the container runs but does not listen on its port yet';
  }
  return undefined;
}

/** Why a pod is not ready, in our words; `undefined` when it only takes its time. */
export function podReason(pod: Manifest): string | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    return 'no node has room for the pod (Unschedulable)';
  }
  if (textAt(pod, 'status', 'phase') === 'Failed' && textAt(pod, 'status', 'reason') !== undefined) {
    const token = reasonWord(at(pod, 'status', 'reason'));
    if (token !== undefined) return `the pod failed (${token})`;
  }
  for (const status of containerStatuses(pod)) {
    const reason = containerReason(status);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
