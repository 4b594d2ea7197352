import {
  at,
  isActivePod,
  type Manifest,
  newestPod,
  reasonWord,
  rolloutVerdict,
  runsTemplate,
  type Strike,
  secondStrike,
} from '../kernel/index.ts';
import { object } from './json.ts';
import { bounded, conditionOf, holds, podReason } from './pod-reason.ts';

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

function matches(labels: unknown, wanted: unknown): boolean {
  return Object.entries(object(wanted) ?? {}).every(([key, value]) => at(labels, key) === value);
}

function why(deployment: Manifest, pods: readonly Manifest[]): string | undefined {
  const template = at(deployment, 'spec', 'template');
  const active = pods.filter(isActivePod);
  const unready = active.filter((pod) => runsTemplate(pod, template) && !holds(pod, 'Ready'));
  const newest = newestPod(unready) ?? newestPod(active.filter((pod) => !holds(pod, 'Ready')));
  const reason = newest === undefined ? undefined : podReason(newest);
  if (reason !== undefined) return bounded(reason);
  if (holds(deployment, 'ReplicaFailure')) {
    const token = reasonWord(conditionOf(deployment, 'ReplicaFailure')?.reason);
    return `the cluster does not accept the pods${token === undefined ? '' : ` (${token})`}`;
  }
  return undefined;
}

/**
 * Judges a rollout from the Deployment, its ReplicaSets and its Pods as listed, in any order: the verdict of `rolloutVerdict` (facts 3.7) in
 * words. Failed also when `deadlinePassed`; a failure of the controller needs `confirmFailure`. Messages are ours, at most 1024 bytes; of the
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
  const selector = at(deployment, 'spec', 'selector', 'matchLabels');
  const pods = objects.filter((object) => object.kind === 'Pod' && matches(object.metadata.labels, selector));
  const { state, failure, ready, desired } = rolloutVerdict(deployment, pods);
  const counts = { ready, desired };
  if (state === 'ready') return { state, ...counts };
  const reason = why(deployment, pods);
  if (failure === 'progress') {
    const message = reason ?? 'it made no progress in time (ProgressDeadlineExceeded)';
    return { state: 'failed', ...counts, code: 'rollout_timeout', message };
  }
  if (failure === 'replicas') {
    const message = reason ?? 'the cluster does not accept the pods';
    return { state: 'failed', ...counts, code: 'rollout_failed', message };
  }
  if (late) {
    const message = reason ?? `${ready} of ${desired} pods were ready`;
    return { state: 'failed', ...counts, code: 'rollout_timeout', message };
  }
  return reason === undefined ? { state: 'waiting', ...counts } : { state: 'waiting', ...counts, reason };
}

/** Milliseconds a failure must be seen to last. */
const STRIKE_MS = 2000;

/** `secondStrike` (two readings in a row, two seconds apart) over a verdict: waiting until the failure counts. */
export function confirmFailure(
  verdict: DeploymentVerdict,
  strike: Strike,
  now: Date,
): { readonly verdict: DeploymentVerdict; readonly strike: Strike } {
  const second = secondStrike(verdict.state === 'failed', strike, { now, apartMs: STRIKE_MS });
  if (verdict.state !== 'failed' || second.confirmed) return { verdict, strike: second.strike };
  const { ready, desired, message } = verdict;
  return { verdict: { state: 'waiting', ready, desired, reason: message }, strike: second.strike };
}
