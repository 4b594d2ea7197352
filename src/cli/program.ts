import { Command } from 'commander';
import { specJsonSchema } from '../spec/index.ts';
import { addAccess } from './commands/access.ts';
import { addApplications } from './commands/applications.ts';
import { addChanges } from './commands/changes.ts';
import { addCluster } from './commands/cluster.ts';
import { addCompletion } from './commands/completion.ts';
import { addDeploy } from './commands/deploy.ts';
import { addEnvironments } from './commands/environments.ts';
import { addGit } from './commands/git.ts';
import { addInit } from './commands/init.ts';
import { addInstallation } from './commands/installation.ts';
import { addLogin } from './commands/login.ts';
import { addPlan } from './commands/plan.ts';
import { addPods } from './commands/pods.ts';
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
    .option('--api-url <url>', 'API of the installation (default: of the login, or HAKOPOD_API_URL)')
    .option('--config <file>', 'configuration file (YAML)')
    .option('--kubeconfig <file>', 'work on the cluster of this kubeconfig, without a server')
    .option('--namespace <name>', 'control namespace')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
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
  for (const add of GROUPS) add(cli);

  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    const exit = error instanceof Error && 'exitCode' in error ? error.exitCode : undefined;
    if (exit === undefined) throw error;
    return exit === 0 ? EXIT.ok : EXIT.input;
  }
  return code;
}

/** In the order of the help: what a newcomer needs first. */
const GROUPS: readonly ((cli: Cli) => void)[] = [
  addInit,
  addLogin,
  addOffline,
  addPlan,
  addDeploy,
  addApplications,
  addChanges,
  addPods,
  addGit,
  addEnvironments,
  addAccess,
  addInstallation,
  addWorkloads,
  addCluster,
  addServers,
  addCompletion,
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
