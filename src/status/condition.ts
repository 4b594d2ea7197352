/** Kubernetes' standard condition, as the ports' `Condition`. */
export type ReadyCondition = {
  readonly type: 'Ready';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
};

type Known = { readonly type: string; readonly status: string; readonly lastTransitionTime: string };

/**
 * The `Ready` condition, which kstatus reads. `lastTransitionTime` changes only when the status does. `reason` is CamelCase; a catalogue
 * code is turned into it (`rollout_failed` gives `RolloutFailed`). `previous` is the list of conditions as read.
 */
export function readyCondition(
  previous: readonly Known[] | undefined,
  next: {
    readonly status: ReadyCondition['status'];
    readonly reason: string;
    readonly message: string;
    readonly now: Date;
    readonly generation?: number;
  },
): ReadyCondition {
  const before = previous?.find((condition) => condition.type === 'Ready');
  const kept = before?.status === next.status ? before.lastTransitionTime : next.now.toISOString();
  return {
    type: 'Ready',
    status: next.status,
    reason: camelCase(next.reason),
    message: next.message,
    lastTransitionTime: kept,
    ...(next.generation === undefined ? {} : { observedGeneration: next.generation }),
  };
}

function camelCase(reason: string): string {
  return reason
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
