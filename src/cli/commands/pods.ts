import type { Command } from 'commander';
import { findApplication } from '../application.ts';
import { path } from '../client/api.ts';
import { runTerminal } from '../client/terminal.ts';
import { EXIT } from '../io.ts';
import { andThen, type Cli, type Flags, refuse, type Session, withScope } from '../session.ts';
import { printer } from './print-bytes.ts';

/** What looks into a service's pods: `logs` and `exec`. */
export function addPods({ program, withApi, set, terminal }: Cli): void {
  const onPod = (command: Command): Command =>
    withScope(command)
      .option('--pod <name>', 'one of the service’s pods (default: the newest that runs)')
      .option('--container <name>', 'default: the only one, or the service’s');
  onPod(
    program
      .command('logs')
      .description('print what a service’s pod writes; at most 10,000 lines or 4 MiB')
      .argument('<application>', 'PROJECT/ENVIRONMENT/NAME or NAME')
      .argument('<service>', 'a service of it')
      .option('-f, --follow', 'go on with what comes, for an hour')
      .option('--previous', 'of the container before its last restart')
      .option('--tail <lines>', 'the last lines only')
      .option('--since <time>', 'from this time on, ISO 8601')
      .option('--timestamps', 'with the time before each line'),
  ).action((application: string, service: string, flags: Flags) => {
    if (flags.tail !== undefined && !/^\d{1,5}$/.test(String(flags.tail)))
      return set(refuse(terminal, '--tail', 'must be a number of lines'));
    return withApi(flags, (session) => showLogs(session, { application, service }, flags));
  });
  onPod(
    program
      .command('exec')
      .description('run a command in a service’s pod, on a terminal: exec APP SERVICE -- sh')
      .argument('<application>', 'PROJECT/ENVIRONMENT/NAME or NAME')
      .argument('<service>', 'a service of it')
      .argument('<command...>', 'the program and its arguments, after --'),
  ).action((application: string, service: string, argv: readonly string[], flags: Flags) =>
    withApi(flags, (session) => runIn(session, { application, service, argv }, flags)),
  );
}

type Named = { readonly application: string; readonly service: string };

async function showLogs(session: Session, named: Named, flags: Flags): Promise<number> {
  const found = await findApplication(session, named.application);
  return andThen(session, found, async ({ id }) => {
    const opened = await session.api.stream({
      path: path`/applications/${id}/services/${named.service}/logs`,
      query: { ...podOf(flags), ...logOptions(flags) },
      signal: new AbortController().signal,
    });
    return andThen(session, opened, async ({ chunks }) => {
      const print = printer(session.terminal);
      try {
        for await (const chunk of chunks) await print.chunk(chunk);
        return EXIT.ok;
      } catch {
        session.terminal.err('the log broke off');
        return EXIT.failure;
      } finally {
        await print.end();
      }
    });
  });
}

function logOptions(flags: Flags) {
  return {
    ...(flags.follow === true ? { follow: true } : {}),
    ...(flags.previous === true ? { previous: true } : {}),
    ...(flags.timestamps === true ? { timestamps: true } : {}),
    ...(flags.tail === undefined ? {} : { tail: String(flags.tail) }),
    ...(flags.since === undefined ? {} : { since: String(flags.since) }),
  };
}

function podOf(flags: Flags) {
  return {
    ...(flags.pod === undefined ? {} : { pod: String(flags.pod) }),
    ...(flags.container === undefined ? {} : { container: String(flags.container) }),
  };
}

async function runIn(
  session: Session,
  { application, service, argv }: Named & { readonly argv: readonly string[] },
  flags: Flags,
): Promise<number> {
  const found = await findApplication(session, application);
  return andThen(session, found, async ({ id }) => {
    const opened = await session.api.socket({
      path: path`/applications/${id}/services/${service}/exec`,
      query: podOf(flags),
    });
    return andThen(session, opened, (socket) => runTerminal(session.terminal, socket, argv));
  });
}
