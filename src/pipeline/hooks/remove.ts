import type { GitRepository } from '../../ports/index.ts';
import { forgeOf } from '../remote.ts';
import type { HookDeps } from './look.ts';

/**
 * Takes the hook away from the forge, if it was Hakopod that put it there. Best effort: without its secret it opens nothing any more, and a
 * forge that does not answer must not keep a repository from going.
 */
export async function removeHook(
  deps: Pick<HookDeps, 'credentials' | 'hooks' | 'log'>,
  repository: GitRepository,
): Promise<boolean> {
  const { id, installedAt } = repository.status.webhook ?? {};
  if (id === undefined || installedAt === undefined) return false;
  const forge = await forgeOf(repository, deps.credentials, 'hooks');
  const removed = forge.ok ? await deps.hooks.remove(forge.value, id) : forge;
  if (!removed.ok)
    deps.log.warn('webhook stays at the forge', { repository: repository.name, code: removed.problem.code });
  return removed.ok;
}
