import { ok, type Result } from '../kernel/index.ts';
import type { GitRepository, Job } from '../ports/index.ts';
import { type Deps, type Run, storedRef } from './context.ts';
import { checkHook } from './hooks/index.ts';
import { headRefs, movedRequests, sweepRequests } from './preview/sweep.ts';
import { headOf } from './ref-head.ts';
import { remoteOf } from './remote.ts';
import { markOpened, markRefused } from './repository-access.ts';
import { markReadable, markUnreadable } from './source-condition.ts';

/**
 * Asks a repository once where its bound refs and the heads of its planned pull requests are and queues a sync or preview for each that
 * moved. One ls-refs, whatever the number of sources; the same queues as the webhook, so both paths meet there.
 */
export async function poll(deps: Deps, job: { readonly repository: string }, run: Run): Promise<Result<void>> {
  const repository = deps.store.repositories.cached(job.repository);
  if (repository === undefined) return ok(undefined);
  const polled = await pollRefs(deps, repository, run);
  // Of a repository that nobody is bound to, or that can not be read, too: the rotation of its secret has to end.
  const checked = await checkHook(deps, repository, deps.options.publicUrl);
  return polled.ok ? checked : polled;
}

async function pollRefs(deps: Deps, repository: GitRepository, run: Run): Promise<Result<void>> {
  const refs = deps.store.repositoryRefs(repository.name).map(storedRef);
  if (refs.length === 0) return ok(undefined);
  const sources = refs.flatMap((ref) => deps.store.sourcesOf(repository.name, ref));
  const remote = await remoteOf(repository, deps);
  const wanted = [...refs, ...headRefs(deps, repository.name)];
  const listed = remote.ok ? await deps.git.listRefs(remote.value, wanted, run.signal) : remote;
  if (!listed.ok) {
    if (listed.problem.kind !== 'rejected') return listed;
    const marked = await markUnreadable(deps, sources, listed.problem);
    const refused = marked.ok ? await markRefused(deps, repository, listed.problem) : marked;
    return refused.ok ? listed : refused;
  }
  const recovered = await markReadable(
    deps,
    sources.filter(({ spec }) => headOf(listed.value, storedRef(spec.ref)) !== undefined),
  );
  if (!recovered.ok) return recovered;
  const opened = await markOpened(deps, repository);
  if (!opened.ok) return opened;
  const known = new Map((repository.status.refs ?? []).map((ref) => [ref.name, ref.commit]));
  const moved = refs
    .filter((ref) => known.get(ref) !== (headOf(listed.value, ref)?.commit ?? ''))
    .map((ref): Job => ({ queue: 'sync', repository: repository.name, ref }));
  const queued = await deps.jobs.addAll([
    ...opened.value,
    ...moved,
    ...movedRequests(deps, repository.name, listed.value),
  ]);
  if (!queued.ok) return queued;
  const swept = await sweepRequests(deps, repository);
  if (!swept.ok) return swept;
  return swept.value.length === 0 ? ok(undefined) : deps.jobs.addAll(swept.value);
}
