import { defaultGrant } from '../grant/index.ts';
import { applicationName, fail, ok, problem, type Result } from '../kernel/index.ts';
import { type GitRepository, REPORTS_FINALIZER } from '../ports/index.ts';
import { type AddFlags, type Checked, checkAddFlags } from './add-flags.ts';
import { type Terminal, unwrap } from './io.ts';
import type { Runtime, Workbench } from './workbench.ts';

const TOKEN_BYTES = 16_384;
const HOOK_SECRET_BYTES = 32;

/** Binds a repository's ref and path to an application: grants, makes the webhook's secret, and shows it this once. */
export async function addSource(input: {
  readonly runtime: Runtime;
  readonly workbench: Workbench;
  readonly terminal: Terminal;
  readonly url: string;
  readonly flags: AddFlags;
}): Promise<number> {
  const { workbench, terminal, flags, url } = input;
  const checked = checkAddFlags(input.runtime, url, flags);
  if (!checked.ok) return unwrap(terminal, checked, () => 0);
  const token = flags.tokenStdin === true ? (await terminal.readInput(TOKEN_BYTES)).trim() : undefined;
  if (token === '')
    return unwrap(terminal, fail(problem('invalid_request', 'the token on standard input is empty')), () => 0);

  const { key } = checked.value;
  const name = applicationName(key);
  const existing = await workbench.store.sources.get(name);
  if (!existing.ok) return unwrap(terminal, existing, () => 0);
  if (existing.value !== undefined) {
    const text = existing.value.deleting
      ? 'this application is still losing its former source; try again in a moment'
      : 'this application has a source already; remove it first';
    return unwrap(terminal, fail(problem('already_exists', text, { at: '--app' })), () => 0);
  }
  const repository = await ensureRepository(workbench, { url, flags, interval: checked.value.interval, token });
  if (!repository.ok) return unwrap(terminal, repository, () => 0);
  const application = await workbench.store.applications.create({
    name,
    spec: { id: workbench.random.hex(16), ...key },
  });
  if (!application.ok && application.problem.code !== 'already_exists') return unwrap(terminal, application, () => 0);
  const source = await workbench.store.sources.create({
    name,
    finalizers: [REPORTS_FINALIZER],
    spec: {
      repository: repository.value.repository.name,
      ref: checked.value.ref,
      path: checked.value.path,
      application: key,
      grant: grantOf(workbench, checked.value, flags),
    },
  });
  return unwrap(terminal, source, () => {
    terminal.out(
      `source ${key.project}/${key.environment}/${key.name}: ${flags.slug} ${checked.value.ref} ${checked.value.path}`,
    );
    printHook(workbench, terminal, repository.value);
    return 0;
  });
}

function grantOf(workbench: Workbench, checked: Checked, flags: AddFlags): ReturnType<typeof defaultGrant> {
  const limits = {
    ...(checked.maxServices === undefined ? {} : { services: checked.maxServices }),
    ...(checked.maxReplicas === undefined ? {} : { replicas: checked.maxReplicas }),
  };
  const base = defaultGrant({
    ref: checked.ref,
    path: checked.path,
    application: checked.key,
    owner: flags.owner ?? 'cli',
    now: workbench.clock.now(),
  });
  const { days } = checked;
  return {
    ...base,
    limits,
    domains: [...(flags.domain ?? base.domains)],
    registries: [...(flags.registry ?? base.registries)],
    buildArgs: [...(flags.buildArg ?? base.buildArgs)],
    ...(days === undefined
      ? {}
      : { expiresAt: new Date(workbench.clock.now().getTime() + days * 86_400_000).toISOString() }),
  };
}

type Ensured = { readonly repository: GitRepository; readonly newSecret: string | undefined };

