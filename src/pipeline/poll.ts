import { ok, type Result } from '../kernel/index.ts';
import { type Deps, type Run, storedRef } from './context.ts';
import { remoteOf } from './remote.ts';

/**
 * Asks a repository once where its bound refs are and queues a sync for each that moved. One ls-refs, whatever the number of
 * sources; the same queue as the webhook, so both paths meet in `sync`.
 */
export async function poll(deps: Deps, job: { readonly repository: string }, run: Run): Promise<Result<void>> {
  const repository = deps.store.repositories.cached(job.repository);
  if (repository === undefined) return ok(undefined);
  const refs = deps.store.repositoryRefs(repository.name).map(storedRef);
  if (refs.length === 0) return ok(undefined);
  const remote = await remoteOf(repository, deps);
  if (!remote.ok) return remote;
  const listed = await deps.git.listRefs(remote.value, refs, run.signal);
  if (!listed.ok) return listed;
  const known = new Map((repository.status.refs ?? []).map((ref) => [ref.name, ref.commit]));
  const moved = refs.filter((ref) => known.get(ref) !== (listed.value.get(ref) ?? ''));
  return deps.jobs.addAll(moved.map((ref) => ({ queue: 'sync', repository: repository.name, ref }) as const));
}
