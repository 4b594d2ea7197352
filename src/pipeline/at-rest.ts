import type { Application } from '../ports/index.ts';

/**
 * Whether an application is as its last good release left it, and is compared with the cluster from time to time. One without services too:
 * what its last pods still read when the release ended goes once they are gone. One whose last release failed is only when it may have
 * domains, which are looked at again whatever became of the release.
 */
export function isAtRest({ status: { phase, inventory = [] } }: Application): boolean {
  if (hasFailed(phase)) return inventory.some(({ kind }) => kind === 'Ingress');
  return phase === 'healthy' || phase === 'recovered' || phase === 'empty';
}

/** Whether nothing of an application is kept as released, because its newest release did not succeed. */
export function hasFailed(phase: Application['status']['phase']): boolean {
  return phase === 'failed' || phase === 'cancelled';
}
