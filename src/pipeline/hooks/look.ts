import { ok, problem, type Result } from '../../kernel/index.ts';
import type { ForgeHook, ForgeRepository, GitRepository, HookState } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { forgeOf } from '../remote.ts';
import { judgeHook, ourHook } from './judge.ts';
import { hookUrl, wantedEvents } from './wanted.ts';

export type HookDeps = Pick<Deps, 'store' | 'credentials' | 'hooks' | 'deliveries' | 'clock' | 'log'>;

/** The hooks of a repository at its forge, as the repository's own token. */
export type HooksAtForge = { readonly forge: ForgeRepository; readonly hooks: readonly ForgeHook[] };

/** All hooks of the repository; `forge_unauthorized` when it has no token or one that may not manage webhooks. */
export async function hooksAtForge(deps: HookDeps, repository: GitRepository): Promise<Result<HooksAtForge>> {
  const forge = await forgeOf(repository, deps.credentials, 'hooks');
  if (!forge.ok) return forge;
  if (forge.value.token === undefined) return { ok: false, problem: problem('forge_unauthorized') };
  const hooks = await deps.hooks.list(forge.value);
  return hooks.ok ? ok({ forge: forge.value, hooks: hooks.value }) : hooks;
}

/**
 * How the hook stands at the forge now, as the repository's status should say it. A forge that does not let us look is `unknown` with the
 * reason; that is not a failure. Writes nothing.
 */
export async function lookAtHook(deps: HookDeps, repository: GitRepository, publicUrl: string): Promise<HookState> {
  const { installedAt, rotatedAt, id } = repository.status.webhook ?? {};
  const kept = {
    ...(installedAt === undefined ? {} : { installedAt }),
    ...(rotatedAt === undefined ? {} : { rotatedAt }),
    checkedAt: deps.clock.now().toISOString(),
  };
  const listed = await hooksAtForge(deps, repository);
  if (!listed.ok) return { ...kept, ...(id === undefined ? {} : { id }), health: 'unknown', code: listed.problem.code };
  const { forge, hooks } = listed.value;
  const place = { hooks, url: hookUrl(publicUrl, repository), knownId: id };
  const hook = ourHook(place);
  const deliveries = hook === undefined ? undefined : await deps.hooks.deliveries(forge, hook.id);
  const since = latest(installedAt, rotatedAt);
  const judged = judgeHook({
    ...place,
    // Without the list the hook itself is judged all the same.
    deliveries: deliveries?.ok === true ? deliveries.value : [],
    wanted: wantedEvents(deps, repository),
    since,
    arrived: await hasArrived(deps, repository.name, since),
  });
  return { ...kept, ...judged };
}

/** Deliveries that are read back to find a proven one. */
const RECENT = 20;

/** Whether a delivery that proved the secret arrived here, since then if said; false while Redis is away. */
export async function hasArrived(deps: HookDeps, name: string, since: string | undefined): Promise<boolean> {
  const recent = await deps.deliveries.recent(name, RECENT);
  return (
    recent.ok &&
    recent.value.some(
      ({ verdict, at }) => verdict !== 'refused' && (since === undefined || Date.parse(at) >= Date.parse(since)),
    )
  );
}

/**
 * Writes what was seen into the repository's status. What others did while we looked stays: a rotation that began or ended, and after another
 * installation nothing of what we saw counts.
 */
export async function rememberHook(
  deps: HookDeps,
  looked: GitRepository,
  state: HookState,
): Promise<Result<GitRepository>> {
  return changeHook(deps, looked.name, (current) => {
    const { installedAt, rotatedAt } = current ?? {};
    if (installedAt !== looked.status.webhook?.installedAt) return undefined;
    const { installedAt: _installed, rotatedAt: _rotated, ...seen } = state;
    return {
      ...seen,
      ...(installedAt === undefined ? {} : { installedAt }),
      ...(rotatedAt === undefined ? {} : { rotatedAt }),
    };
  });
}

/** Changes what the status says of the hook; `undefined` writes nothing. */
export function changeHook(
  deps: Pick<HookDeps, 'store'>,
  name: string,
  change: (current: HookState | undefined) => HookState | undefined,
): Promise<Result<GitRepository>> {
  return deps.store.repositories.updateStatus(name, ({ status }) => {
    const webhook = change(status.webhook);
    return webhook === undefined ? undefined : { ...status, webhook };
  });
}

function latest(a: string | undefined, b: string | undefined): string | undefined {
  return [a, b]
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);
}
