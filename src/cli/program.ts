import { Command, Option } from 'commander';
import { LIMITS } from '../kernel/index.ts';
import { specJsonSchema } from '../spec/index.ts';
import type { AddFlags } from './add-flags.ts';
import { type Terminal, unwrap } from './io.ts';
import { type PlanFlags, planFiles, type SpecFlags, validate } from './offline/index.ts';
import { deleteSecret, listSecrets, setSecret } from './secrets.ts';
import { listSources, removeSource, renewSource, showSource, suspendSource, syncSource } from './sources.ts';
import { addSource } from './sources-add.ts';
import { showStatus } from './status.ts';
import type { Runtime, Workbench } from './workbench.ts';

type Flags = Readonly<Record<string, unknown>>;

/**
 * The `hakopod` command. Parses `args` (without the program's name), runs one command and answers its exit code: 0 success, 1 failure,
 * 2 bad input, 3 forbidden, 4 conflict.
 */
export async function runCli(runtime: Runtime, terminal: Terminal, args: readonly string[]): Promise<number> {
  let code = 0;
  const set = (next: number): void => {
    code = next;
  };
  const program = new Command('hakopod')
    .description('A git push becomes running services on Kubernetes.')
    .version(runtime.version)
    .option('--config <file>', 'configuration file (YAML)')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster')
    .option('--namespace <name>', 'control namespace')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });
  const globals = (): Flags => program.opts();
  const withWorkbench = async (run: (workbench: Workbench) => number | Promise<number>): Promise<void> => {
    const opened = await runtime.open(globals());
    set(
      await unwrap(terminal, opened, async (workbench) => {
        try {
          return await run(workbench);
        } finally {
          await workbench.close();
        }
      }),
    );
  };

  addServers(program, { runtime, globals, set });
  addOffline(program, { terminal, set });
  addSources(program, { runtime, terminal, withWorkbench });
  addSecrets(program, { terminal, withWorkbench });
  program
    .command('status')
    .description('show applications, or one with its services and releases')
    .argument('[application]', 'PROJECT/ENVIRONMENT/NAME')
    .option('--json', 'print JSON')
    .action((app: string | undefined, flags: Flags) =>
      withWorkbench((workbench) => showStatus(workbench, terminal, { app, json: flags.json === true })),
    );
  program
    .command('doctor')
    .description('check the configuration, the cluster, Redis and Git, and say what to do')
    .action(async () => {
      const findings = await runtime.doctor(globals());
      for (const { what, ok, detail } of findings) terminal.out(`${ok ? 'ok     ' : 'PROBLEM'}  ${what}: ${detail}`);
      set(findings.every((finding) => finding.ok) ? 0 : 1);
    });

  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    const exit = error instanceof Error && 'exitCode' in error ? error.exitCode : undefined;
    if (exit === undefined) throw error;
    return exit === 0 ? 0 : 2;
  }
  return code;
}

type ServerParts = { readonly runtime: Runtime; readonly globals: () => Flags; readonly set: (code: number) => void };

function addServers(program: Command, { runtime, globals, set }: ServerParts): void {
  program
    .command('serve')
    .description('run the webhook server, the worker, or both')
    .option('--roles <roles>', 'server, worker or server,worker')
    .option('--listen <address>', 'address of the webhook receiver, host:port')
    .option('--admin-listen <address>', 'address of /metrics, /healthz and /readyz')
    .action(async (flags: Flags) => set(await runtime.serve({ ...globals(), ...flags })));
  program
    .command('demo')
    .description('push real commits through everything, on an embedded cluster or on yours')
    .option('--keep', 'leave everything running at the end')
    .action(async (flags: Flags) => set(await runtime.demo({ ...globals(), ...flags })));
}

type OfflineParts = { readonly terminal: Terminal; readonly set: (code: number) => void };

/** Commands that need no configuration and no cluster. */
function addOffline(program: Command, { terminal, set }: OfflineParts): void {
  const specs = (command: Command): Command =>
    command
      .option('--dir <root>', 'read every folder in it as one application')
      .option('--only <names>', 'of a folder of applications these alone, by folder or name (a,b)')
      .addOption(new Option('--output <format>', 'how to print').choices(['text', 'json']).default('text'));
  specs(program.command('validate').description('check a file, or a folder of applications; shows every problem'))
    .argument('[path]', 'hakopod.toml, or a folder (default: the hakopod.toml here)')
    .action(async (path: string | undefined, flags: SpecFlags) => set(await validate(terminal, path, flags)));
  specs(program.command('plan').description('show what releasing a file would change'))
    .argument('[path]', 'hakopod.toml, or a folder (default: the hakopod.toml here)')
    .option('--offline', 'compare files, without a server')
    .option('--against <path>', 'what is released now (default: nothing)')
    .action(async (path: string | undefined, flags: PlanFlags) => set(await planFiles(terminal, path, flags)));
  program
    .command('schema')
    .description('print the JSON Schema of hakopod.toml, for editors')
    .action(() => terminal.out(JSON.stringify(specJsonSchema(), undefined, 2)));
}

