import {
  type Answer,
  at,
  type CallFailure,
  type Manifest,
  type ObjectRef,
  rolloutVerdict,
  type Strike,
  secondStrike,
} from '../../../kernel/index.ts';
import { OPERATION_LIMITS } from '../../../ports/cluster-operations/index.ts';
import { classify, failed, type StepFailure } from './classify.ts';
import { type Context, openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';
import { conditionReasons, explain, joined } from './rollout-reasons.ts';
import { selectorText } from './selector.ts';

type Deps = Pick<OperationDeps, 'api' | 'clock'> & {
  /** Milliseconds between readings; tests shorten them. */
  readonly pollMs?: number;
};

export type Rollout = {
  readonly namespace: string;
  readonly name: string;
  /**
   * Set for what we rendered: its pods have to be ready and of this template too (facts 3.7), and claims and the newest pod explain a
   * rollout that stands still. A workload of someone else is judged by its counts and conditions alone.
   */
  readonly own?: { readonly claims: readonly string[] };
};

/**
 * Waits for a Deployment's rollout by reading it at once and then every 2 s (cluster operations 0.3): undefined when ready; failed
 * `rollout_timeout` when two readings in a row say that it fails; timed_out `rollout_timeout` when the time is over, unknown `cancelled` when
 * the caller left. A reading without an answer, throttled or broken on the other side keeps the last good one; any other refusal ends it.
 */
export async function awaitRollout(deps: Deps, rollout: Rollout, context: Context): Promise<StepFailure | undefined> {
  const { clock, pollMs = OPERATION_LIMITS.rolloutPollMs } = deps;
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: rollout.namespace, name: rollout.name };
  let last: Manifest | undefined;
  let strike: Strike;
  while (context.state() === 'live') {
    const reading = await read(deps, { ref, own: rollout.own !== undefined }, context);
    if (reading.ok) {
      last = reading.value.deployment;
      const { state } = rolloutVerdict(last, reading.value.pods);
      if (state === 'ready') return undefined;
      // The readings are already apart: any two in a row count.
      const second = secondStrike(state === 'failing', strike, { now: clock.now(), apartMs: 0 });
      if (second.confirmed) return failed('rollout_timeout', await reasonsOf(deps, rollout, last));
      strike = second.strike;
    } else if (!isTransient(reading.failure)) return classify(reading.failure, context);
    await clock.sleep(pollMs, context.signal);
  }
  if (context.state() === 'cancelled') return { outcome: 'unknown', code: 'cancelled' };
  const detail = last === undefined ? '' : await reasonsOf(deps, rollout, last);
  return { outcome: 'timed_out', code: 'rollout_timeout', ...(detail === '' ? {} : { detail }) };
}

type Reading = { readonly deployment: Manifest; readonly pods?: readonly Manifest[] };

/** The Deployment and, once its counts say that it is ready, the pods that have to agree. */
async function read(
  { api, clock }: Deps,
  { ref, own }: { readonly ref: ObjectRef & { readonly namespace: string }; readonly own: boolean },
  parent: Context,
): Promise<Answer<Reading>> {
  const context = openContext(clock, OPERATION_LIMITS.callMs, parent);
  try {
    const answer = await api.get(ref, context.signal);
    if (!answer.ok) return answer;
    const deployment = answer.value;
    const labelSelector = selectorText(at(deployment, 'spec', 'selector'));
    if (!own || labelSelector === undefined || rolloutVerdict(deployment).state !== 'ready')
      return { ok: true, value: { deployment } };
    const query = { apiVersion: 'v1', kind: 'Pod', namespace: ref.namespace, labelSelector };
    const pods = await api.list(query, context.signal);
    return pods.ok ? { ok: true, value: { deployment, pods: pods.value.items } } : pods;
  } finally {
    context.end();
  }
}

function isTransient({ status }: CallFailure): boolean {
  return status === undefined || status === 429 || status >= 500;
}

async function reasonsOf({ api, clock }: Deps, rollout: Rollout, deployment: Manifest): Promise<string> {
  const reasons = conditionReasons(deployment);
  if (rollout.own === undefined) return joined(reasons);
  // A context of its own: the one of the run has most likely expired.
  const context = openContext(clock, OPERATION_LIMITS.explainMs);
  try {
    const { namespace, own } = rollout;
    return joined([...reasons, ...(await explain(api, { namespace, claims: own.claims, deployment }, context.signal))]);
  } finally {
    context.end();
  }
}
