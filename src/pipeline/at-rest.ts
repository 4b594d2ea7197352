import type { Application } from '../ports/index.ts';

/**
 * Whether an application is as its last good release left it, and is compared with the cluster from time to time. One without services too:
 * what its last pods still read when the release ended goes once they are gone.
 */
export function isAtRest({ status: { phase } }: Application): boolean {
  return phase === 'healthy' || phase === 'recovered' || phase === 'empty';
}
