import { at, containerStatuses, type Manifest, newestPod, reasonWord, records } from '../../../kernel/index.ts';
import type { ClusterApi } from '../api.ts';
import { selectorText } from './selector.ts';

/** Why a rollout stands still, as `word=Reason` items of Kubernetes' fixed reasons; whatever is not one word of letters is dropped. */

const MAX_REASONS = 3;

/** At most three, comma-joined; empty for none. */
export function joined(reasons: readonly string[]): string {
  return reasons.slice(0, MAX_REASONS).join(',');
}

/** Of the conditions in their given order (cluster operations 0.3). */
export function conditionReasons(deployment: Manifest): readonly string[] {
  return records(at(deployment, 'status', 'conditions')).flatMap(({ type, status, reason }) => {
    if (type === 'Progressing') return item('progressing', reason);
    if (type === 'Available' && status !== 'True') return item('available', reason);
    return type === 'ReplicaFailure' && status === 'True' ? item('replicafailure', reason) : [];
  });
}

type Subject = { readonly namespace: string; readonly claims: readonly string[]; readonly deployment: Manifest };

/** Of planned claims that are Pending or Lost, and of the newest pod's first waiting container; what can not be read says nothing. */
export async function explain(api: ClusterApi, subject: Subject, signal: AbortSignal): Promise<readonly string[]> {
  const { namespace, claims, deployment } = subject;
  const reasons: string[] = [];
  for (const name of claims) {
    const claim = await api.get({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name }, signal);
    const phase = claim.ok ? at(claim.value, 'status', 'phase') : undefined;
    if (phase === 'Pending' || phase === 'Lost') reasons.push(`claim=${phase}`);
  }
  const labelSelector = selectorText(at(deployment, 'spec', 'selector'));
  if (labelSelector === undefined) return reasons;
  const pods = await api.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector }, signal);
  return pods.ok ? [...reasons, ...podReason(pods.value.items)] : reasons;
}

function podReason(pods: readonly Manifest[]): readonly string[] {
  const waiting = containerStatuses(newestPod(pods)).find((status) => at(status, 'state', 'waiting') !== undefined);
  return item('pod', at(waiting, 'state', 'waiting', 'reason'));
}

function item(word: string, value: unknown): readonly string[] {
  const reason = reasonWord(value);
  return reason === undefined ? [] : [`${word}=${reason}`];
}
