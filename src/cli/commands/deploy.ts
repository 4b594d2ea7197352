import { canonicalJson, type Json, ok, problem } from '../../kernel/index.ts';
import { Deployment, type PlanRequest } from '../../ports/api/index.ts';
import { type Answered, path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import { type Loaded, loadSpecs, printProblemsOf } from '../offline/index.ts';
import { print } from '../output.ts';
import { andThen, type Cli, type Flags, refuse, type Session, withOutput, withScope, withSpec } from '../session.ts';
import { collect } from './collect.ts';
import { deployTree } from './deploy-tree.ts';
import { accept } from './once.ts';
import { type Planned, planOf } from './planned.ts';
import { heldNote, waitFor } from './wait.ts';

/** `deploy` (facts 8.4, 8.5). */
export function addDeploy({ program, terminal, withApi, set }: Cli): void {
  withOutput(
    withScope(
      withSpec(program.command('deploy').description('release a file, or every application of a folder'))
        .option('--service <name>', 'release this service only')
        .option(
          '--delete-volume <service>',
          'delete the data of a service that loses its own volume with this release (repeatable)',
          collect,
        )
        .option('--wait', 'wait until the release has ended; a folder always waits')
        .option('--idempotency-key <key>', 'of an earlier try, to find its release again')
        .addHelpText(
          'after',
          `
Examples:
  hakopod deploy --wait                      release the hakopod.toml here and show how it goes
  hakopod deploy --service web               change one service, and leave the others as they are
  hakopod deploy --dir apps --only api,site  release two applications of a folder, one after another

Ctrl-C stops waiting; the release goes on. Exit code 5: it did not succeed.`,
        ),
    ),
  ).action(async (file: string | undefined, flags: Flags) => {
    const specs = await loadSpecs(terminal.folder ?? '.', file, flags);
    if (!specs.ok) return set(await andThen({ terminal }, specs, () => EXIT.ok));
    if (printProblemsOf(terminal, specs.value)) return set(EXIT.input);
    const { applications, isTree } = specs.value;
    const single = (['service', 'idempotencyKey'] as const).find((name) => isTree && flags[name] !== undefined);
    if (single !== undefined)
      return set(refuse(terminal, `--${single === 'service' ? single : 'idempotency-key'}`, 'is for one application'));
    return withApi(flags, (session) =>
      isTree ? deployTree(session, applications, flags) : deployOne(session, applications[0], flags),
    );
  });
}

async function deployOne(session: Session, loaded: Loaded | undefined, flags: Flags): Promise<number> {
  if (loaded === undefined) return EXIT.input;
  const planned = await planOf(session, loaded, flags);
  return andThen(session, planned, async (value) => {
    const earlier = await earlierRelease(session, value, flags.idempotencyKey);
    return andThen(session, earlier, async (found) => {
      const release = found === undefined ? await accept(session, value, flags) : ok(found);
      return andThen(session, release, (deployment) => finish(session, deployment, flags));
    });
  });
}

/** Facts 8.4: a key that was given may have made its release already; it must be the one that is asked for now. */
async function earlierRelease(
  session: Session,
  { plan, request }: Planned,
  key: unknown,
): Promise<Answered<Deployment | undefined>> {
  if (typeof key !== 'string') return ok(undefined);
  const found = await session.api.call({ method: 'GET', path: path`/idempotency/${key}`, answer: Deployment });
  if (!found.ok) return found.status === 404 ? ok(undefined) : found;
  const isHere = found.value.id.startsWith(`${request.project}.${request.environment}.${String(plan.spec.name)}.`);
  const isSame = compared(found.value.spec, request) === compared(plan.spec, request);
  if (isHere && isSame) return found;
  return {
    ok: false,
    status: 409,
    problem: problem('conflict', 'the idempotency key made another release'),
    hint: OTHER,
  };
}

const OTHER = 'leave --idempotency-key out to make a new release';

/** All of a specification, or of a release of one service that alone. */
function compared(spec: Readonly<Record<string, unknown>>, { service }: PlanRequest): string {
  const services = spec.services as Readonly<Record<string, unknown>> | undefined;
  return canonicalJson((service === undefined ? spec : (services?.[service] ?? {})) as Json);
}

async function finish(session: Session, deployment: Deployment, flags: Flags): Promise<number> {
  if (flags.wait === true) return waitFor(session, deployment);
  return print(session, deployment, () => [
    `${deployment.id} is ${deployment.status === 'queued' ? 'accepted' : deployment.status}; \`hakopod releases show ${deployment.id}\` shows how it goes`,
    ...heldNote(deployment),
  ]);
}
