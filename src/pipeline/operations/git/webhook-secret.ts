import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { WebhookRotated } from '../../../ports/api/index.ts';
import type { ForgeRepository, GitRepository, WantedHook } from '../../../ports/index.ts';
import {
  changeHook,
  finishRotation,
  type HooksAtForge,
  hooksAtForge,
  hookUrl,
  ourHook,
  wantedEvents,
} from '../../hooks/index.ts';
import { audited } from '../audited.ts';
import type { By, GitDeps } from './context.ts';
import { findRepository } from './repositories.ts';
import { newHookSecret } from './save-repository.ts';
import { webhookView } from './view.ts';

/** Nobody else rotates this soon after: until then a rotation may not have written its secret yet. */
const ROTATING_MS = 10_000;

/**
 * A new secret beside the old one, at the forge too where its token may. The old one goes when a delivery proves the new one; while that has
 * not happened it stays the one the forge uses, however often this is repeated.
 */
export async function rotateWebhook(deps: GitDeps, by: By, name: string): Promise<Result<WebhookRotated>> {
  const found = await findRepository(deps, by.principal, name);
  if (!found.ok) return found;
  const secretName = found.value.spec.webhookSecret;
  const before = secretName === undefined ? ok(undefined) : await deps.credentials.hookSecret(secretName);
  if (!before.ok) return before;
  if (secretName === undefined || before.value === undefined)
    return fail(problem('conflict', 'the webhook has no secret yet; install it first'));
  const settled = await settleRotation(deps, found.value);
  if (!settled.ok) return settled;
  const marked = await markRotation(deps, name, settled.value.rotatedAt);
  if (!marked.ok) return marked;
  const repository = marked.value;
  const known = await deps.credentials.hookSecret(secretName);
  if (!known.ok) return known;
  const { current, previous } = known.value ?? before.value;
  const secret = newHookSecret(deps, repository.spec.webhookAuth);
  const inUse = settled.value.isEntered ? current : (previous ?? current);
  const saved = await deps.credentials.saveHookSecret(secretName, { current: secret, previous: inUse });
  if (!saved.ok) return saved;
  const updated = await enterSecret(deps, repository, secret);
  await audited(deps, by, { action: 'webhook.rotate', resource: repositoryResource(repository) });
  return ok({
    webhook: webhookView(deps, repository, true),
    webhook_secret: secret,
    forge_updated: updated.ok,
    ...(updated.ok ? {} : { code: updated.problem.code }),
  });
}

type Settled = { readonly rotatedAt: string | undefined; readonly isEntered: boolean };

/**
 * Finds out which secret the forge uses when the last rotation has not ended: nobody tells, so the current one is entered once more. Where the
 * token may not, a person has to, and the one before is the one in use for all we know. A forge that is away may use either, and one of
 * them would be lost.
 */
async function settleRotation(deps: GitDeps, repository: GitRepository): Promise<Result<Settled>> {
  const finished = await finishRotation(deps, repository);
  if (!finished.ok) return finished;
  const rotatedAt = finished.value.status.webhook?.rotatedAt;
  if (rotatedAt === undefined) return ok({ rotatedAt, isEntered: true });
  const { webhookSecret } = repository.spec;
  const known = webhookSecret === undefined ? ok(undefined) : await deps.credentials.hookSecret(webhookSecret);
  if (!known.ok) return known;
  if (known.value === undefined) return ok({ rotatedAt, isEntered: false });
  const entered = await enterSecret(deps, finished.value, known.value.current);
  if (!entered.ok && entered.problem.kind !== 'rejected') return entered;
  return ok({ rotatedAt, isEntered: entered.ok });
}

/** Puts on record that the secret is rotated now; `conflict` when somebody else does at this moment. */
async function markRotation(
  deps: GitDeps,
  name: string,
  rotatedAt: string | undefined,
): Promise<Result<GitRepository>> {
  const now = deps.clock.now();
  let isTaken = false;
  const marked = await changeHook(deps, name, (current) => {
    const last = current?.rotatedAt;
    isTaken = last !== rotatedAt || (last !== undefined && now.getTime() - Date.parse(last) < ROTATING_MS);
    return isTaken ? undefined : { health: 'unknown', ...current, rotatedAt: now.toISOString() };
  });
  return isTaken
    ? fail(problem('conflict', 'the secret of this webhook was rotated a moment ago; try again in ten seconds'))
    : marked;
}

/** Writes the secret at the forge and lets it deliver once, so that the one before need not stay for long. */
async function enterSecret(deps: GitDeps, repository: GitRepository, secret: string): Promise<Result<void>> {
  const { publicUrl } = deps;
  if (publicUrl === undefined) return fail(problem('public_url_missing'));
  const listed = await hooksAtForge(deps, repository);
  if (!listed.ok) return listed;
  const { forge } = listed.value;
  const hook = ourHook(placeOf(repository, publicUrl, listed.value));
  if (hook === undefined) return fail(problem('not_found'));
  const wanted = wantedHook(deps, repository, { publicUrl, secret });
  const updated = await deps.hooks.update(forge, hook.id, wanted);
  if (!updated.ok) return updated;
  const entered = await enterLatest(deps, forge, { repository, id: hook.id, wanted });
  if (!entered.ok) return entered;
  await deps.hooks.test(forge, hook.id);
  return ok(undefined);
}

/** Others rotate or install in the meantime so often at most. */
const ENTRIES = 5;

/** After a secret was written at the forge: when the receiver has another current one by now, that is what the forge has to use. */
export async function enterLatest(
  deps: GitDeps,
  forge: ForgeRepository,
  written: { readonly repository: GitRepository; readonly id: string; readonly wanted: WantedHook },
): Promise<Result<void>> {
  const { repository, id, wanted } = written;
  const secretName = repository.spec.webhookSecret ?? hookSecretName(repository);
  let { secret } = wanted;
  for (let entry = 0; entry < ENTRIES; entry += 1) {
    const known = await deps.credentials.hookSecret(secretName);
    if (!known.ok) return known;
    if (known.value === undefined || known.value.current === secret) return ok(undefined);
    secret = known.value.current;
    const updated = await deps.hooks.update(forge, id, { ...wanted, secret });
    if (!updated.ok) return updated;
  }
  return fail(problem('conflict'));
}

/** What is known of the hooks at the forge, and where ours should deliver. */
export type Place = Parameters<typeof ourHook>[0];

/** Where the hook of a repository is found. */
export function placeOf(repository: GitRepository, publicUrl: string, { hooks }: HooksAtForge): Place {
  return { hooks, url: hookUrl(publicUrl, repository), knownId: repository.status.webhook?.id };
}

/** What the hook has to be, with its secret. */
export function wantedHook(
  deps: GitDeps,
  repository: GitRepository,
  made: { readonly publicUrl: string; readonly secret: string },
): WantedHook {
  const { publicUrl, secret } = made;
  const events = wantedEvents(deps, repository);
  return { url: hookUrl(publicUrl, repository), events, secret, auth: repository.spec.webhookAuth };
}

/** The Secret of a repository that names none. */
export function hookSecretName({ name }: GitRepository): string {
  return `${name}-hook`;
}

/** Of whom the audit speaks. */
export function repositoryResource({ name, spec }: GitRepository): {
  readonly kind: 'GitRepository';
  readonly name: string;
  readonly project?: string;
  readonly environment?: string;
} {
  return { kind: 'GitRepository', ...spec.scope, name };
}