type WithWorkbench = (run: (workbench: Workbench) => number | Promise<number>) => Promise<void>;
type SourceParts = { readonly runtime: Runtime; readonly terminal: Terminal; readonly withWorkbench: WithWorkbench };

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

function addSources(program: Command, { runtime, terminal, withWorkbench }: SourceParts): void {
  const sources = program.command('sources').description('bind refs of Git repositories to applications');
  sources
    .command('add')
    .description('bind a ref and path to an application and show the webhook to create')
    .argument('<repository-url>', 'https clone URL')
    .requiredOption('--app <application>', 'PROJECT/ENVIRONMENT/NAME')
    .addOption(new Option('--forge <forge>', 'the forge').choices(['github', 'gitlab']).makeOptionMandatory())
    .requiredOption('--repository-id <number>', "the forge's id of the repository")
    .requiredOption('--slug <path>', 'owner/name or group/path at the forge')
    .option('--branch <branch>', 'branch, or a full ref', 'main')
    .option('--path <path>', 'file in the repository', 'hakopod.toml')
    .option('--interval <seconds>', 'how often to poll (default 60)')
    .option('--token-stdin', 'read an access token from standard input')
    .option('--username <name>', 'user name that goes with the token')
    .option('--api-url <url>', 'API of a self-managed forge')
    .option('--signing-token', 'GitLab 19: sign deliveries instead of sending a token')
    .option('--local', 'allow plain http and loopback (development)')
    .option('--domain <host>', 'custom domain the file may claim (repeatable)', collect)
    .option('--registry <host>', 'registry images may come from (repeatable; default any)', collect)
    .option('--build-arg <name>', 'build arg the file may set (repeatable; default any)', collect)
    .option('--max-services <number>', `at most this many services (up to ${LIMITS.services})`)
    .option('--max-replicas <number>', 'at most this many replicas in all')
    .option('--days <number>', 'days until the grant expires (default 90)')
    .option('--owner <name>', 'who grants this')
    .action((url: string, flags: AddFlags) =>
      withWorkbench((workbench) => addSource({ runtime, workbench, terminal, url, flags })),
    );
  sources
    .command('list')
    .description('list all sources')
    .option('--json', 'print JSON')
    .action((flags: Flags) => withWorkbench((workbench) => listSources(workbench, terminal, flags.json === true)));
  sources
    .command('show')
    .description('show one source, its grant and its last commits')
    .argument('<source>', 'PROJECT/ENVIRONMENT/NAME or NAME')
    .option('--json', 'print JSON')
    .action((name: string, flags: Flags) =>
      withWorkbench((workbench) => showSource(workbench, terminal, { name, json: flags.json === true })),
    );
  const simple = (
    name: string,
    description: string,
    run: (workbench: Workbench, source: string) => Promise<number>,
  ): void => {
    sources
      .command(name)
      .description(description)
      .argument('<source>', 'PROJECT/ENVIRONMENT/NAME or NAME')
      .action((source: string) => withWorkbench((workbench) => run(workbench, source)));
  };
  simple('sync', 'read the ref now and plan it again', (workbench, name) => syncSource(workbench, terminal, name));
  simple('suspend', 'stop following the ref', (workbench, name) =>
    suspendSource(workbench, terminal, { name, suspended: true }),
  );
  simple('resume', 'follow the ref again', (workbench, name) =>
    suspendSource(workbench, terminal, { name, suspended: false }),
  );
  sources
    .command('renew')
    .description('let the grant hold for so many days from now')
    .argument('<source>', 'PROJECT/ENVIRONMENT/NAME or NAME')
    .option('--days <number>', 'days from now', '90')
    .action((name: string, flags: { days: string }) =>
      withWorkbench((workbench) => renewSource(workbench, terminal, { name, days: flags.days })),
    );
  simple('remove', 'revoke the grant and the webhook; the application keeps running', (workbench, name) =>
    removeSource(workbench, terminal, name),
  );
}

function addSecrets(
  program: Command,
  { terminal, withWorkbench }: { readonly terminal: Terminal; readonly withWorkbench: WithWorkbench },
): void {
  const secrets = program
    .command('secrets')
    .description('secrets of an application; values come from standard input and are never shown');
  const app = (command: Command): Command => command.requiredOption('--app <application>', 'PROJECT/ENVIRONMENT/NAME');
  app(secrets.command('set').description('create or replace a secret from standard input').argument('<name>')).action(
    (name: string, flags: { app: string }) =>
      withWorkbench((workbench) => setSecret(workbench, terminal, { app: flags.app, name })),
  );
  app(secrets.command('list').description('list names').option('--json', 'print JSON')).action(
    (flags: { app: string; json?: boolean }) =>
      withWorkbench((workbench) => listSecrets(workbench, terminal, { app: flags.app, json: flags.json === true })),
  );
  app(secrets.command('delete').description('delete a secret').argument('<name>')).action(
    (name: string, flags: { app: string }) =>
      withWorkbench((workbench) => deleteSecret(workbench, terminal, { app: flags.app, name })),
  );
}
