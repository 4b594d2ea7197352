import type { GitRepository } from '../../ports/index.ts';

/** A healthy hook tells sooner than any poll; what it loses is found this much later, and never later than that. */
const HEALTHY_FACTOR = 5;
const LONGEST_SECONDS = 600;
/** What a dead hook no longer tells is looked for this much sooner. */
const DEAD_DIVISOR = 3;
const SHORTEST_SECONDS = 5;

/**
 * Seconds between two polls of a repository: as configured, less often while its hook is known to work, more often while it is known not to
 * (field lessons T3). What its hook told is no reason to look less often at a repository that can not be read: it goes on when it can again.
 */
export function pollSeconds({ spec, status }: Pick<GitRepository, 'spec' | 'status'>): number {
  const { intervalSeconds } = spec;
  const isRefused = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'False') === true;
  switch (status.webhook?.health) {
    case 'healthy':
      if (isRefused) return intervalSeconds;
      return Math.max(intervalSeconds, Math.min(intervalSeconds * HEALTHY_FACTOR, LONGEST_SECONDS));
    case 'dead':
      return Math.min(intervalSeconds, Math.max(Math.ceil(intervalSeconds / DEAD_DIVISOR), SHORTEST_SECONDS));
    default:
      return intervalSeconds;
  }
}
