import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { GitRepository } from '../../ports/index.ts';
import { forgeOf } from '../remote.ts';
import { deliversTo } from './judge.ts';
import type { HookDeps } from './look.ts';
import { hookPath } from './wanted.ts';

type RemoveDeps = Pick<HookDeps, 'credentials' | 'hooks' | 'log'>;

/**
 * Takes the hook away from the forge, if it was Hakopod that put it there and it still delivers to us: one that people turned to another
 * place is theirs. Best effort: without its secret it opens nothing any more, and a forge that does not answer must not keep a repository
 * from going.
 */
export async function removeHook(deps: RemoveDeps, repository: GitRepository): Promise<boolean> {
  const { id, installedAt } = repository.status.webhook ?? {};
  if (id === undefined || installedAt === undefined) return false;
  const removed = await removeOurs(deps, repository, id);
  if (!removed.ok)
    deps.log.warn('webhook stays at the forge', { repository: repository.name, code: removed.problem.code });
  return removed.ok;
}

async function removeOurs(deps: RemoveDeps, repository: GitRepository, id: string): Promise<Result<void>> {
  const forge = await forgeOf(repository, deps.credentials, 'hooks');
  if (!forge.ok) return forge;
  const hooks = await deps.hooks.list(forge.value);
  if (!hooks.ok) return hooks;
  const hook = hooks.value.find((one) => one.id === id);
  if (hook === undefined) return ok(undefined);
  if (!deliversTo(hook, hookPath(repository)))
    return fail(problem('not_found', 'the webhook delivers elsewhere by now'));
  return deps.hooks.remove(forge.value, id);
}
