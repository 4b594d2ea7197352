import { ok, type Result } from '../../kernel/index.ts';
import type { GitRepository, HookState } from '../../ports/index.ts';
import { forgeOf } from '../remote.ts';
import { changeHook, type HookDeps, lookAtHook, rememberHook } from './look.ts';

const MINUTE_MS = 60_000;
/** Between two looks at a hook. A dead one is looked at more often, for somebody may be mending it; a closed door less often. */
const PERIODS_MS = { healthy: 15 * MINUTE_MS, unknown: 5 * MINUTE_MS, dead: 2 * MINUTE_MS, refused: 60 * MINUTE_MS };
/** The receiver learns of a new secret by its watch; a delivery this soon may have been judged by the old ones. */
const SETTLING_MS = 5_000;
const RECENT = 100;

/**
 * Looks at the hook of a repository when it is time to, so that the poller knows whether to rely on it, and ends a rotation of its secret.
 * Never fails the poll it is part of for the forge's sake: what can not be seen is said in the status.
 */
export async function checkHook(
  deps: HookDeps,
  repository: GitRepository,
  publicUrl: string | undefined,
): Promise<Result<void>> {
  const finished = await finishRotation(deps, repository);
  if (!finished.ok) return finished;
  if (publicUrl === undefined || repository.spec.credentialsSecret === undefined) return ok(undefined);
  if (!isDue(finished.value.status.webhook, deps.clock.now())) return ok(undefined);
  const state = await lookAtHook(deps, finished.value, publicUrl);
  const before = repository.status.webhook?.health ?? 'unknown';
  if (state.health !== before)
    deps.log.info('webhook is seen otherwise', { repository: repository.name, health: state.health });
  const written = await rememberHook(deps, finished.value, state);
  if (!written.ok) return written;
  await askForProof(deps, written.value);
  return ok(undefined);
}

/** A rotation ends with a delivery, so that a secret that got out is not valid until somebody happens to push. */
async function askForProof(deps: HookDeps, repository: GitRepository): Promise<void> {
  const { rotatedAt, id, faults = [] } = repository.status.webhook ?? {};
  if (rotatedAt === undefined || id === undefined || faults.includes('missing') || faults.includes('url')) return;
  const forge = await forgeOf(repository, deps.credentials, 'hooks');
  const tested = forge.ok ? await deps.hooks.test(forge.value, id) : forge;
  if (!tested.ok) deps.log.info('webhook was not tested', { repository: repository.name, code: tested.problem.code });
}

function isDue(known: HookState | undefined, now: Date): boolean {
  if (known?.checkedAt === undefined) return true;
  const period = known.code === undefined ? PERIODS_MS[known.health] : PERIODS_MS.refused;
  return now.getTime() - Date.parse(known.checkedAt) >= period;
}

/**
 * Lets the old secret go once a delivery proved the new one: the forge uses it. Until then both are valid, however long that takes, for where
 * a person has to enter it at the forge nothing else may stop.
 */
export async function finishRotation(deps: HookDeps, repository: GitRepository): Promise<Result<GitRepository>> {
  const rotatedAt = repository.status.webhook?.rotatedAt;
  const secret = repository.spec.webhookSecret;
  if (rotatedAt === undefined || secret === undefined) return ok(repository);
  const known = await deps.credentials.hookSecret(secret);
  if (!known.ok) return known;
  const recent = await deps.deliveries.recent(repository.name, RECENT);
  if (!recent.ok) return ok(repository);
  const settled = Date.parse(rotatedAt) + SETTLING_MS;
  const isUsed = recent.value.some(({ provenBy, at }) => provenBy === 'current' && Date.parse(at) >= settled);
  const isOver = known.value === undefined || known.value.previous === undefined;
  if (!isUsed && !isOver) return ok(repository);
  if (known.value !== undefined) {
    const dropped = await deps.credentials.dropPreviousHookSecret(secret, known.value.current);
    if (!dropped.ok) return dropped;
  }
  return changeHook(deps, repository.name, (current) => {
    // Somebody rotated again meanwhile: that rotation has its own end.
    if (current?.rotatedAt !== rotatedAt) return undefined;
    const { rotatedAt: _over, ...webhook } = current;
    return webhook;
  });
}
