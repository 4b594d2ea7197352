import { fail, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type { RepositoryOperations, Webhook, WebhookInstalled } from '../../../ports/api/index.ts';
import type { ForgeHook, ForgeRepository, GitRepository, WantedHook } from '../../../ports/index.ts';
import { changeHook, doubles, hasArrived, hooksAtForge, lookAtHook, ourHook, rememberHook } from '../../hooks/index.ts';
import { audited } from '../audited.ts';
import type { By, GitDeps } from './context.ts';
import { findRepository } from './repositories.ts';
import { newHookSecret } from './save-repository.ts';
import { webhookView } from './view.ts';
import {
  enterLatest,
  hookSecretName,
  type Place,
  placeOf,
  repositoryResource,
  rotateWebhook,
  wantedHook,
} from './webhook-secret.ts';

type Operations = Pick<RepositoryOperations, 'webhook' | 'installWebhook' | 'rotateWebhook' | 'testWebhook'>;

/** The webhook of a repository over the API: what it is, made and mended at the forge, its secret, and whether it delivers (field lessons R6). */
export function webhookOperations(deps: GitDeps): Operations {
  return {
    webhook: async (principal, { name }) => {
      const found = await findRepository(deps, principal, name);
      return found.ok ? lookNow(deps, found.value) : found;
    },
    installWebhook: (principal, { name }, info) => install(deps, { principal, info }, name),
    rotateWebhook: (principal, { name }, info) => rotateWebhook(deps, { principal, info }, name),
    testWebhook: (principal, { name }, info) => test(deps, { principal, info }, name),
  };
}

/** The hook as the forge has it at this moment; nothing is written. */
async function lookNow(deps: GitDeps, repository: GitRepository): Promise<Result<Webhook>> {
  const { webhookSecret } = repository.spec;
  const known = webhookSecret === undefined ? ok(false) : await deps.credentials.hasHookSecret(webhookSecret);
  if (!known.ok) return known;
  if (deps.publicUrl === undefined) return ok(webhookView(deps, repository, known.value));
  const webhook = await lookAtHook(deps, repository, deps.publicUrl);
  return ok(webhookView(deps, { ...repository, status: { ...repository.status, webhook } }, known.value));
}

/** Looks, and lets the poller know. */
async function lookAndTell(deps: GitDeps, repository: GitRepository, publicUrl: string): Promise<Result<Webhook>> {
  const state = await lookAtHook(deps, repository, publicUrl);
  const written = await rememberHook(deps, repository, state);
  return written.ok ? ok(webhookView(deps, written.value, true)) : written;
}

/** Several sources share the one hook of their repository; whoever installs it again mends it. */
async function install(deps: GitDeps, by: By, name: string): Promise<Result<WebhookInstalled>> {
  const ready = await prepare(deps, by, name);
  if (!ready.ok) return ready;
  const { repository, publicUrl, place, forge } = ready.value;
  const secret = await ensureSecret(deps, repository);
  if (!secret.ok) return secret;
  const wanted = wantedHook(deps, repository, { publicUrl, secret: secret.value.current });
  const hook = ourHook(place);
  const installedAt = deps.clock.now().toISOString();
  const written = await write(deps, forge, { hook, wanted });
  if (!written.ok) return fail(hookProblem(written.problem));
  const entered = await enterLatest(deps, forge, { repository, id: written.value.id, wanted });
  if (!entered.ok) return fail(hookProblem(entered.problem));
  for (const double of doubles({ ...place, knownId: written.value.id })) {
    const removed = await deps.hooks.remove(forge, double.id);
    if (!removed.ok) return fail(hookProblem(removed.problem));
  }
  const remembered = await changeHook(deps, name, (current) => ({
    ...(current?.rotatedAt === undefined ? {} : { rotatedAt: current.rotatedAt }),
    ...{ health: 'unknown', id: written.value.id, installedAt },
  }));
  if (!remembered.ok) return remembered;
  // GitLab switches a disabled hook on again when a test succeeds; GitHub pings. What comes of it shows when it arrives.
  const tested = await deps.hooks.test(forge, written.value.id);
  if (!tested.ok) deps.log.info('webhook was installed, its test failed', { repository: name });
  const webhook = await lookAndTell(deps, remembered.value, publicUrl);
  if (!webhook.ok) return webhook;
  await audited(deps, by, { action: 'webhook.install', resource: repositoryResource(repository) });
  return ok({
    created: hook === undefined,
    webhook: webhook.value,
    ...(secret.value.made ? { webhook_secret: secret.value.current } : {}),
  });
}

/** How long a test waits for what it asked for, and how often it looks. */
const ARRIVAL_LOOKS = 16;
const LOOK_PAUSE_MS = 500;

async function test(deps: GitDeps, by: By, name: string): ReturnType<Operations['testWebhook']> {
  const ready = await prepare(deps, by, name);
  if (!ready.ok) return ready;
  const { repository, publicUrl, place, forge } = ready.value;
  const hook = ourHook(place);
  if (hook === undefined) return fail(problem('not_found', 'the forge has no webhook of this repository; install it'));
  const since = deps.clock.now().toISOString();
  const tested = await deps.hooks.test(forge, hook.id);
  // GitLab answers 422 for a delivery that failed, which is what the test is to tell.
  if (!tested.ok && tested.problem.code !== 'forge_rejected') return fail(hookProblem(tested.problem));
  let arrived = await hasArrived(deps, name, since);
  for (let look = 1; tested.ok && !arrived && look < ARRIVAL_LOOKS; look += 1) {
    await deps.clock.sleep(LOOK_PAUSE_MS);
    arrived = await hasArrived(deps, name, since);
  }
  const webhook = await lookAndTell(deps, repository, publicUrl);
  if (!webhook.ok) return webhook;
  await audited(deps, by, { action: 'webhook.test', resource: repositoryResource(repository) });
  return ok({ arrived, webhook: webhook.value });
}

type Ready = {
  readonly repository: GitRepository;
  readonly publicUrl: string;
  readonly place: Place;
  readonly forge: ForgeRepository;
};

/** Everything that has to be there before anything is done at the forge. */
async function prepare(deps: GitDeps, { principal }: By, name: string): Promise<Result<Ready>> {
  const found = await findRepository(deps, principal, name);
  if (!found.ok) return found;
  const { publicUrl } = deps;
  if (publicUrl === undefined) return fail(problem('public_url_missing'));
  const listed = await hooksAtForge(deps, found.value);
  if (!listed.ok) return fail(hookProblem(listed.problem));
  const place = placeOf(found.value, publicUrl, listed.value);
  return ok({ repository: found.value, publicUrl, place, forge: listed.value.forge });
}

function write(
  deps: GitDeps,
  forge: ForgeRepository,
  { hook, wanted }: { readonly hook: ForgeHook | undefined; readonly wanted: WantedHook },
): Promise<Result<ForgeHook>> {
  return hook === undefined ? deps.hooks.create(forge, wanted) : deps.hooks.update(forge, hook.id, wanted);
}

/** The secret the receiver takes; one is made when there is none, and named in the repository. */
async function ensureSecret(
  deps: GitDeps,
  repository: GitRepository,
): Promise<Result<{ readonly current: string; readonly made: boolean }>> {
  const secretName = repository.spec.webhookSecret ?? hookSecretName(repository);
  const known = await deps.credentials.hookSecret(secretName);
  if (!known.ok) return known;
  if (known.value !== undefined) return ok({ current: known.value.current, made: false });
  const current = newHookSecret(deps, repository.spec.webhookAuth);
  const saved = await deps.credentials.saveHookSecret(secretName, { current });
  if (!saved.ok) return saved;
  const named = await deps.store.repositories.update(repository.name, ({ spec }) =>
    spec.webhookSecret === secretName ? undefined : { spec: { ...spec, webhookSecret: secretName } },
  );
  return named.ok ? ok({ current, made: true }) : named;
}

/** The forges' refusals, in words about webhooks. */
function hookProblem(found: Problem): Problem {
  const { cause } = found;
  switch (found.code) {
    case 'forge_unauthorized':
    case 'forge_not_found':
      return problem(found.code, NO_RIGHT, { cause });
    case 'forge_rejected':
      return problem(found.code, 'the forge refused the webhook; it has to reach the public URL', { cause });
    default:
      return found;
  }
}

const NO_RIGHT =
  'the token of the repository has ended, or may not manage its webhooks; GitHub wants the permission to administer them, GitLab the scope api and the role Maintainer';
