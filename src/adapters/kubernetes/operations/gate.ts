import { at, type CallFailure, isFields, text } from '../../../kernel/index.ts';
import { POD_SECURITY_LABEL } from '../../../ports/cluster-operations/index.ts';
import type { ClusterApi, Right } from '../api.ts';
import { classify, denied, type StepFailure } from './classify.ts';
import type { Context } from './context.ts';

/** What a namespace admits: undefined when at least the level baseline is enforced, or why not. */
export type PodSecurityGap = 'missing' | 'privileged' | 'invalid' | undefined;

/** The verdict of a Namespace's label (cluster operations 0.3). */
export function podSecurityGap(namespace: unknown): PodSecurityGap {
  const labels = at(namespace, 'metadata', 'labels');
  if (!isFields(labels) || labels[POD_SECURITY_LABEL] === undefined) return 'missing';
  const level = text(labels[POD_SECURITY_LABEL]);
  if (level === 'baseline' || level === 'restricted') return undefined;
  return level === 'privileged' ? 'privileged' : 'invalid';
}

export type Gate =
  | { readonly passed: true }
  | { readonly passed: false; readonly gap: Exclude<PodSecurityGap, undefined> }
  | { readonly passed: false; readonly failure: CallFailure };

/** Reads a namespace and judges it. */
export async function podSecurity(api: ClusterApi, namespace: string, signal: AbortSignal): Promise<Gate> {
  const answer = await api.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, signal);
  if (!answer.ok) return { passed: false, failure: answer.failure };
  const gap = podSecurityGap(answer.value);
  return gap === undefined ? { passed: true } : { passed: false, gap };
}

/** A right, then the namespace's level: what every run asks first. Undefined when both are there. */
export async function permitted(api: ClusterApi, right: Right, context: Context): Promise<StepFailure | undefined> {
  const review = await api.review(right, context.signal);
  if (!review.ok) return classify(review.failure, context);
  if (!review.value) return denied('forbidden');
  const gate = await podSecurity(api, right.namespace ?? '', context.signal);
  if (gate.passed) return undefined;
  return 'gap' in gate ? denied('pod_security', gate.gap) : classify(gate.failure, context);
}
