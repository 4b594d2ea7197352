import { type CommitSha, fail, ok, type Problem, type Result } from '../kernel/index.ts';
import type { CommitReport, CommitStatus, ForgeRepository, WrittenStatus } from '../ports/index.ts';
import type { Deps } from './context.ts';
import { isOwed, isStatusOwed, sameReport, withEntry } from './ledger.ts';
import { forgeOf } from './remote.ts';
import { reportDeployment } from './report-deployment.ts';
import { type Holder, openHolder, type ReportJob } from './report-holder.ts';
import { isLost, unsayable } from './repository-access.ts';

/** One commit of one ledger, as read. */
type Report = { readonly job: ReportJob; readonly holder: Holder; readonly entry: CommitReport };

/**
 * Brings the forge up to what the ledger desires for one commit. Desired and posted are kept apart, so a forge outage only delays the
 * status and never repeats a deploy. The intent is written before the call: after a crash the next run knows that the outcome is in
 * doubt and asks the forge before it says the same again.
 */
export async function report(deps: Deps, job: ReportJob): Promise<Result<void>> {
  const read = await openHolder(deps, job);
  if (!read.ok) return read;
  const holder = read.value;
  const entry = holder?.reports.find((known) => known.commit === job.commit);
  if (holder === undefined || entry === undefined) return ok(undefined);
  if (!isOwed(entry)) return closeIfDone(deps, holder);

  const repository = deps.store.repositories.cached(holder.repository);
  if (repository === undefined) return ok(undefined);
  const one: Report = { job, holder, entry };
  const forge = await forgeOf(repository, deps.credentials);
  if (!forge.ok) return settleNoAccess(deps, one, forge.problem);
  return isStatusOwed(entry) ? sayStatus(deps, one, forge.value) : showDeployment(deps, one, forge.value);
}

async function sayStatus(deps: Deps, one: Report, forge: ForgeRepository): Promise<Result<void>> {
  const { job, entry } = one;
  const status = statusOf(one);

  if (entry.posting !== undefined && sameReport(entry.posting, entry.desired)) {
    const shown = await isShown(deps, forge, status);
    if (!shown.ok) return settleProblem(deps, one, shown.problem);
    if (shown.value) return recordPosted(deps, one);
  } else {
    const intent = await change(one, { posting: entry.desired, writes: (entry.writes ?? 0) + 1 });
    if (!intent.ok) return intent;
    if (!intent.value) return again(deps, job);
  }
  const written = await deps.statuses.write(forge, status);
  if (!written.ok) return settleProblem(deps, one, written.problem);
  return recordPosted(deps, one, written.value);
}

function statusOf({ holder, entry }: Report): CommitStatus {
  const base = {
    commit: entry.commit as CommitSha,
    ref: holder.ref,
    context: holder.context,
    outcome: entry.desired.outcome,
    description: entry.desired.description,
    ...(entry.pipeline === undefined ? {} : { pipeline: entry.pipeline }),
  };
  const { page } = holder;
  return page === undefined ? base : { ...base, targetUrl: page };
}

/** Once the status is said, the deployment follows it. */
async function showDeployment(deps: Deps, one: Report, forge: ForgeRepository): Promise<Result<void>> {
  const shown = await reportDeployment(deps, forge, one);
  if (!shown.ok) return shown;
  const written = await one.holder.update((reports) =>
    withEntry(reports, one.entry.commit, { deployment: shown.value }),
  );
  return written.ok ? followUp(deps, one) : written;
}

/** True when the forge already shows what we were about to say. */
async function isShown(deps: Deps, forge: ForgeRepository, status: CommitStatus): Promise<Result<boolean>> {
  const latest = await deps.statuses.latest(forge, status.commit, status.context);
  if (!latest.ok) return latest;
  return ok(
    latest.value?.outcomes.includes(status.outcome) === true && latest.value.description === status.description,
  );
}

async function recordPosted(deps: Deps, one: Report, said: WrittenStatus = {}): Promise<Result<void>> {
  const written = await change(one, { posted: one.entry.desired, posting: undefined, ...said });
  return written.ok ? followUp(deps, one) : written;
}

async function followUp(deps: Deps, one: Report): Promise<Result<void>> {
  const now = await openHolder(deps, one.job);
  if (!now.ok) return now;
  // While we were away the desired report may have moved on; the follow-up says the newer one.
  const current = now.value?.reports.find((known) => known.commit === one.job.commit);
  if (current !== undefined && isOwed(current)) return again(deps, one.job);
  return now.value === undefined ? ok(undefined) : closeIfDone(deps, now.value);
}

/** Without a token nothing can be said: for ever where its way in is gone or goes, else until somebody mends the credentials. */
async function settleNoAccess(deps: Deps, one: Report, p: Problem): Promise<Result<void>> {
  if (p.kind !== 'rejected') return fail(p);
  return isLost(p) || one.holder.isClosing
    ? giveUp(deps, one, p)
    : fail({ ...p, kind: 'waiting', afterMs: RENEWAL_MS });
}

/** A token that is refused, or a grant that ended, is one somebody renews; until then the status is owed. */
const RENEWAL_MS = 60_000;
const RENEWED: readonly string[] = ['forge_unauthorized', 'oauth_grant_ended', 'installation_suspended'];

/**
 * A refusal of the status itself is final; anything else is tried again. For what is being closed, a refused token is final too: with
 * the last source its credentials go.
 */
async function settleProblem(deps: Deps, one: Report, p: Problem): Promise<Result<void>> {
  if (p.code === 'forge_rate_limited') {
    // Nothing was said, so the forge, which wants to be left alone, need not be asked what it shows.
    const unsaid = await change(one, { posting: undefined });
    return unsaid.ok ? fail(p) : unsaid;
  }
  if (p.kind !== 'rejected') return fail(p);
  if (RENEWED.includes(p.code) && !one.holder.isClosing) return fail({ ...p, kind: 'waiting', afterMs: RENEWAL_MS });
  return giveUp(deps, one, p);
}

async function giveUp(deps: Deps, one: Report, p: Problem): Promise<Result<void>> {
  const { holder, entry } = one;
  deps.log.warn('the forge refused a status', { name: holder.name, commit: entry.commit, code: p.code });
  const isAll = isLost(p) || holder.isClosing;
  const written = await change(one, isAll ? unsayable(entry, p.code) : { undeliverable: p.code, posting: undefined });
  if (!written.ok) return written;
  return holder.isClosing ? deps.jobs.add(holder.closing) : ok(undefined);
}

/** Changes the entry; false when the holder or the entry is gone, or when it desires something else by now. */
async function change({ holder, entry }: Report, next: Partial<CommitReport>): Promise<Result<boolean>> {
  let applied = false;
  const written = await holder.update((reports) => {
    const existing = reports.find((known) => known.commit === entry.commit);
    // What was posted is a fact whatever is desired now; an intent counts only for what is still desired.
    applied = existing !== undefined && (next.posted !== undefined || sameReport(existing.desired, entry.desired));
    return applied ? withEntry(reports, entry.commit, next) : undefined;
  });
  return written.ok ? ok(written.value && applied) : written;
}

/** What is being closed waits for its last status. */
async function closeIfDone(deps: Deps, holder: Holder): Promise<Result<void>> {
  if (!holder.isClosing || holder.reports.some(isOwed)) return ok(undefined);
  return deps.jobs.add(holder.closing);
}

function again(deps: Deps, job: ReportJob): Promise<Result<void>> {
  return deps.jobs.add({ queue: 'report', ...job });
}
