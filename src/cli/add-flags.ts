import {
  type ApplicationKey,
  fail,
  LIMITS,
  ok,
  type Problem,
  problem,
  type Result,
  refName,
  repoPath,
} from '../kernel/index.ts';
import { parseApplication } from './names.ts';
import type { Runtime } from './workbench.ts';

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

/** The flags as understood. */
export type Checked = {
  readonly key: ApplicationKey;
  readonly ref: string;
  readonly path: string;
  readonly interval: number;
  readonly days: number | undefined;
  readonly maxServices: number | undefined;
  readonly maxReplicas: number | undefined;
};

/** Checks everything a person typed before anything is written; a refusal names the flag. */
export function checkAddFlags(runtime: Runtime, url: string, flags: AddFlags): Result<Checked> {
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
  const lists = checkLists(flags);
  if (!lists.ok) return lists;
  const numbers = readNumbers(flags);
  return numbers.ok ? ok({ key: key.value, ref: ref.value, path: path.value, ...numbers.value }) : numbers;
}

/** Flags that name hosts, patterns and addresses. */
function checkLists(flags: AddFlags): Result<void> {
  const host = /^(?:\*\*?\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/;
  if ((flags.domain ?? []).some((domain) => !host.test(domain)))
    return atFlag('--domain', problem('invalid_request', 'must be a lowercase host name; *. in front is allowed'));
  if ((flags.registry ?? []).some((registry) => !/^[\w.*:-]{1,255}$/.test(registry)))
    return atFlag('--registry', problem('invalid_request', 'must be a host, host:port or a pattern with *'));
  if ((flags.buildArg ?? []).some((name) => !/^[\w*]{1,128}$/.test(name)))
    return atFlag('--build-arg', problem('invalid_request', 'must be the name of a build arg, or a pattern with *'));
  if (flags.apiUrl !== undefined && !(URL.canParse(flags.apiUrl) && /^https?:$/.test(new URL(flags.apiUrl).protocol)))
    return atFlag('--api-url', problem('invalid_request', 'must be an http or https URL'));
  if (flags.signingToken === true && flags.forge !== 'gitlab')
    return atFlag('--signing-token', problem('invalid_request', 'is for GitLab; GitHub signs by itself'));
  return ok(undefined);
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
