import { defaultGrant } from '../grant/index.ts';
import {
  type ApplicationKey,
  applicationName,
  fail,
  LIMITS,
  ok,
  type Problem,
  problem,
  type Result,
  refName,
  repoPath,
} from '../kernel/index.ts';
import { type GitRepository, REPORTS_FINALIZER } from '../ports/index.ts';
import { type Terminal, unwrap } from './io.ts';
import { parseApplication } from './names.ts';
import type { Runtime, Workbench } from './workbench.ts';

const TOKEN_BYTES = 16_384;
const HOOK_SECRET_BYTES = 32;
const DEFAULT_INTERVAL_SECONDS = 60;

/** Flags of `sources add`, as commander gives them. */
export type AddFlags = {
  readonly app: string;
  readonly forge: 'github' | 'gitlab';
  readonly repositoryId: string;
  readonly slug: string;
  readonly branch: string;
  readonly path: string;
  readonly interval?: string;
  readonly tokenStdin?: boolean;
  readonly username?: string;
  readonly apiUrl?: string;
  readonly signingToken?: boolean;
  readonly local?: boolean;
  readonly domain?: readonly string[];
  readonly registry?: readonly string[];
  readonly buildArg?: readonly string[];
  readonly maxServices?: string;
  readonly maxReplicas?: string;
  readonly days?: string;
  readonly owner?: string;
};

type Checked = {
  readonly key: ApplicationKey;
  readonly ref: string;
  readonly path: string;
  readonly interval: number;
  readonly days: number | undefined;
  readonly maxServices: number | undefined;
  readonly maxReplicas: number | undefined;
};

/** Binds a repository's ref and path to an application: grants, makes the webhook's secret, and shows it this once. */
export async function addSource(input: {
  readonly runtime: Runtime;
  readonly workbench: Workbench;
  readonly terminal: Terminal;
  readonly url: string;
  readonly flags: AddFlags;
}): Promise<number> {
  const { workbench, terminal, flags, url } = input;
  const checked = check(input.runtime, url, flags);
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

function check(runtime: Runtime, url: string, flags: AddFlags): Result<Checked> {
  const key = parseApplication(flags.app);
  if (!key.ok) return atFlag('--app', key.problem);
  const usable = runtime.checkUrl(url, flags.local === true);
  if (!usable.ok) return atFlag('REPOSITORY_URL', usable.problem);
  const ref = refName(flags.branch.startsWith('refs/') ? flags.branch : `refs/heads/${flags.branch}`);
  if (!ref.ok) return atFlag('--branch', ref.problem);
  const path = repoPath(flags.path);
  if (!path.ok) return atFlag('--path', path.problem);
  if (!flags.path.endsWith('.toml')) return atFlag('--path', problem('invalid_path', 'the path must end in .toml'));
  if (!/^\d{1,20}$/.test(flags.repositoryId))
    return atFlag('--repository-id', problem('invalid_request', 'must be the number the forge gave the repository'));
  if (!/^[\w.-]+(\/[\w.-]+){1,11}$/.test(flags.slug))
    return atFlag('--slug', problem('invalid_request', 'must be owner/name or group/path'));
  const numbers = readNumbers(flags);
  return numbers.ok ? ok({ key: key.value, ref: ref.value, path: path.value, ...numbers.value }) : numbers;
}

type Numbers = Pick<Checked, 'interval' | 'days' | 'maxServices' | 'maxReplicas'>;

/** The flags that are whole numbers, with their bounds. */
function readNumbers(flags: AddFlags): Result<Numbers> {
  const interval = whole('--interval', flags.interval, { least: 5, most: 86_400 });
  if (!interval.ok) return interval;
  const days = whole('--days', flags.days, { least: 1, most: 3650 });
  if (!days.ok) return days;
  const maxServices = whole('--max-services', flags.maxServices, { least: 0, most: LIMITS.services });
  if (!maxServices.ok) return maxServices;
  const maxReplicas = whole('--max-replicas', flags.maxReplicas, { least: 0, most: 100_000 });
  if (!maxReplicas.ok) return maxReplicas;
  return ok({
    interval: interval.value ?? DEFAULT_INTERVAL_SECONDS,
    days: days.value,
    maxServices: maxServices.value,
    maxReplicas: maxReplicas.value,
  });
}

function whole(
  flag: string,
  text: string | undefined,
  bounds: { readonly least: number; readonly most: number },
): Result<number | undefined> {
  if (text === undefined) return ok(undefined);
  const value = Number(text);
  const isFine = /^\d+$/.test(text) && value >= bounds.least && value <= bounds.most;
  if (isFine) return ok(value);
  return atFlag(flag, problem('invalid_request', `must be a whole number from ${bounds.least} to ${bounds.most}`));
}

function atFlag(flag: string, p: Problem): Result<never> {
  return fail({ ...p, at: flag });
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
  if (token !== undefined) {
    const username = flags.username ?? (flags.forge === 'github' ? 'x-access-token' : 'oauth2');
    const saved = await workbench.credentials.saveCredentials(credentialsSecret, { username, token });
    if (!saved.ok) return saved;
  }
  const existing = await workbench.store.repositories.get(name);
  if (!existing.ok) return existing;
  if (existing.value !== undefined) {
    if (existing.value.spec.url !== input.url)
      return fail(problem('already_exists', 'this repository is known under another URL'));
    return ok({ repository: existing.value, newSecret: undefined });
  }
  const signing = flags.forge === 'gitlab' && flags.signingToken === true;
  const random = workbench.random.hex(HOOK_SECRET_BYTES);
  const secret = signing ? `whsec_${Buffer.from(random, 'hex').toString('base64')}` : random;
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
      webhookAuth: flags.forge === 'github' ? 'hmac' : signing ? 'signing-token' : 'token',
      hookId: workbench.random.hex(16),
      intervalSeconds: input.interval,
    },
  });
  return created.ok ? ok({ repository: created.value, newSecret: secret }) : created;
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
