import { randomUUID } from 'node:crypto';
import { canonicalJson, fail, ok, problem } from '../../kernel/index.ts';
import { Application, Deployment, Plan, type PlanRequest } from '../../ports/api/index.ts';
import type { Answered } from '../client/api.ts';
import { path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import { type Loaded, loadSpecs, printProblemsOf } from '../offline/index.ts';
import { print } from '../output.ts';
import { type Cli, type Flags, refuse, type Session, andThen, withOutput, withScope } from '../session.ts';
import { titled } from './plan.ts';
import { heldNote, waitFor } from './wait.ts';

/** `deploy` (facts 8.4, 8.5). */
export function addDeploy({ program, terminal, withApi, set }: Cli): void {
  withOutput(
    withScope(
      program
        .command('deploy')
        .description('release a file, or every application of a folder')
        .argument('[path]', 'hakopod.toml, or a folder (default: the hakopod.toml here)')
        .option('--dir <root>', 'release every folder in it, one after another')
        .option('--only <names>', 'of a folder of applications these alone (a,b)')
        .option('--service <name>', 'release this service only')
        .option('--wait', 'wait until it has ended; exit code 5 when it did not succeed')
        .option('--idempotency-key <key>', 'the key of an earlier try, to find its release again'),
    ),
  ).action(async (file: string | undefined, flags: Flags) => {
    const specs = await loadSpecs(terminal.folder ?? '.', file, flags);
    if (!specs.ok) return set(await andThen({ terminal }, specs, () => EXIT.ok));
    if (printProblemsOf(terminal, specs.value)) return set(EXIT.input);
    const { applications } = specs.value;
    const isTree = flags.dir !== undefined || applications.length !== 1;
    const single = (['service', 'idempotencyKey'] as const).find((name) => isTree && flags[name] !== undefined);
    if (single !== undefined)
      return set(refuse(terminal, `--${single === 'service' ? single : 'idempotency-key'}`, 'is for one application'));
    return withApi(flags, (session) =>
      isTree ? deployTree(session, applications, flags) : deployOne(session, applications[0], flags),
    );
  });
}

type Planned = { readonly loaded: Loaded; readonly request: PlanRequest; readonly plan: Plan };

/** Where a file is to be released; the first thing that is asked, because nothing can be without. */
function requestOf(session: Session, loaded: Loaded, flags: Flags): Answered<PlanRequest> {
  const { project, environment } = session.scope;
  if (project === undefined || environment === undefined)
    return fail(problem('missing_context', 'say where with --project and --environment, or log in to one'));
  const service = typeof flags.service === 'string' ? { service: flags.service } : {};
  return ok({ project, environment, ...loaded.request, ...service });
}

async function plan(session: Session, loaded: Loaded, flags: Flags): Promise<Answered<Planned>> {
  const request = requestOf(session, loaded, flags);
  if (!request.ok) return request;
  const planned = await session.api.call({ method: 'POST', path: '/plan', body: request.value, answer: Plan });
  if (!planned.ok) return planned;
  const missing = planned.value.missing_secrets;
  if (missing.length === 0) return ok({ loaded, request: request.value, plan: planned.value });
  const why = problem('missing_secrets', undefined, { details: { missing_secrets: missing } });
  return { ok: false, problem: why, status: 409 };
}

async function deployOne(session: Session, loaded: Loaded | undefined, flags: Flags): Promise<number> {
  if (loaded === undefined) return EXIT.input;
  const planned = await plan(session, loaded, flags);
  return andThen(session, planned, async (value) => {
    const earlier = await earlierRelease(session, value, flags.idempotencyKey);
    if (!earlier.ok) return andThen(session, earlier, () => EXIT.ok);
    const release = earlier.value === undefined ? await accept(session, value, flags) : ok(earlier.value);
    return andThen(session, release, (deployment) => finish(session, deployment, flags));
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
  const isHere = found.value.id.startsWith(`${request.project}.${request.environment}.`);
  const isSame = canonicalJson(found.value.spec) === canonicalJson(plan.spec);
  if (isHere && isSame) return found;
  return { ok: false, status: 409, problem: problem('conflict', 'the idempotency key made another release') };
}

const TRIES = 3;

/** After an answer that got lost the same key finds out whether there is a release: it is never asked for twice. */
async function accept(session: Session, { plan, request }: Planned, flags: Flags): Promise<Answered<Deployment>> {
  const { project, environment } = request;
  const idempotencyKey = typeof flags.idempotencyKey === 'string' ? flags.idempotencyKey : randomUUID();
  const service = request.service === undefined ? {} : { service: request.service };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await session.api.call({
      method: 'POST',
      path: '/deployments',
      body: { project, environment, spec: plan.spec, ...service, expected_revision: plan.expected_revision },
      idempotencyKey,
      answer: Deployment,
    });
    if (answer.ok || answer.status !== undefined || attempt === TRIES) return answer;
    session.terminal.err(`no answer; asking again with the same key ${idempotencyKey}`);
  }
}

async function finish(session: Session, deployment: Deployment, flags: Flags): Promise<number> {
  if (flags.wait === true) return waitFor(session, deployment);
  return print(session, deployment, () => [
    `${deployment.id} is accepted; \`hakopod releases show ${deployment.id}\` shows how it goes`,
    ...heldNote(deployment),
  ]);
}

/** Facts 8.5: all are planned before any is released; one after another; the first failure ends it, and earlier successes stay. */
async function deployTree(session: Session, applications: readonly Loaded[], flags: Flags): Promise<number> {
  const plans: Planned[] = [];
  for (const loaded of applications) {
    const planned = await plan(session, loaded, flags);
    if (!planned.ok) {
      session.terminal.err(`${loaded.name}:`);
      return andThen(session, planned, () => EXIT.ok);
    }
    plans.push(planned.value);
  }
  for (const planned of plans) {
    const title = titled(planned.request, planned.plan);
    if (await isSettled(session, planned)) {
      session.terminal.out(`${title}: unchanged`);
      continue;
    }
    const release = await accept(session, planned, flags);
    const code = await andThen(session, release, (deployment) => waitFor(session, deployment));
    if (code !== EXIT.ok) return code;
  }
  return EXIT.ok;
}

/** No change, and what was released last is healthy. */
async function isSettled(session: Session, { plan }: Planned): Promise<boolean> {
  if (plan.changes.length > 0 || plan.application_id === '') return false;
  const shown = await session.api.call({
    method: 'GET',
    path: path`/applications/${plan.application_id}`,
    answer: Application,
  });
  return shown.ok && (shown.value.status === 'healthy' || shown.value.status === 'empty');
}
