import type { Command } from 'commander';
import { ok, problem } from '../../kernel/index.ts';
import { Cancelled, Deployment } from '../../ports/api/index.ts';
import { findApplication, releaseId } from '../application.ts';
import { type Answered, path } from '../client/api.ts';
import { print } from '../output.ts';
import {
  APPLICATION,
  andThen,
  type Cli,
  type Flags,
  RELEASE,
  refuse,
  report,
  type Session,
  withOutput,
  withScope,
} from '../session.ts';
import { askOnce } from './once.ts';
import { heldNote, waitFor } from './wait.ts';

/** What makes or ends a release without a file: `rollback`, `restart`, `scale`, `stop`, `start`, `resume`, `cancel` (facts 6.5). */
export function addChanges({ program, terminal, withApi, set }: Cli): void {
  const change = (name: string, description: string): Command =>
    withOutput(
      withScope(
        program
          .command(name)
          .description(description)
          .argument('<application>', APPLICATION)
          .option('--wait', 'wait until the release has ended; exit code 5 when it did not succeed')
          .option('--idempotency-key <key>', 'of an earlier try, to find its release again'),
      ),
    );
  change('rollback', 'run an earlier revision again, with the images it ran')
    .requiredOption('--revision <number>', 'one that succeeded')
    .action((name: string, flags: Flags) => {
      const revision = Number(flags.revision);
      if (!Number.isInteger(revision) || revision < 1)
        return set(refuse(terminal, '--revision', 'must be a whole number from 1'));
      return withApi(flags, (session) => release(session, name, { what: 'rollback', body: { revision }, flags }));
    });
  const onService = (name: string, action: string, description: string): Command =>
    change(name, description)
      .argument('<service>', 'a service of it')
      .action((application: string, service: string, flags: Flags) => {
        const replicas = Number(flags.replicas);
        if (action === 'scale' && !(Number.isInteger(replicas) && replicas >= 0))
          return set(refuse(terminal, '--replicas', 'must be a whole number'));
        const body = action === 'scale' ? { replicas } : {};
        return withApi(flags, (session) => release(session, application, { what: action, service, body, flags }));
      });
  onService('restart', 'restart', 'start the pods of a service anew');
  onService('scale', 'scale', 'change how many replicas a service has').requiredOption(
    '--replicas <number>',
    '1 to 20',
  );
  onService('stop', 'stop', 'let a service have no pods, until it is started');
  onService('start', 'resume', 'let a stopped service run again');
  withOutput(
    program
      .command('resume')
      .description('let the latest release go on after it failed, for what is not done')
      .argument('<release>', RELEASE)
      .option('--wait', 'wait until the release has ended; exit code 5 when it did not succeed')
      .option('--idempotency-key <key>', 'of an earlier try, to find what it did'),
  ).action((id: string, flags: Flags) => {
    const at = releaseId(id);
    return at.ok ? withApi(flags, (session) => resume(session, at.value, flags)) : set(report(terminal, at));
  });
  withOutput(
    program
      .command('cancel')
      .description('end a release that waits or runs; what was applied stays')
      .argument('<release>', RELEASE),
  ).action((id: string, flags: Flags) => {
    const at = releaseId(id);
    return at.ok ? withApi(flags, (session) => cancel(session, at.value)) : set(report(terminal, at));
  });
}

type Change = {
  readonly what: string;
  readonly service?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly flags: Flags;
};

async function release(session: Session, name: string, { what, service, body, flags }: Change): Promise<number> {
  const found = await findApplication(session, name);
  return andThen(session, found, async ({ id, revision }) => {
    const earlier = await earlierRelease(session, id, flags.idempotencyKey);
    if (!earlier.ok) return report(session.terminal, earlier);
    if (earlier.value !== undefined) return finish(session, earlier.value, flags);
    const of = service === undefined ? path`/applications/${id}` : path`/applications/${id}/services/${service}`;
    const made = await askOnce(session, {
      path: `${of}/${what}`,
      body: { ...body, expected_revision: revision },
      key: typeof flags.idempotencyKey === 'string' ? flags.idempotencyKey : undefined,
    });
    return andThen(session, made, (deployment) => finish(session, deployment, flags));
  });
}

/** What an earlier try with this key has made; a repeat would expect the revision that it took, and be another request. */
async function earlierRelease(session: Session, id: string, key: unknown): Promise<Answered<Deployment | undefined>> {
  if (typeof key !== 'string') return ok(undefined);
  const found = await session.api.call({ method: 'GET', path: path`/idempotency/${key}`, answer: Deployment });
  if (!found.ok) return found.status === 404 ? ok(undefined) : found;
  return found.value.application_id === id
    ? found
    : { ok: false, status: 409, problem: problem('conflict', 'the idempotency key made another release') };
}

function finish(session: Session, deployment: Deployment, flags: Flags): number | Promise<number> {
  return flags.wait === true
    ? waitFor(session, deployment)
    : print(session, deployment, () => [`${deployment.id} is accepted`, ...heldNote(deployment)]);
}

async function resume(session: Session, id: string, flags: Flags): Promise<number> {
  const resumed = await askOnce(session, {
    path: path`/deployments/${id}/resume`,
    body: { expected_revision: Number(id.slice(id.lastIndexOf('.') + 1)) },
    key: typeof flags.idempotencyKey === 'string' ? flags.idempotencyKey : undefined,
  });
  return andThen(session, resumed, (deployment) =>
    flags.wait === true ? waitFor(session, deployment) : print(session, deployment, () => [`${deployment.id} goes on`]),
  );
}

async function cancel(session: Session, id: string): Promise<number> {
  const asked = await session.api.call({ method: 'POST', path: path`/deployments/${id}/cancel`, answer: Cancelled });
  return andThen(session, asked, (value) => print(session, value, () => [`${id} is being cancelled`]));
}
