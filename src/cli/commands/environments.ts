import { type Command, Option } from 'commander';
import { LIMITS } from '../../kernel/index.ts';
import { Deleted, Project, ProjectPage, Registry, RegistryPage, Secret, SecretPage } from '../../ports/api/index.ts';
import { applicationKey, place } from '../application.ts';
import { type Answered, path, type Query } from '../client/api.ts';
import { print, when } from '../output.ts';
import {
  APPLICATION,
  andThen,
  type Cli,
  type Flags,
  refuse,
  report,
  type Session,
  withOutput,
  withScope,
} from '../session.ts';

/** What lies in projects: `projects`, `secrets`, `registries`. Values and passwords come from standard input and are never shown. */
export function addEnvironments(cli: Cli): void {
  addProjects(cli);
  addSecrets(cli);
  addRegistries(cli);
}

function addProjects({ program, withApi }: Cli): void {
  const projects = program.command('projects').description('projects and their environments');
  withOutput(projects.command('list').description('list projects')).action((flags: Flags) =>
    withApi(flags, async (session) => {
      const listed = await session.api.all({ path: '/projects', answer: ProjectPage });
      return andThen(session, listed, (items) =>
        print(session, { items }, () => ({
          header: ['PROJECT', 'ENVIRONMENTS', 'NAME', 'DESCRIPTION'],
          rows: items.map((p) => [
            p.id,
            p.environments.map(({ name }) => name).join(', '),
            p.display_name,
            p.description,
          ]),
        })),
      );
    }),
  );
  projects
    .command('create')
    .description('make a project with its first environment; an existing one is left as it is')
    .argument('<project>', 'name of the project')
    .argument('<environment>', 'name of the environment')
    .action((name: string, environment: string, flags: Flags) =>
      withApi(flags, (session) =>
        say(
          session,
          session.api.call({ method: 'POST', path: '/projects', body: { name, environment }, answer: Project }),
          `project ${name} has environment ${environment}`,
        ),
      ),
    );
  projects
    .command('add-environment')
    .description('add an environment to a project')
    .argument('<project>', 'name of the project')
    .argument('<environment>', 'name of the environment')
    .action((project: string, name: string, flags: Flags) =>
      withApi(flags, (session) =>
        say(
          session,
          session.api.call({
            method: 'POST',
            path: path`/projects/${project}/environments`,
            body: { name },
            answer: Project,
          }),
          `project ${project} has environment ${name}`,
        ),
      ),
    );
  projects
    .command('delete')
    .description('delete an empty project, or an empty environment of it')
    .argument('<project>', 'name of the project')
    .argument('[environment]', 'name of the environment (default: the whole project)')
    .requiredOption('--confirm <name>', 'the name of what goes, typed again')
    .action((project: string, environment: string | undefined, flags: Flags) =>
      withApi(flags, (session) => {
        const at =
          environment === undefined
            ? path`/projects/${project}`
            : path`/projects/${project}/environments/${environment}`;
        const body = { confirm_name: String(flags.confirm) };
        return say(
          session,
          session.api.call({ method: 'DELETE', path: at, body, answer: Deleted }),
          `${environment ?? project} is deleted`,
        );
      }),
    );
}

function addSecrets({ program, withApi }: Cli): void {
  const secrets = program
    .command('secrets')
    .description('secrets of an application; a value goes in and is never shown');
  const of = (command: Command): Command => withScope(command.requiredOption('--app <application>', APPLICATION));
  of(
    secrets
      .command('set')
      .description('create or replace a secret from standard input, or with a generated value')
      .argument('<name>', 'name of the secret')
      .option('--generate', 'let the server make 32 random bytes')
      .addOption(new Option('--format <format>', 'of a generated value').choices(['base64url', 'hex']))
      .addHelpText(
        'after',
        `
Examples:
  hakopod secrets set database-url --app acme/production/shop < url.txt
  hakopod secrets set session-key --app shop --generate`,
      ),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => setSecret(session, name, flags)));
  withOutput(of(secrets.command('list').description('list names of secrets, and who uses them'))).action(
    (flags: Flags) => withApi(flags, (session) => listSecrets(session, flags)),
  );
  of(secrets.command('delete').description('delete a secret').argument('<name>', 'name of the secret')).action(
    (name: string, flags: Flags) => withApi(flags, (session) => deleteSecret(session, name, flags)),
  );
}

type Place = { readonly project: string; readonly environment: string; readonly application: string };

/** Runs with the application of `--app` as the API's secrets and certificates are asked for. */
export function withPlace(session: Session, flags: Flags, run: (place: Place) => Promise<number>): Promise<number> {
  const key = applicationKey(session, String(flags.app));
  return andThen(session, key, ({ project, environment, name }) => run({ project, environment, application: name }));
}

