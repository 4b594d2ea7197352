import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { parse, stringify } from 'yaml';
import { fail, ok, problem } from '../../kernel/index.ts';
import { ConfigurationAnswer, OutcomeAnswer, SnapshotAnswer } from '../../ports/api/index.ts';
import { parseWorkloadRef, type WorkloadRef } from '../../ports/cluster-operations/index.ts';
import { type Answered, path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import { print } from '../output.ts';
import { andThen, type Cli, type Flags, refuse, type Session, withOutput } from '../session.ts';
import { exitOf, runAndFollow, timeoutOf } from './run-followed.ts';

/** Any workload of the cluster, also those of others: `workloads` and `workload`. */
export function addWorkloads(cli: Cli): void {
  const { program, withApi } = cli;
  withOutput(
    program
      .command('workloads')
      .description('everything that runs in the cluster; -o json has nodes, pods, services and claims too')
      .option('--in <namespace>', 'of this namespace alone'),
  ).action((flags: Flags) => withApi(flags, (session) => listWorkloads(session, flags)));

  const workload = program.command('workload').description('one workload of the cluster, whoever made it');
  const on = (name: string, description: string): Command =>
    withOutput(
      workload
        .command(name)
        .description(description)
        .argument('<workload>', 'NAMESPACE/KIND/NAME, such as shop/deployment/web'),
    );
  const action =
    (run: (session: Session, target: WorkloadRef, flags: Flags) => Promise<number>) => (text: string, flags: Flags) => {
      const target = parseWorkloadRef(text);
      if (!target.ok)
        return cli.set(refuse(cli.terminal, 'WORKLOAD', 'must be NAMESPACE/KIND/NAME, such as shop/deployment/web'));
      return withApi(flags, (session) => run(session, target.value, flags));
    };
  on('read', 'print what of it can be changed').action(action(readWorkload));
  on('edit', 'change image, command, environment, cpu and memory, replicas or pause, in your editor')
    .option('--stdin', 'take the changed text from standard input instead of an editor')
    .option('--timeout <seconds>', 'how long its rollout may take, at most 900', '600')
    .action(action((session, target, flags) => editWorkload(cli, session, { target, flags })));
  on('restart', 'start its pods anew').action(
    action((session, target) => act(session, { method: 'POST', path: `${pathOf(target)}/restart`, body: {} })),
  );
  on('scale', 'change how many replicas it has')
    .requiredOption('--replicas <number>', '0 to 1000')
    .action(
      action((session, target, flags) =>
        act(session, { method: 'POST', path: `${pathOf(target)}/scale`, body: { replicas: Number(flags.replicas) } }),
      ),
    );
  on('delete', 'delete a workload no application owns, or one pod')
    .requiredOption('--confirm <name>', 'its name, typed again')
    .action(
      action((session, target, flags) =>
        act(session, { method: 'DELETE', path: pathOf(target), body: { confirm_name: String(flags.confirm) } }),
      ),
    );
}

function pathOf({ namespace, kind, name }: WorkloadRef): string {
  return path`/cluster/workloads/${namespace}/${kind}/${name}`;
}

async function listWorkloads(session: Session, flags: Flags): Promise<number> {
  const listed = await session.api.call({ method: 'GET', path: '/cluster/workloads', answer: SnapshotAnswer });
  return andThen(session, listed, (snapshot) => {
    const wanted = flags.in === undefined ? undefined : String(flags.in);
    const workloads = snapshot.workloads.filter(({ namespace }) => wanted === undefined || namespace === wanted);
    if (snapshot.truncated.length > 0)
      session.terminal.err(`not whole, or not readable: ${snapshot.truncated.join(', ')}`);
    if (snapshot.health !== 'healthy') session.terminal.err(`the health of the cluster is ${snapshot.health}`);
    return print(session, snapshot, () => ({
      header: ['NAMESPACE', 'KIND', 'NAME', 'READY', 'IMAGES'],
      rows: workloads.map((one) => [
        String(one.namespace),
        String(one.kind),
        String(one.name),
        `${one.ready}/${one.desired}${one.paused === true ? ' paused' : ''}`,
        Array.isArray(one.images) ? one.images.join(', ') : '',
      ]),
    }));
  });
}

async function readWorkload(session: Session, target: WorkloadRef): Promise<number> {
  const read = await session.api.call({ method: 'GET', path: pathOf(target), answer: ConfigurationAnswer });
  return andThen(session, read, (value) => print(session, value, () => textOf(value).trimEnd().split('\n')));
}

function textOf(configuration: object): string {
  return stringify(configuration, { lineWidth: 0 });
}

type Edit = { readonly target: WorkloadRef; readonly flags: Flags };
const EDIT_BYTES = 320 * 1024;

async function editWorkload({ runtime }: Cli, session: Session, { target, flags }: Edit): Promise<number> {
  const timeout = timeoutOf(session, flags.timeout);
  if (timeout.code !== undefined) return timeout.code;
  const read = await session.api.call({ method: 'GET', path: pathOf(target), answer: ConfigurationAnswer });
  return andThen(session, read, async (before) => {
    const edited = await editedText(session, textOf(before), { edit: runtime.edit, fromInput: flags.stdin === true });
    return andThen(session, edited, async (text) => {
      if (text === undefined) {
        session.terminal.out('nothing is changed');
        return EXIT.ok;
      }
      const configuration = parsed(text);
      if (configuration === undefined)
        return refuse(session.terminal, 'WORKLOAD', 'the text is not YAML of a workload');
      const body = { configuration, timeout_seconds: timeout.seconds, request_id: randomUUID() };
      return runAndFollow(session, { method: 'PUT', path: pathOf(target), body });
    });
  });
}

async function editedText(
  session: Session,
  text: string,
  by: { readonly edit: Cli['runtime']['edit']; readonly fromInput: boolean },
): Promise<Answered<string | undefined>> {
  if (by.fromInput) return ok(await session.terminal.readInput(EDIT_BYTES));
  if (by.edit === undefined) return fail(problem('invalid_request', 'there is no editor here; use --stdin'));
  return by.edit(text);
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

async function act(
  session: Session,
  call: { readonly method: 'POST' | 'DELETE'; readonly path: string; readonly body: object },
): Promise<number> {
  const done = await session.api.call({ ...call, answer: OutcomeAnswer });
  return andThen(session, done, (value) => {
    print(session, value, ({ outcome, detail }) => [`${outcome}${detail === '' ? '' : `: ${detail}`}`]);
    return exitOf(value.outcome, value.detail);
  });
}
