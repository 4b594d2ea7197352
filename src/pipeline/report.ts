import { type CommitSha, fail, ok, type Problem, type Result } from '../kernel/index.ts';
import type { CommitReport, CommitStatus, ForgeRepository, GitSource } from '../ports/index.ts';
import { deployContext } from '../status/index.ts';
import { type Deps, storedRef } from './context.ts';
import { isOwed, reportOf, reportsOf, sameReport, withEntry } from './ledger.ts';
import { forgeOf } from './remote.ts';

/**
 * Brings the forge up to what the ledger desires for one commit. Desired and posted are kept apart, so a forge outage only delays the
 * status and never repeats a deploy. The intent is written before the call: after a crash the next run knows that the outcome is in
 * doubt and asks the forge before it says the same again.
 */
export async function report(
  deps: Deps,
  job: { readonly source: string; readonly commit: string },
): Promise<Result<void>> {
  const read = await deps.store.sources.get(job.source);
  if (!read.ok) return read;
  const source = read.value;
  const entry = source === undefined ? undefined : reportOf(source, job.commit);
  if (source === undefined || entry === undefined) return ok(undefined);
  if (!isOwed(entry)) return closeIfDone(deps, source);

  const repository = deps.store.repositories.cached(source.spec.repository);
  if (repository === undefined) return ok(undefined);
  const forge = await forgeOf(repository, deps.credentials);
  if (!forge.ok) return forge;
  const status = statusOf(deps, source, entry);

  if (entry.posting !== undefined && sameReport(entry.posting, entry.desired)) {
    const shown = await isShown(deps, forge.value, status);
    if (!shown.ok) return settleProblem(deps, source, { entry, problem: shown.problem });
    if (shown.value) return recordPosted(deps, source, entry);
  } else {
    const intent = await change(deps, source.name, entry, { posting: entry.desired });
    if (!intent.ok) return intent;
    if (!intent.value) return deps.jobs.add({ queue: 'report', ...job });
  }
  const written = await deps.statuses.write(forge.value, status);
  if (!written.ok) return settleProblem(deps, source, { entry, problem: written.problem });
  return recordPosted(deps, source, entry);
}

function statusOf(deps: Deps, source: GitSource, entry: CommitReport): CommitStatus {
  const base = {
    commit: entry.commit as CommitSha,
    ref: storedRef(source.spec.ref),
    context: deployContext(source.spec.application),
    outcome: entry.desired.outcome,
    description: entry.desired.description,
  };
  const { publicUrl } = deps.options;
  return publicUrl === undefined ? base : { ...base, targetUrl: publicUrl };
}

/** True when the forge already shows what we were about to say. */
async function isShown(deps: Deps, forge: ForgeRepository, status: CommitStatus): Promise<Result<boolean>> {
  const latest = await deps.statuses.latest(forge, status.commit, status.context);
  if (!latest.ok) return latest;
  return ok(
    latest.value?.outcomes.includes(status.outcome) === true && latest.value.description === status.description,
  );
}

async function recordPosted(deps: Deps, source: GitSource, entry: CommitReport): Promise<Result<void>> {
  const written = await change(deps, source.name, entry, { posted: entry.desired, posting: undefined });
  if (!written.ok) return written;
  const now = await deps.store.sources.get(source.name);
  if (!now.ok) return now;
  // While we were away the desired report may have moved on; the follow-up says the newer one.
  const current = now.value === undefined ? undefined : reportOf(now.value, entry.commit);
  if (current !== undefined && isOwed(current))
    return deps.jobs.add({ queue: 'report', source: source.name, commit: entry.commit });
  return now.value === undefined ? ok(undefined) : closeIfDone(deps, now.value);
}

/** A refusal of the forge is final for this status; anything else is tried again. */
async function settleProblem(
  deps: Deps,
  source: GitSource,
  input: { readonly entry: CommitReport; readonly problem: Problem },
): Promise<Result<void>> {
  const { entry, problem: p } = input;
  if (p.kind !== 'rejected') return fail(p);
  deps.log.warn('the forge refused a status', { source: source.name, commit: entry.commit, code: p.code });
  const written = await change(deps, source.name, entry, { undeliverable: p.code, posting: undefined });
  if (!written.ok) return written;
  return source.deleting ? deps.jobs.add({ queue: 'plan', source: source.name }) : ok(undefined);
}

/** Changes one entry; false when the source or the entry is gone, or when it desires something else by now. */
async function change(
  deps: Deps,
  name: string,
  entry: CommitReport,
  next: Partial<CommitReport>,
): Promise<Result<boolean>> {
  let applied = false;
  const written = await deps.store.sources.updateStatus(name, (current) => {
    const existing = reportOf(current, entry.commit);
    // What was posted is a fact whatever is desired now; an intent counts only for what is still desired.
    applied = existing !== undefined && (next.posted !== undefined || sameReport(existing.desired, entry.desired));
    return applied ? { ...current.status, reports: withEntry(reportsOf(current), entry.commit, next) } : undefined;
  });
  if (!written.ok) return written.problem.code === 'not_found' ? ok(false) : written;
  return ok(applied);
}

/** A source being removed waits for its last status. */
async function closeIfDone(deps: Deps, source: GitSource): Promise<Result<void>> {
  if (!source.deleting || reportsOf(source).some(isOwed)) return ok(undefined);
  return deps.jobs.add({ queue: 'plan', source: source.name });
}
