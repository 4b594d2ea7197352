import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { fail, LIMITS, ok, problem, type Result } from './kernel/index.ts';

const Url = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => new URL(text).username === '' && new URL(text).password === '',
    'must not contain user information',
  );
const Address = z
  .string()
  .regex(/^[^\s]+:\d{1,5}$/)
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, 'no such port');
const Seconds = z.coerce.number().int().min(1).max(86_400);
const List = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((item) => item.trim())
          .filter(Boolean)
      : value,
  z.array(z.string()),
);

const NameServer = z.string().refine((text) => {
  const [, host = text, port = '53'] =
    /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text) ?? /^([\d.]+):(\d{1,5})$/.exec(text) ?? [];
  return isIP(host) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}, 'is not an IP address, with a port after it or without');

/** Every setting, in the words of the configuration file. The environment variable of `publicUrl` is `HAKOPOD_PUBLIC_URL`, and so on. */
export const Config = z.strictObject({
  roles: List.pipe(z.array(z.enum(['server', 'worker'])).min(1))
    .default(['server', 'worker'])
    .describe('what this process does: server, worker or both'),
  listen: Address.default('127.0.0.1:8080').describe('address of the webhook receiver, host:port'),
  adminListen: Address.default('127.0.0.1:9090').describe('address of /metrics, /healthz and /readyz'),
  publicUrl: Url.optional().describe('where forges reach this server; shown in webhook URLs and linked from statuses'),
  appDomain: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?$/)
    .optional()
    .describe('wildcard domain under which public services get host names'),
  publicPort: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe("port of the services' own addresses when not the default"),
  tlsIssuer: z.string().optional().describe('cert-manager ClusterIssuer for public services'),
  dnsServers: List.pipe(z.array(NameServer))
    .default(['1.1.1.1', '8.8.8.8'])
    .describe('name servers asked for the TXT records of custom domains: IP addresses, IP:port or [IPv6]:port'),
  ingressClass: z.string().default('haproxy').describe('ingress class of public services'),
  githubApiUrl: Url.default('https://api.github.com').describe('GitHub API; Enterprise: https://HOST/api/v3'),
  gitlabApiUrl: Url.default('https://gitlab.com/api/v4').describe('GitLab API; self-managed: https://HOST/api/v4'),
  caFile: z
    .string()
    .optional()
    .describe("PEM bundle trusted for Git servers, forges and registries besides the system's"),
  proxyUrl: Url.optional().describe('HTTP proxy for Git servers and forges'),
  redisUrl: z
    .url({ protocol: /^(rediss?|unix)$/ })
    .optional()
    .describe('Redis; without it one is started privately by the demo only'),
  queuePrefix: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .default('hakopod')
    .describe('prefix of all keys in Redis'),
  kubeconfig: z.string().optional().describe("kubeconfig file; without it the pod's own service account"),
  namespace: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    .default('hakopod-system')
    .describe('control namespace, where the custom resources live'),
  gitCacheDir: z.string().optional().describe('folder for Git objects; default: a temporary one'),
  gitCacheBytes: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .default(1024 ** 3)
    .describe('bound of that folder, bytes'),
  shallowLimitBytes: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .default(200 * 1024 ** 2)
    .describe('largest shallow fetch from servers without partial clone, bytes'),
  localRegistries: List.default([]).describe(
    'registries that may have private addresses: host:port, or http://host:port for plain http',
  ),
  localRepositories: z
    .union([z.boolean(), z.stringbool()])
    .default(false)
    .describe('repositories may be marked local: plain http and loopback'),
  rolloutTimeoutSeconds: z.coerce
    .number()
    .int()
    .min(30)
    .max(900)
    .default(180)
    .describe('budget of a service without its own (30 to 900)'),
  policySettleSeconds: z.coerce.number().min(0).max(10).default(2).describe('pause after network policies changed'),
  mentionGraceSeconds: z.coerce
    .number()
    .min(0)
    .max(60)
    .default(5)
    .describe('how long a webhook may be ahead of the Git server'),
  resyncSeconds: Seconds.default(15).describe('how often every job is derived again from the custom resources'),
  pullRequestsCheckSeconds: Seconds.default(600).describe(
    'how often a forge is asked for open pull requests, in case a webhook was lost',
  ),
  applicationsPerEnvironment: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(200)
    .describe('most applications of one environment'),
  environmentsPerProject: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(32)
    .describe('most environments of one project'),
  grantWarningDays: z.coerce
    .number()
    .int()
    .min(1)
    .max(90)
    .default(14)
    .describe('how many days before its end a deploy grant is warned of'),
  auditRecords: z.coerce
    .number()
    .int()
    .min(100)
    .max(50_000)
    .default(5000)
    .describe('how many changes are kept on record; every one is also a line on standard output'),
  auditDays: z.coerce.number().int().min(1).max(3650).default(365).describe('how many days a change is kept on record'),
  driftSeconds: Seconds.default(180).describe('how often an application at rest is compared with the cluster'),
  leaseSeconds: z.coerce
    .number()
    .min(1)
    .max(300)
    .default(15)
    .describe('how long a worker that stopped answering keeps its applications'),
  operationNamespaces: List.pipe(z.array(z.string().regex(/^(\*|[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)$/)))
    .default(['*'])
    .describe(
      'where the operations on the cluster may write and run commands, besides the namespaces of applications; * is every one but the control namespace',
    ),
  drainSeconds: Seconds.default(25).describe('how long a stopping worker lets running jobs finish'),
  hookBodyBytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(25 * 1024 ** 2)
    .default(LIMITS.hookBodyBytes)
    .describe('largest webhook body, bytes'),
  apiBodyBytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(8 * 1024 ** 2)
    .default(512 * 1024)
    .describe('largest body of an API request, bytes'),
  apiInFlight: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe('API requests answered at the same time; more get 503'),
  apiRateBurst: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(60)
    .describe('API requests an address may make at once'),
  apiRatePerSecond: z.coerce
    .number()
    .min(0.01)
    .max(1_000_000)
    .default(3)
    .describe('API requests an address may make a second in the long run; more get 429'),
  apiStreams: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(16)
    .describe('open streams of release events; more get 429'),
  execIdleSeconds: z.coerce
    .number()
    .int()
    .min(1)
    .max(900)
    .default(900)
    .describe('how long a command in a container may go without input'),
  execLifetimeSeconds: z.coerce
    .number()
    .int()
    .min(1)
    .max(28_800)
    .default(28_800)
    .describe('how long a command in a container may last at most'),
  hookFailuresPerMinute: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe('failed authentications per address and minute before 429'),
  buildRegistry: z
    .string()
    .regex(/^[A-Za-z0-9.-]+(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*){0,8}$/)
    .optional()
    .describe(
      'registry, with an optional path, that images built from repositories are pushed to, such as registry.example.com/built; without it, files that build are refused. For plain http list it in HAKOPOD_LOCAL_REGISTRIES too',
    ),
  buildRegistryCredentialsSecret: z
    .string()
    .optional()
    .describe('Secret of the control namespace with `username` and `token`, used for the push alone'),
  buildDir: z
    .string()
    .optional()
    .describe('folder for builds, removed with each build; default: one in the temporary folder'),
  buildDiskBytes: z.coerce
    .number()
    .int()
    .min(16 * 1024 ** 2)
    .default(10 * 1024 ** 3)
    .describe('disk one build may take: context, base image and layers, bytes'),
  buildContextBytes: z.coerce
    .number()
    .int()
    .min(1024)
    .default(256 * 1024 ** 2)
    .describe('largest build context, bytes'),
  buildContextFiles: z.coerce
    .number()
    .int()
    .min(1)
    .default(20_000)
    .describe('most files and folders of a build context'),
  buildTimeoutSeconds: Seconds.max(7200).default(1800).describe('how long one build may take'),
  buildNetwork: z
    .enum(['host', 'none'])
    .default('host')
    .describe(
      "network of build steps: the worker's own (they reach what the worker reaches), or none, which leaves only images FROM scratch",
    ),
  trustedProxies: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('proxies of yours in front of the receiver, so that the right address is counted'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('least severe log lines that are written'),
});
export type Config = z.infer<typeof Config>;

/** `publicUrl` -> `HAKOPOD_PUBLIC_URL`. */
export function variableOf(setting: string): string {
  return `HAKOPOD_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/**
 * Reads the configuration: flags over environment over file (YAML, `--config` or `HAKOPOD_CONFIG`) over defaults. `REDIS_URL` and
 * `KUBECONFIG` are understood as well. Errors name the setting, never its value; unknown settings of the file and unknown
 * `HAKOPOD_` variables are refused, because a misspelt limit that is silently ignored is no limit.
 */
export function loadConfig(
  flags: Readonly<Record<string, unknown>> = {},
  env: NodeJS.ProcessEnv = process.env,
): Result<Config> {
  const file = readFile(typeof flags.config === 'string' ? flags.config : env.HAKOPOD_CONFIG);
  if (!file.ok) return file;
  const settings = Object.keys(Config.shape);
  const known = new Set([...settings.map(variableOf), 'HAKOPOD_CONFIG', ...CLIENT_VARIABLES]);
  const stray = Object.keys(env).find(
    (name) => name.startsWith('HAKOPOD_') && !known.has(name) && !name.startsWith('HAKOPOD_TEST_'),
  );
  if (stray !== undefined) return fail(problem('invalid_config', 'there is no such setting', { at: stray }));
  const fromEnv = Object.fromEntries(
    settings.map((name) => [name, env[variableOf(name)]]).filter(([, value]) => value !== undefined && value !== ''),
  );
  const fromFlags = Object.fromEntries(
    settings.map((name) => [name, flags[name]]).filter(([, value]) => value !== undefined),
  );
  const familiar = {
    ...(env.REDIS_URL ? { redisUrl: env.REDIS_URL } : {}),
    ...(env.KUBECONFIG ? { kubeconfig: env.KUBECONFIG } : {}),
  };
  const parsed = Config.safeParse({ ...file.value, ...familiar, ...fromEnv, ...fromFlags });
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const name = unknownKey ?? String(issue?.path[0] ?? '');
  const text = unknownKey === undefined ? `is not valid; it is ${describeSetting(name)}` : 'is not a setting';
  return fail(problem('invalid_config', text, { at: `${name} (${variableOf(name)})` }));
}

const CLIENT_VARIABLES = ['HAKOPOD_API_URL', 'HAKOPOD_API_KEY', 'HAKOPOD_LOGIN_FILE'];

/** What the environment says to the command line as a client of the API. */
export type ClientEnvironment = {
  readonly apiUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** Where `hakopod login` keeps its key. */
  readonly loginFile: string;
};

/** Reads `HAKOPOD_API_URL`, `HAKOPOD_API_KEY` and `HAKOPOD_LOGIN_FILE` (default: `hakopod/login.json` in the user's configuration folder). */
export function clientEnvironment(env: NodeJS.ProcessEnv = process.env): ClientEnvironment {
  const folder = env.XDG_CONFIG_HOME || join(env.HOME ?? '.', '.config');
  return {
    apiUrl: env.HAKOPOD_API_URL || undefined,
    apiKey: env.HAKOPOD_API_KEY || undefined,
    loginFile: env.HAKOPOD_LOGIN_FILE || join(folder, 'hakopod', 'login.json'),
  };
}

/** The editor somebody likes, as a program and its arguments; never handed to a shell. */
export function editorCommand(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const words = (env.VISUAL || env.EDITOR || 'vi').split(/\s+/).filter((word) => word !== '');
  return words.length === 0 ? ['vi'] : words;
}

/** The environment a child process of ours may see: enough to run, nothing of ours that is secret. */
export function plainEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '', TMPDIR, LANG } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...(LANG === undefined ? {} : { LANG }) };
}

/** Whether colours are wanted: on a terminal, unless `NO_COLOR` says something. */
export function coloursWanted(isTerminal: boolean): boolean {
  return isTerminal && (process.env.NO_COLOR ?? '') === '';
}

function describeSetting(name: string): string {
  const shape: Readonly<Record<string, z.ZodType>> = Config.shape;
  return shape[name]?.description ?? 'unknown';
}

function readFile(path: string | undefined): Result<Record<string, unknown>> {
  if (path === undefined || path === '') return ok({});
  try {
    const value: unknown = parseYaml(readFileSync(path, 'utf8'), { logLevel: 'error' }) ?? {};
    const table = z.record(z.string(), z.unknown()).safeParse(value);
    return table.success
      ? ok(table.data)
      : fail(problem('invalid_config', 'the configuration file must be a YAML mapping', { at: 'config' }));
  } catch (cause) {
    return fail(problem('invalid_config', 'the configuration file can not be read as YAML', { at: 'config', cause }));
  }
}
