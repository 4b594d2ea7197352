import { Command } from 'commander';
import { specJsonSchema } from '../spec/index.ts';
import { addAccess } from './commands/access.ts';
import { addApplications } from './commands/applications.ts';
import { addCertificates } from './commands/certificates.ts';
import { addChanges } from './commands/changes.ts';
import { addCluster } from './commands/cluster.ts';
import { addCompletion } from './commands/completion.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDeploy } from './commands/deploy.ts';
import { addDomains } from './commands/domains.ts';
import { addEnvironments } from './commands/environments.ts';
import { addGit } from './commands/git.ts';
import { addInit } from './commands/init.ts';
import { addInstallation } from './commands/installation.ts';
import { addLogin } from './commands/login.ts';
import { addManifests } from './commands/manifests.ts';
import { addPlan } from './commands/plan.ts';
import { addPlans } from './commands/plans.ts';
import { addPods } from './commands/pods.ts';
import { addApprove } from './commands/policy.ts';
import { addPreviews } from './commands/previews.ts';
import { addRepositories } from './commands/repositories.ts';
import { addWorkloads } from './commands/workloads.ts';
import { EXIT, type Terminal } from './io.ts';
import { type SpecFlags, validate } from './offline/index.ts';
import type { Runtime } from './runtime.ts';
import { type Cli, type Flags, openSession, report, withOutput, withSpec } from './session.ts';

/**
 * The `hakopod` command. Parses `args` (without the program's name), runs one command and answers its exit code: 0 success, 1 failure,
 * 2 bad input, 3 forbidden, 4 conflict, 5 a release that was waited for did not succeed (facts 8.2).
 */
export async function runCli(runtime: Runtime, terminal: Terminal, args: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command('hakopod')
    .description('A git push becomes running services on Kubernetes.')
    .version(runtime.version)
    .option('--api-url <url>', 'where the API is (default: HAKOPOD_API_URL, or the login)')
    .option('--config <file>', 'configuration of a server or a command on a cluster (YAML)')
    .option('--kubeconfig <file>', 'work on the cluster itself, without a server')
    .option('--namespace <name>', 'control namespace, with --kubeconfig')
    .showSuggestionAfterError()
    .showHelpAfterError('hint: --help shows what it takes')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    });
  const globals = (): Flags => program.opts();
  const cli: Cli = {
    program,
    runtime,
    terminal,
    globals,
    set: (next) => {
      code = next;
    },
    withApi: async (flags, run) => {
      const opened = await openSession({ runtime, terminal, globals: globals() }, flags);
      if (!opened.ok) {
        code = report(terminal, opened);
        return;
      }
      try {
        code = await run(opened.value);
      } finally {
        await opened.value.api.close();
      }
    },
  };
  for (const [heading, adds] of GROUPS) {
    program.commandsGroup(heading);
    for (const add of adds) add(cli);
  }
  withoutHelpCommand(program);

  try {
    await program.parseAsync(asked(args), { from: 'user' });
  } catch (error) {
    const exit = error instanceof Error && 'exitCode' in error ? error.exitCode : undefined;
    if (exit === undefined) throw error;
    return exit === 0 ? EXIT.ok : EXIT.input;
  }
  return code;
}

/** `--help` is enough, and one way less to say it. */
function withoutHelpCommand(command: Command): void {
  command.helpCommand(false);
  for (const one of command.commands) withoutHelpCommand(one);
}

const HELP_WIDTH = 110;

/** In the order of the help: what a newcomer needs first. */
const GROUPS: readonly (readonly [string, readonly ((cli: Cli) => void)[]])[] = [
  ['Log in:', [addLogin]],
  ['Write and release a file:', [addInit, addOffline, addPlan, addDeploy]],
  [
    'Look at applications, and change what runs:',
    [addApplications, addManifests, addChanges, addApprove, addPlans, addPreviews],
  ],
  ['Look into running pods:', [addPods]],
  ['What applications need:', [addGit, addRepositories, addDeliveries, addEnvironments, addDomains, addCertificates]],
  ['Who may do what:', [addAccess, addInstallation]],
  ['Work on the cluster itself:', [addWorkloads, addCluster]],
  ['Run Hakopod:', [addServers, addCompletion]],
];

/** Commands that need no configuration and no cluster. */
function addOffline({ program, terminal, set }: Cli): void {
  withOutput(
    withSpec(program.command('validate').description('check a file, or a folder of applications; shows every problem')),
  ).action(async (path: string | undefined, flags: SpecFlags) => set(await validate(terminal, path, flags)));
  program
    .command('schema')
    .description('print the JSON Schema of hakopod.toml, for editors')
    .action(() => terminal.out(JSON.stringify(specJsonSchema(), undefined, 2)));
}

function addServers({ program, runtime, terminal, globals, set }: Cli): void {
  program
    .command('doctor')
    .description('check the configuration, the cluster, Redis and Git, and say what to do')
    .action(async () => {
      const findings = await runtime.doctor(globals());
      for (const { what, ok, detail } of findings) terminal.out(`${ok ? 'ok     ' : 'PROBLEM'}  ${what}: ${detail}`);
      set(findings.every((finding) => finding.ok) ? EXIT.ok : EXIT.failure);
    });
  program
    .command('serve')
    .description('run the webhook server and API, the worker, or both')
    .option('--roles <roles>', 'server, worker or server,worker')
    .option('--listen <address>', 'address of the webhook receiver and the API, host:port')
    .option('--admin-listen <address>', 'address of /metrics, /healthz and /readyz')
    .action(async (flags: Flags) => set(await runtime.serve({ ...globals(), ...flags })));
  program
    .command('demo')
    .description('push real commits through everything, on an embedded cluster or on yours')
    .option('--keep', 'leave everything running at the end')
    .action(async (flags: Flags) => set(await runtime.demo({ ...globals(), ...flags })));
  program
    .command('version')
    .description('print the version')
    .action(() => terminal.out(runtime.version));
}

/** `help sources add` is `sources add --help`, as in kubectl and git. */
function asked([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return [];
  return first === 'help' ? [...rest, '--help'] : [first, ...rest];
}
