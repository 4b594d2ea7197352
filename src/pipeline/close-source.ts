import { ok, type Result } from '../kernel/index.ts';
import { type GitSource, REPORTS_FINALIZER } from '../ports/index.ts';
import { describeOutcome } from '../status/index.ts';
import type { Deps } from './context.ts';
import { removeHook } from './hooks/index.ts';
import { isFinal, isOwed, reportsOf, withReport } from './ledger.ts';
import { requestsOfSource } from './preview/plans.ts';

/**
 * Closes a source somebody removed: its open statuses become final, the forge hears of them, its plans of pull requests go, then the finalizer goes, and with the
 * last source of a repository the repository and its secrets go too. The application keeps running. Called again until done.
 */
export async function closeSource(deps: Deps, source: GitSource): Promise<Result<void>> {
  const at = deps.clock.now();
  const written = await deps.store.sources.updateStatus(source.name, (current) => {
    const open = reportsOf(current).filter((report) => !isFinal(report));
    if (open.length === 0) return undefined;
    const reports = open.reduce(
      (all, report) => withReport(all, report.commit, describeOutcome({ kind: 'source_removed' }), at),
      [...reportsOf(current)],
    );
    return { ...current.status, reports };
  });
  if (!written.ok) return written.problem.code === 'not_found' ? ok(undefined) : written;

  const owed = reportsOf(written.value).filter(isOwed);
  if (owed.length > 0)
    return deps.jobs.addAll(
      owed.map((report) => ({ queue: 'report', source: source.name, commit: report.commit }) as const),
    );

  const requests = await requestsOfSource(deps, source);
  if (!requests.ok) return requests;
  if (requests.value.length > 0) return deps.jobs.addAll(requests.value);

  const released = await deps.store.sources.update(source.name, (current) => {
    const finalizers = current.finalizers.filter((finalizer) => finalizer !== REPORTS_FINALIZER);
    return finalizers.length === current.finalizers.length ? undefined : { finalizers };
  });
  if (!released.ok && released.problem.code !== 'not_found') return released;
  return removeUnusedRepository(deps, source);
}

async function removeUnusedRepository(deps: Deps, source: GitSource): Promise<Result<void>> {
  const name = source.spec.repository;
  const inUse = deps.store.sources.all().some((other) => other.spec.repository === name && other.uid !== source.uid);
  const repository = await deps.store.repositories.get(name);
  if (!repository.ok) return repository;
  if (inUse || repository.value === undefined) return ok(undefined);
  await removeHook(deps, repository.value);
  const { webhookSecret, credentialsSecret } = repository.value.spec;
  for (const secret of [webhookSecret, credentialsSecret]) {
    if (secret === undefined) continue;
    const removed = await deps.credentials.remove(secret);
    if (!removed.ok) return removed;
  }
  return deps.store.repositories.delete(name, repository.value.uid);
}
