import { canonicalJson, type Manifest } from '../kernel/index.ts';
import { array, at, countAt, object } from './json.ts';
import { bounded, conditionOf, holds, newestPod, podReason, reasonToken } from './pod-reason.ts';

/** How a rollout stands. `reason` says in our words what it waits for, when that is known. */
export type DeploymentVerdict =
  | { readonly state: 'ready'; readonly ready: number; readonly desired: number }
  | { readonly state: 'waiting'; readonly ready: number; readonly desired: number; readonly reason?: string }
  | {
      readonly state: 'failed';
      readonly ready: number;
      readonly desired: number;
      readonly code: 'rollout_failed' | 'rollout_timeout';
      readonly message: string;
    };

/** Pods of one service looked at (facts 3.7). */
const PODS = 64;

function matches(labels: unknown, wanted: unknown): boolean {
  return Object.entries(object(wanted) ?? {}).every(([key, value]) => at(labels, key) === value);
}

function isActive(pod: Manifest): boolean {
  const phase = at(pod, 'status', 'phase');
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** What makes a container the one of the template; admission may add to the rest. */
function essence(owner: unknown): string {
  return canonicalJson(array(at(owner, 'spec', 'containers')).map((c) => [c.name, c.image, c.command, c.args, c.env]));
}

function isCurrent(pod: Manifest, template: unknown): boolean {
  return matches(pod.metadata.labels, at(template, 'metadata', 'labels')) && essence(pod) === essence(template);
}

function allReady(deployment: Manifest, pods: readonly Manifest[], desired: number): boolean {
  const template = at(deployment, 'spec', 'template');
  const active = pods.filter(isActive);
  return (
    active.length === desired && active.slice(0, PODS).every((pod) => holds(pod, 'Ready') && isCurrent(pod, template))
  );
}

function counted(deployment: Manifest, desired: number): boolean {
  return ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'].every(
    (field) => countAt(deployment, 'status', field) === desired,
  );
}

function why(deployment: Manifest, pods: readonly Manifest[]): string | undefined {
  const template = at(deployment, 'spec', 'template');
  const active = pods.filter(isActive);
  const unready = active.filter((pod) => isCurrent(pod, template) && !holds(pod, 'Ready'));
  const newest = newestPod(unready) ?? newestPod(active.filter((pod) => !holds(pod, 'Ready')));
  const reason = newest === undefined ? undefined : podReason(newest);
  if (reason !== undefined) return bounded(reason);
  if (holds(deployment, 'ReplicaFailure')) {
    const token = reasonToken(conditionOf(deployment, 'ReplicaFailure')?.reason);
    return `the cluster does not accept the pods${token === undefined ? '' : ` (${token})`}`;
  }
  return undefined;
}

/**
 * Judges a rollout from the Deployment, its ReplicaSets and its Pods as listed, in any order (facts 3.7).
 *
 * Ready only if the controller has observed this generation, its four counts are all the wanted number, and exactly that many active pods exist,
 * each Ready, with the template's labels and containers. Failed when the controller gave up (`ProgressDeadlineExceeded`) or may not create
 * pods (`ReplicaFailure`), or when `deadlinePassed`; see `confirmFailure` for the former two. Messages are ours, at most 1024 bytes; of the
 * cluster's words only its fixed reasons are repeated.
 */
export function deploymentVerdict(
  objects: readonly Manifest[],
  options: { readonly deadlinePassed?: boolean } = {},
): DeploymentVerdict {
  const deployment = objects.find((object) => object.kind === 'Deployment');
  const late = options.deadlinePassed === true;
  if (deployment === undefined) {
    const none = { ready: 0, desired: 0 };
    if (!late) return { state: 'waiting', ...none, reason: 'the deployment does not exist' };
    return { state: 'failed', ...none, code: 'rollout_timeout', message: 'the deployment does not exist' };
  }
  const desired = at(deployment, 'spec', 'replicas') === undefined ? 1 : countAt(deployment, 'spec', 'replicas');
  const counts = { ready: countAt(deployment, 'status', 'readyReplicas'), desired };
  const selector = at(deployment, 'spec', 'selector', 'matchLabels');
  const pods = objects.filter((object) => object.kind === 'Pod' && matches(object.metadata.labels, selector));
  const observed = countAt(deployment, 'status', 'observedGeneration') >= (deployment.metadata.generation ?? 0);
  if (observed && counted(deployment, desired) && allReady(deployment, pods, desired)) {
    return { state: 'ready', ...counts };
  }
  const reason = why(deployment, pods);
  const gaveUp = conditionOf(deployment, 'Progressing')?.reason === 'ProgressDeadlineExceeded';
  if (observed && gaveUp) {
    return {
      state: 'failed',
      ...counts,
      code: 'rollout_timeout',
      message: reason ?? 'it made no progress in time (ProgressDeadlineExceeded)',
    };
  }
  if (observed && holds(deployment, 'ReplicaFailure')) {
    return {
      state: 'failed',
      ...counts,
      code: 'rollout_failed',
      message: reason ?? 'the cluster does not accept the pods',
    };
  }
  if (late) {
    const message = reason ?? `${counts.ready} of ${desired} pods were ready`;
    return { state: 'failed', ...counts, code: 'rollout_timeout', message };
  }
  return reason === undefined ? { state: 'waiting', ...counts } : { state: 'waiting', ...counts, reason };
}

/** Milliseconds a failure must be seen to last. */
const STRIKE_MS = 2000;

/** A failure seen once, and when: handed from one judgement to the next. */
export type Strike = { readonly since: number } | undefined;

/**
 * Two strikes: right after an apply the controller may still show the condition of the rollout before, so a failure counts only when a second
 * reading, at least two seconds after the first in a row, says it again. Hand `strike` back in with the next verdict.
 */
export function confirmFailure(
  verdict: DeploymentVerdict,
  strike: Strike,
  now: Date,
): { readonly verdict: DeploymentVerdict; readonly strike: Strike } {
  if (verdict.state !== 'failed') return { verdict, strike: undefined };
  const since = strike?.since ?? now.getTime();
  if (strike !== undefined && now.getTime() - since >= STRIKE_MS) return { verdict, strike };
  const { ready, desired, message } = verdict;
  return { verdict: { state: 'waiting', ready, desired, reason: message }, strike: { since } };
}
