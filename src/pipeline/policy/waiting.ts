import type { PolicyVerdict } from '../../grant/index.ts';
import type { GitSource } from '../../ports/index.ts';
import type { Standing } from '../../status/index.ts';
import type { GateVerdict } from './gate.ts';

type Wait = Extract<PolicyVerdict, { kind: 'wait' }>;
export type Waiting = NonNullable<GitSource['status']['waiting']>;

/** A plan that waits is looked at again this much later at the latest: its grant may end, a check may be renamed. */
const LONGEST_MS = 10 * 60_000;
/** How soon a check is asked for again; later the longer it takes, so that a stuck one costs little. */
const CHECK_MS = 15_000;
const CHECK_SHARE = 0.1;

/** What the source remembers of the plan it may not release yet. */
export function waitingOf(
  source: GitSource,
  { plan, wait, now }: { readonly plan: GateVerdict['plan']; readonly wait: Wait; readonly now: Date },
): Waiting {
  const before = source.status.waiting;
  const since = before?.commit === plan.commit ? before.since : now.toISOString();
  return {
    ...plan,
    for: wait.for,
    ...(wait.for === 'check' ? { check: wait.check } : {}),
    ...(wait.for === 'freeze' ? { until: wait.until.toISOString() } : {}),
    since,
    lookAt: new Date(now.getTime() + pauseMs(wait, { since: Date.parse(since), now: now.getTime() })).toISOString(),
  };
}

function pauseMs(wait: Wait, { since, now }: { readonly since: number; readonly now: number }): number {
  switch (wait.for) {
    case 'approval':
      return LONGEST_MS;
    case 'check':
      return Math.min(Math.max(CHECK_MS, (now - since) * CHECK_SHARE), LONGEST_MS);
    case 'freeze':
      return Math.min(wait.until.getTime() - now, LONGEST_MS);
  }
}

/** How a waiting plan is told. */
export function waitingStanding({ for: what, check, until }: Waiting): Standing {
  return {
    kind: 'waiting',
    for: what,
    ...(check === undefined ? {} : { check }),
    ...(until === undefined ? {} : { until: `${until.slice(0, 16)}Z` }),
  };
}

/** The plan the source waits with now; one of a commit that was passed over meanwhile is none. */
export function currentWait({ status }: GitSource): Waiting | undefined {
  const { waiting, planned, seen } = status;
  const isCurrent =
    planned?.outcome === 'waiting' && planned.commit === waiting?.commit && seen?.commit === waiting.commit;
  return isCurrent ? waiting : undefined;
}

/** True when the plan a source waits with is to be judged again. */
export function isWaitOver(source: GitSource, now: Date): boolean {
  const waiting = currentWait(source);
  return waiting !== undefined && Date.parse(waiting.lookAt) <= now.getTime();
}