/** Several sources share one repository and its one hook; it is known by the forge's immutable id. */
async function ensureRepository(
  workbench: Workbench,
  input: {
    readonly url: string;
    readonly flags: AddFlags;
    readonly interval: number;
    readonly token: string | undefined;
  },
): Promise<Result<Ensured>> {
  const { flags, token } = input;
  const name = `${flags.forge}-${flags.repositoryId}`;
  const credentialsSecret = `${name}-credentials`;
  const webhookSecret = `${name}-hook`;
  const existing = await workbench.store.repositories.get(name);
  if (!existing.ok) return existing;
  if (existing.value !== undefined && existing.value.spec.url !== input.url)
    return fail(problem('already_exists', 'this repository is known under another URL', { at: '--repository-id' }));
  if (token !== undefined) {
    const username = flags.username ?? (flags.forge === 'github' ? 'x-access-token' : 'oauth2');
    const saved = await workbench.credentials.saveCredentials(credentialsSecret, { username, token });
    if (!saved.ok) return saved;
  }
  if (existing.value !== undefined)
    return reuseRepository(workbench, existing.value, token === undefined ? {} : { credentialsSecret });
  const webhookAuth = flags.forge === 'github' ? 'hmac' : flags.signingToken === true ? 'signing-token' : 'token';
  const secret = newHookSecret(workbench, webhookAuth);
  const saved = await workbench.credentials.saveHookSecret(webhookSecret, { current: secret });
  if (!saved.ok) return saved;
  const created = await workbench.store.repositories.create({
    name,
    spec: {
      forge: flags.forge,
      url: input.url,
      repositoryId: flags.repositoryId,
      project: flags.slug,
      ...(flags.apiUrl === undefined ? {} : { apiUrl: flags.apiUrl }),
      ...(flags.local === true ? { local: true } : {}),
      ...(token === undefined ? {} : { credentialsSecret }),
      webhookSecret,
      webhookAuth,
      hookId: workbench.random.hex(16),
      intervalSeconds: input.interval,
    },
  });
  return created.ok ? ok({ repository: created.value, newSecret: secret }) : created;
}

function newHookSecret(workbench: Workbench, auth: GitRepository['spec']['webhookAuth']): string {
  const random = workbench.random.hex(HOOK_SECRET_BYTES);
  return auth === 'signing-token' ? `whsec_${Buffer.from(random, 'hex').toString('base64')}` : random;
}

/** A known repository keeps its hook; one whose secret was revoked meanwhile gets a new one, because the old can not be shown again. */
async function reuseRepository(
  workbench: Workbench,
  repository: GitRepository,
  change: { readonly credentialsSecret?: string },
): Promise<Result<Ensured>> {
  const webhookSecret = repository.spec.webhookSecret ?? `${repository.name}-hook`;
  const known = await workbench.credentials.hasHookSecret(webhookSecret);
  if (!known.ok) return known;
  const secret = known.value ? undefined : newHookSecret(workbench, repository.spec.webhookAuth);
  if (secret !== undefined) {
    const saved = await workbench.credentials.saveHookSecret(webhookSecret, { current: secret });
    if (!saved.ok) return saved;
  }
  const updated = await workbench.store.repositories.update(repository.name, ({ spec }) => {
    const next = { ...spec, ...change, webhookSecret };
    const isSame = spec.webhookSecret === webhookSecret && spec.credentialsSecret === next.credentialsSecret;
    return isSame ? undefined : { spec: next };
  });
  return updated.ok ? ok({ repository: updated.value, newSecret: secret }) : updated;
}

function printHook(workbench: Workbench, terminal: Terminal, ensured: Ensured): void {
  const { repository, newSecret } = ensured;
  const base = workbench.publicUrl?.replace(/\/$/, '') ?? 'https://<public URL of this installation>';
  terminal.out(`webhook URL: ${base}/hooks/${repository.spec.hookId}`);
  if (newSecret === undefined) terminal.out('webhook secret: unchanged; this repository has its hook already');
  else terminal.out(`webhook secret (shown once): ${newSecret}`);
  terminal.out(
    repository.spec.forge === 'gitlab'
      ? 'events: push, tag push, merge request'
      : 'events: push, pull request; content type application/json',
  );
}
