import { type CommitSha, isOlderTag, isTagPattern, problem, type RefName } from '../kernel/index.ts';
import { type CommitReport, type GitSource, REQUESTED_AT } from '../ports/index.ts';
import { describeOutcome, type Shown } from '../status/index.ts';
import type { Deps } from './context.ts';
import { reportsOf, withReport } from './ledger.ts';
import type { Mention } from './mentions.ts';
import { needsPlan, wantsFreshLook } from './plan-need.ts';
import { unreadable } from './source-condition.ts';

/** What a ref looks like now, beside what was known of it. */
export type RefNow = {
  readonly ref: RefName;
  /** `undefined`: the ref is gone. */
  readonly head: CommitSha | undefined;
  /** The tag it was found at, when the ref is a pattern. */
  readonly tag: RefName | undefined;
  /** What the sources were last brought up to; empty when the ref was gone, `undefined` when never. */
  readonly known: string | undefined;
  /** What the Git server listed for it. */
  readonly listed: ReadonlyMap<RefName, CommitSha>;
};

type Status = GitSource['status'];

/** A plan that led to what is deployed, or is the same. */
const SETTLED: readonly string[] = ['accepted', 'unchanged', 'held'];
/** Why the commit that was seen is not planned any more. */
const GONE = 'ref_not_found';

/**
 * True when following the pattern of tags would go back: the tag that was released is deleted, and what is left is older. Taking a tag away
 * deploys nothing; a person who wants the older one asks for it (`sources sync`).
 */
export function isStepBack(source: GitSource, { ref, tag }: RefNow): boolean {
  const { seen, planned } = source.status;
  if (tag === undefined || seen?.ref === undefined || wantsFreshLook(source)) return false;
  const isReleased = !needsPlan(source) && SETTLED.includes(planned?.outcome ?? '');
  return isReleased && isOlderTag(ref, tag, seen.ref);
}

/** What a sync found out for one source. */
type Turn = { readonly now: RefNow; readonly isTouched: boolean; readonly mentions: readonly Mention[] };

/** A source's status after a sync; `undefined` when nothing changes. */
export function marked(deps: Pick<Deps, 'clock'>, source: GitSource, turn: Turn): Status | undefined {
  const { now, isTouched } = turn;
  const { head } = now;
  const { status } = source;
  const { seen } = status;
  const at = deps.clock.now();
  const reports = reportsAfter(source, turn, at);
  const nextSeen =
    isTouched && head !== undefined && (seen?.commit !== head || wantsFreshLook(source))
      ? {
          commit: head,
          ref: now.tag,
          generation: source.generation,
          request: source.annotations[REQUESTED_AT],
          at: at.toISOString(),
        }
      : seen;
  const conditions = head === undefined ? unreadable(source, problem(GONE), at) : status.conditions;
  const next = isPassed(source, turn) ? withoutPlan(source, { isGone: nextSeen === seen, at }) : comeBack(status, head);
  const isUnchanged =
    next === status && nextSeen === seen && reports === reportsOf(source) && conditions === status.conditions;
  return isUnchanged ? undefined : { ...next, seen: nextSeen, reports: [...reports], conditions };
}

/** The ledger with a last word on every commit that nothing else would ever answer for. */
function reportsAfter(source: GitSource, turn: Turn, at: Date): readonly CommitReport[] {
  const { now, isTouched, mentions } = turn;
  const { head } = now;
  const { seen, planned, waiting } = source.status;
  let reports = reportsOf(source);
  const add = (commit: string, wanted: Shown): void => {
    if (!reports.some((report) => report.commit === commit)) reports = withReport(reports, commit, wanted, at);
  };
  const passed = describeOutcome(head === undefined ? { kind: 'ref_gone' } : { kind: 'superseded', by: head });
  if (seen !== undefined && isPassed(source, turn)) {
    // One that waited is told so; a run that was cut off in its acceptance may have left nothing but that.
    const isWaiting = planned?.outcome === 'waiting' || waiting?.commit === seen.commit;
    const told = isTouched ? passed : describeOutcome({ kind: 'ref_gone' });
    if (isWaiting) reports = withReport(reports, seen.commit, told, at);
    else add(seen.commit, told);
  }
  for (const { commit } of mentions) if (commit !== head) add(commit, passed);
  if (!isTouched && head !== undefined && head !== seen?.commit) add(head, overlooked(source, now));
  return reports;
}

/** True when a commit that was seen, and never planned or waits with its plan, is not what the ref shows any more. */
function isPassed(source: GitSource, { now, isTouched }: Turn): boolean {
  const { seen } = source.status;
  if (seen === undefined || !isOpen(source)) return false;
  return now.head === undefined || (isTouched && seen.commit !== now.head) || isTagGone(source, now);
}

/** Not planned yet, or waiting with its plan. */
function isOpen(source: GitSource): boolean {
  return needsPlan(source) || source.status.planned?.outcome === 'waiting';
}

/** The tag it was seen at is deleted, while the pattern has others, at other commits. */
function isTagGone({ status: { seen } }: GitSource, { ref, head, listed }: RefNow): boolean {
  const isElsewhere = seen?.ref !== undefined && seen.commit !== head;
  return isTagPattern(ref) && isElsewhere && !listed.has(seen.ref as RefName);
}

/**
 * What was waited for, and who approved it, counts for nothing once the ref shows something else. When nothing is there, the commit counts
 * as planned, so that it is not released without its ref.
 */
function withoutPlan(source: GitSource, { isGone, at }: { readonly isGone: boolean; readonly at: Date }): Status {
  const { seen } = source.status;
  const status = { ...source.status, waiting: undefined, approval: undefined };
  if (!isGone || seen === undefined) return status;
  const { code, message } = problem(GONE);
  const planned = { commit: seen.commit, generation: seen.generation, request: seen.request, at: at.toISOString() };
  return {
    ...status,
    planned: { ...planned, grantRevision: source.spec.grant.revision, outcome: 'refused', code, message },
  };
}

/** A commit whose ref was gone and is there again is planned anew. */
function comeBack(status: Status, head: string | undefined): Status {
  const isBack = head !== undefined && status.seen?.commit === head && status.planned?.code === GONE;
  return isBack ? { ...status, planned: undefined } : status;
}

/** What a source hears of a commit that it does not plan. */
function overlooked(source: GitSource, now: RefNow): Shown {
  const { seen } = source.status;
  return isStepBack(source, now) && seen !== undefined
    ? describeOutcome({ kind: 'superseded', by: seen.commit })
    : describeOutcome({ kind: 'untouched', path: source.spec.path });
}
