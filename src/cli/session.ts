import { type Command, Option } from 'commander';
import { fail, NAME, ok, problem, type Result } from '../kernel/index.ts';
import { type Answered, type ApiClient, createClient, type Failure } from './client/api.ts';
import { readLogin } from './client/login-file.ts';
import { apiOrigin, httpTransport, type Transport } from './client/transport.ts';
import { EXIT, exitCode, printProblem, type Terminal } from './io.ts';
import { FORMATS, type Format } from './output.ts';
import type { Runtime } from './runtime.ts';

export type Flags = Readonly<Record<string, unknown>>;

/** What a command that talks to the API works with. */
export type Session = {
  readonly api: ApiClient;
  readonly terminal: Terminal;
  readonly format: Format;
  readonly now: () => Date;
  /** Where commands are about when they do not say: flags over the login. */
  readonly scope: { readonly project?: string; readonly environment?: string };
};

/** What every group of commands gets to add its own. */
export type Cli = {
  readonly program: Command;
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  /** Flags of the program itself. */
  readonly globals: () => Flags;
  readonly set: (code: number) => void;
  /** Opens the API for one command, runs it and takes its exit code. */
  readonly withApi: (flags: Flags, run: (session: Session) => Promise<number>) => Promise<void>;
};

/** Adds `--output` to a command. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how to print the answer').choices(FORMATS).default('table'),
  );
}

/** How arguments are described that several commands take. */
export const APPLICATION = 'PROJECT/ENVIRONMENT/NAME, or NAME alone';
export const RELEASE = 'its id, as `releases list` shows it';

/** Adds what says which files a command reads. */
export function withSpec(command: Command): Command {
  return command
    .argument('[path]', 'a file, or a folder of applications (default: the hakopod.toml here)')
    .option('-f, --file <path>', 'the same, as a flag')
    .option('--dir <root>', 'read every folder in it as one application')
    .option('--only <names>', 'of a folder of applications these alone, by folder or name (a,b)');
}

/** Adds the flags that say which environment a command is about. */
export function withScope(command: Command): Command {
  return command
    .option('--project <name>', 'project (default: of the login)')
    .option('--environment <name>', 'environment (default: of the login)');
}

/**
 * Opens the API: at `--api-url`, HAKOPOD_API_URL or where `hakopod login` went, with its key; else in this process, over the cluster of the
 * kubeconfig. A kubeconfig named on the command line wins over a login.
 */
export async function openSession(
  input: { readonly runtime: Runtime; readonly terminal: Terminal; readonly globals: Flags },
  flags: Flags,
): Promise<Answered<Session>> {
  const transport = await openTransport(input.runtime, input.globals);
  if (!transport.ok) return transport;
  const { way, login } = transport.value;
  const scope = scopeOf(flags, login);
  if (!scope.ok) {
    await way.close();
    return scope;
  }
  const { terminal, runtime } = input;
  return ok({ api: createClient(way), terminal, format: formatOf(flags.output), now: runtime.now, scope: scope.value });
}

/** The format of `--output`; its parser refused any other. */
export function formatOf(output: unknown): Format {
  return FORMATS.find((known) => known === output) ?? 'table';
}

type Where = { readonly project?: string | undefined; readonly environment?: string | undefined };

async function openTransport(
  runtime: Runtime,
  globals: Flags,
): Promise<Answered<{ readonly way: Transport; readonly login: Where }>> {
  const { apiUrl, apiKey, loginFile } = runtime.clientEnvironment();
  const isLocal = typeof globals.kubeconfig === 'string';
  const login = isLocal ? ok(undefined) : await readLogin(loginFile);
  if (!login.ok) return login;
  const flagged = typeof globals.apiUrl === 'string' ? globals.apiUrl : undefined;
  const url = flagged ?? (isLocal ? undefined : (apiUrl ?? login.value?.url));
  if (url === undefined) {
    const way = await runtime.openApi(globals);
    return way.ok ? ok({ way: way.value, login: {} }) : { ...way, hint: isLocal ? undefined : NO_PLACE };
  }
  const origin = apiOrigin(url);
  if (!origin.ok) return origin;
  // A key belongs to the address it was given for and is sent nowhere else.
  const isLogin = login.value?.url === origin.value;
  const key = apiKey ?? (isLogin ? login.value?.key : undefined);
  if (key === undefined) return fail(problem('unauthorized', 'there is no key for this address'));
  const way = httpTransport(origin.value, key);
  return way.ok ? ok({ way: way.value, login: isLogin ? (login.value ?? {}) : {} }) : way;
}