/** One trailing newline is dropped: `echo` and editors add it, and nobody means it. */
async function setSecret(session: Session, name: string, flags: Flags): Promise<number> {
  return withPlace(session, flags, async (query) => {
    const format = flags.format === undefined ? {} : { format: flags.format };
    const value =
      flags.generate === true
        ? { generate: true, ...format }
        : { value: (await session.terminal.readInput(LIMITS.secretValueBytes + 2)).replace(/\r?\n$/, '') };
    const created = await session.api.call({
      method: 'POST',
      path: '/secrets',
      query,
      body: { name, ...value },
      answer: Secret,
    });
    const isKnown = !created.ok && created.problem.code === 'secret_exists';
    const saved = isKnown
      ? await session.api.call({ method: 'PUT', path: path`/secrets/${name}`, query, body: value, answer: Secret })
      : created;
    const who = saved.ok ? readers(saved.value) : '';
    const done = `secret ${name} ${isKnown ? 'replaced' : 'created'}; releases from now on use it${who}`;
    return say(session, Promise.resolve(saved), done);
  });
}

/** Shows who used it, as far as that can be known; who may delete a secret may list them. */
async function deleteSecret(session: Session, name: string, flags: Flags): Promise<number> {
  return withPlace(session, flags, async (query) => {
    const listed = await session.api.call({ method: 'GET', path: '/secrets', query, answer: SecretPage });
    const known = listed.ok ? listed.value.items.find((secret) => secret.name === name) : undefined;
    const who = known === undefined ? '' : readers(known);
    const deleting = session.api.call({ method: 'DELETE', path: path`/secrets/${name}`, query, answer: Deleted });
    return say(session, deleting, `secret ${name} deleted; the next release that needs it is refused${who}`);
  });
}

/** `; read by web, worker`, or nothing. */
function readers({ used_by: services = [] }: Secret): string {
  return services.length === 0 ? '' : `; read by ${services.join(', ')}`;
}

async function listSecrets(session: Session, flags: Flags): Promise<number> {
  return withPlace(session, flags, async (query) => {
    const listed = await session.api.call({ method: 'GET', path: '/secrets', query, answer: SecretPage });
    return andThen(session, listed, (page) =>
      print(session, page, ({ items }) => ({
        header: ['NAME', 'UPDATED', 'USED BY'],
        rows: items.map((secret) => [secret.name, when(secret.updated_at), (secret.used_by ?? []).join(', ')]),
      })),
    );
  });
}

function addRegistries({ program, withApi }: Cli): void {
  const registries = program.command('registries').description('credentials of image registries, for one environment');
  withOutput(withScope(registries.command('list').description('list credentials'))).action((flags: Flags) =>
    withApi(flags, (session) =>
      andThen(session, place(session), async (query) => {
        const listed = await session.api.call({ method: 'GET', path: '/registries', query, answer: RegistryPage });
        return andThen(session, listed, (page) =>
          print(session, page, ({ items }) => ({
            header: ['NAME', 'SERVER', 'USERNAME', 'UPDATED'],
            rows: items.map((one) => [one.name, one.server, one.username, when(one.updated_at)]),
          })),
        );
      }),
    ),
  );
  withScope(
    registries
      .command('set')
      .description('create or replace credentials; the password comes from standard input')
      .argument('<name>', 'name of the credentials')
      .requiredOption('--server <host>', 'host of the registry, such as ghcr.io')
      .requiredOption('--username <name>', 'user name that goes with the password'),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => setRegistry(session, name, flags)));
  withScope(
    registries.command('delete').description('delete credentials').argument('<name>', 'name of the credentials'),
  ).action((name: string, flags: Flags) =>
    withApi(flags, (session) =>
      say(
        session,
        session.api.call({
          method: 'DELETE',
          path: path`/registries/${name}`,
          query: session.scope,
          answer: Deleted,
        }),
        `credentials ${name} deleted`,
      ),
    ),
  );
}

const PASSWORD_BYTES = 16_384;

async function setRegistry(session: Session, name: string, flags: Flags): Promise<number> {
  return andThen(session, place(session), (query) => saveRegistry(session, name, { query, flags }));
}

async function saveRegistry(
  session: Session,
  name: string,
  { query, flags }: { readonly query: Query; readonly flags: Flags },
): Promise<number> {
  const password = (await session.terminal.readInput(PASSWORD_BYTES)).trim();
  if (password === '') return refuse(session.terminal, 'standard input', 'the password is empty');
  const value = { server: flags.server, username: flags.username, password };
  const created = await session.api.call({
    method: 'POST',
    path: '/registries',
    query,
    body: { name, ...value },
    answer: Registry,
  });
  const isKnown = !created.ok && created.problem.code === 'already_exists';
  const saved = isKnown
    ? session.api.call({ method: 'PUT', path: path`/registries/${name}`, query, body: value, answer: Registry })
    : Promise.resolve(created);
  return say(session, saved, `credentials ${name} ${isKnown ? 'replaced' : 'created'}`);
}

/** Does something and says so in one line, in the format of a program as a whole answer. */
export async function say<T>(session: Session, doing: Promise<Answered<T>>, done: string): Promise<number> {
  const answer = await doing;
  if (!answer.ok) return report(session.terminal, answer);
  return print(session, answer.value, () => [done]);
}
