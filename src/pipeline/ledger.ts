import { LIMITS } from '../kernel/index.ts';
import type { CommitOutcome, CommitReport } from '../ports/index.ts';

type Wanted = { readonly outcome: CommitOutcome; readonly description: string };

/** What keeps a ledger: a source for its deploys, a plan for a pull request's heads. */
export type Ledgered = { readonly status: { readonly reports?: readonly CommitReport[] | undefined } };

/** The commits a ledger remembers, oldest first. */
export function reportsOf(holder: Ledgered): readonly CommitReport[] {
  return holder.status.reports ?? NONE;
}

const NONE: readonly CommitReport[] = [];

/** What the ledger says of one commit. */
export function reportOf(holder: Ledgered, commit: string): CommitReport | undefined {
  return reportsOf(holder).find((report) => report.commit === commit);
}

/** True when nothing more will be said about the commit. */
export function isFinal(report: CommitReport): boolean {
  return report.desired.outcome !== 'pending';
}

/** True when the forge does not show yet what is desired, and could. */
export function isOwed(report: CommitReport): boolean {
  return isStatusOwed(report) || isDeploymentOwed(report);
}

/** The same of its deployment, when it has one. */
export function isDeploymentOwed({ deployment, desired }: CommitReport): boolean {
  return deployment !== undefined && deployment.undeliverable === undefined && deployment.posted !== desired.outcome;
}

/** The same of its commit status. Past `LIMITS.statusWrites` only what is final is said. */
export function isStatusOwed(report: CommitReport): boolean {
  if (report.undeliverable !== undefined) return false;
  // The last word always has room.
  if (!isFinal(report) && (report.writes ?? 0) >= LIMITS.statusWrites) return false;
  return !sameReport(report.desired, report.posted);
}

/** True when both say the same to the forge. */
export function sameReport(a: Wanted | undefined, b: Wanted | undefined): boolean {
  return a?.outcome === b?.outcome && a?.description === b?.description;
}

/**
 * The ledger with one commit's desired report set. The oldest settled entries beyond `LIMITS.commitsRemembered` fall out; one that still owes
 * the forge something only beyond `LIMITS.commitsOwed`, when a forge takes nothing for long, and one that is not final never.
 */
export function withReport(
  reports: readonly CommitReport[],
  commit: string,
  wanted: Wanted,
  now: Date,
): CommitReport[] {
  const at = now.toISOString();
  const existing = reports.find((report) => report.commit === commit);
  const next: CommitReport =
    existing === undefined
      ? { commit, desired: wanted, at }
      : { ...existing, desired: wanted, undeliverable: undefined, at };
  const others = reports.filter((report) => report.commit !== commit);
  return [...bounded(others), next];
}

/** The ledger with one commit's entry changed, if it is there. */
export function withEntry(
  reports: readonly CommitReport[],
  commit: string,
  change: Partial<CommitReport>,
): CommitReport[] {
  return reports.map((report) => (report.commit === commit ? { ...report, ...change } : report));
}

function bounded(reports: readonly CommitReport[]): CommitReport[] {
  const settled = without(reports, {
    beyond: LIMITS.commitsRemembered,
    isLess: (report) => isFinal(report) && !isOwed(report),
  });
  // Of these the forge shows nothing that would never end.
  const unsaid = without(settled, {
    beyond: LIMITS.commitsOwed,
    isLess: (report) => isFinal(report) && report.posted === undefined && report.posting === undefined,
  });
  return without(unsaid, { beyond: LIMITS.commitsOwed, isLess: isFinal });
}

/** Without the oldest of those that may go, as long as there are too many. */
function without(
  reports: readonly CommitReport[],
  { beyond, isLess }: { readonly beyond: number; readonly isLess: (report: CommitReport) => boolean },
): CommitReport[] {
  // One more comes.
  let excess = reports.length + 1 - beyond;
  return reports.filter((report) => {
    if (excess <= 0 || !isLess(report)) return true;
    excess -= 1;
    return false;
  });
}