const NO_PLACE = '`hakopod login --api-url URL` goes to a server; --kubeconfig FILE works on a cluster without one';

function scopeOf(flags: Flags, login: Where): Result<Session['scope']> {
  const project = typeof flags.project === 'string' ? flags.project : login.project;
  const isOwn = project === login.project;
  const environment = typeof flags.environment === 'string' ? flags.environment : isOwn ? login.environment : undefined;
  for (const [at, value] of [
    ['--project', project],
    ['--environment', environment],
  ] as const)
    if (value !== undefined && !NAME.test(value))
      return fail(problem('invalid_request', 'must be lowercase letters, digits and hyphens', { at }));
  return ok({ ...(project === undefined ? {} : { project }), ...(environment === undefined ? {} : { environment }) });
}

/** Goes on with a success; prints a failure with the next thing to try, and answers its exit code. */
export async function andThen<T>(
  session: Pick<Session, 'terminal'>,
  answer: Answered<T>,
  next: (value: T) => number | Promise<number>,
): Promise<number> {
  return answer.ok ? next(answer.value) : report(session.terminal, answer);
}

/** Prints why something failed, and a hint where there is one. */
export function report(terminal: Terminal, failure: Failure): number {
  const { problem: why, status } = failure;
  printProblem(terminal, why);
  const missing = why.details?.missing_secrets;
  if (Array.isArray(missing)) terminal.err(`missing: ${missing.join(', ')}`);
  const hint = failure.hint ?? HINTS[why.code];
  if (hint !== undefined) terminal.err(`hint: ${hint}`);
  return codeOfStatus(status) ?? exitCode(why);
}

/** Facts 8.2. */
function codeOfStatus(status: number | undefined): number | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return EXIT.forbidden;
  if (status === 409) return EXIT.conflict;
  return status < 500 && status !== 429 ? EXIT.input : EXIT.failure;
}

const HINTS: Partial<Readonly<Record<string, string>>> = {
  unauthorized: '`hakopod login --api-url URL --key-stdin < key.txt` takes a key that works; so does HAKOPOD_API_KEY',
  permission_denied: '`hakopod me` shows what this key may do',
  conflict: '`hakopod plan` shows the application as it is now; then try again',
  missing_secrets:
    '`hakopod secrets set NAME --app APPLICATION` reads a value from standard input; --generate makes one',
  domain_not_verified: 'name servers show a new record after some minutes; `hakopod domains list` shows what waits',
  certificate_missing: '`hakopod certificates list --app APPLICATION` shows what is uploaded',
  certificate_in_use: 'release a revision that does not name it first',
  kubernetes_patches_disabled: '`hakopod settings set kubernetes-patches enabled=true`, as an administrator',
  has_source: '`hakopod sources remove APPLICATION` takes the Git source away',
  api_unavailable: '`hakopod doctor` looks at what is wrong',
  cluster_unavailable: '`hakopod doctor` looks at what is wrong',
  terminal_operation: '`hakopod releases show ID` shows how it ended',
  missing_context: '`hakopod login --project P --environment E` remembers them',
  not_empty: '`hakopod apps list` shows what is in it',
  queue_full: '`hakopod releases list APPLICATION` shows what waits; `hakopod cancel ID` ends one',
};

/** A refusal of what a person typed. */
export function refuse(terminal: Terminal, at: string, message: string): number {
  return report(terminal, { ok: false, problem: problem('invalid_request', message, { at }) });
}
