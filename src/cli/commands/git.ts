import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { LIMITS } from '../../kernel/index.ts';
import {
  Grant,
  type Repository,
  type RepositorySaved,
  Source,
  SourcePage,
  SourceRemoved,
  Webhook,
} from '../../ports/api/index.ts';
import { applicationKey } from '../application.ts';
import { path } from '../client/api.ts';
import { print, type Shown, short, when } from '../output.ts';
import { APPLICATION, andThen, type Cli, type Flags, refuse, type Session, withOutput, withScope } from '../session.ts';
import { collect } from './collect.ts';
import { say } from './environments.ts';
import { type Numbers, numbersOf } from './git-numbers.ts';
import { onSource, sourceId } from './on-source.ts';
import { addPolicy, waitLines } from './policy.ts';
import { addSourcePreviews, environmentLines, previewsText } from './previews.ts';
import { hookLines, repositoryFor, repositoryRefusal, withRepositoryFlags } from './repositories.ts';
import { addWebhooks } from './webhooks.ts';

/** Git sources: `sources add|list|show|sync|suspend|resume|drift|grant|remove`. */
export function addGit(cli: Cli): void {
  const { program, withApi } = cli;
  const sources = program.command('sources').description('bind refs of Git repositories to applications');
  addSourceAdd(sources, cli);
  withOutput(withScope(sources.command('list').description('list sources'))).action((flags: Flags) =>
    withApi(flags, listSources),
  );
  const on = (
    parent: Command,
    name: string,
    description: string,
    run: (session: Session, id: string, flags: Flags) => Promise<number>,
  ): Command => onSource(cli, parent.command(name).description(description), run);
  on(sources, 'show', 'show one source, its grant and its last commits', showSource);
  on(sources, 'sync', 'read the ref now and plan it again', (session, id) =>
    act(session, id, 'sync', 'sync requested; a suspended source is read when it is resumed'),
  );
  on(sources, 'suspend', 'stop following the ref', (session, id) =>
    act(session, id, 'suspend', 'suspended; pushes change nothing until it is resumed'),
  );
  on(sources, 'resume', 'follow the ref again, also after a rollback held it', (session, id) =>
    act(session, id, 'resume', 'resumed; the ref is read now'),
  );
  withOutput(
    withScope(
      sources
        .command('drift')
        .description('what happens with what somebody changes by hand in the cluster')
        .argument('<source>', APPLICATION)
        .addArgument(new Argument('<policy>', 'put it right, or only show it').choices(['correct', 'report'])),
    ),
  ).action((text: string, policy: string, flags: Flags) =>
    withApi(flags, async (session) =>
      andThen(session, await sourceId(session, text), (id) => setDrift(session, id, policy)),
    ),
  );
  addPolicy(sources, cli);
  addWebhooks(sources, cli);
  withOutput(
    withScope(
      sources
        .command('deployments')
        .description('show releases as deployments of the forge too, with the URL of the application')
        .argument('<source>', APPLICATION)
        .addArgument(new Argument('<state>', 'whether they are shown').choices(['on', 'off'])),
    ),
  ).action((text: string, state: string, flags: Flags) =>
    withApi(flags, async (session) =>
      andThen(session, await sourceId(session, text), (id) => setDeployments(session, id, state === 'on')),
    ),
  );
  addSourcePreviews(sources, cli);
  on(sources, 'remove', 'revoke the grant and the webhook; the application keeps running', removeSource);

  const grant = sources.command('grant').description('what pushes to a source may do, and until when');
  on(grant, 'show', 'show the grant', showGrant);
  on(grant, 'renew', 'let the grant hold for so many days from now', renewGrant).option(
    '--days <number>',
    'days from now',
    '90',
  );
  withGrantFlags(on(grant, 'set', 'change what the grant allows; what is not named stays', setGrant));
}

function withGrantFlags(command: Command): Command {
  return command
    .option('--domain <host>', 'custom domain the file may claim (repeatable)', collect)
    .option('--registry <host>', 'registry images may come from (repeatable; default any)', collect)
    .option('--build-arg <name>', 'build arg the file may set (repeatable; default any)', collect)
    .option('--max-services <number>', `at most this many services (up to ${LIMITS.services})`)
    .option('--max-replicas <number>', 'at most this many replicas in all')
    .option('--days <number>', 'days until the grant expires (default 90)');
}

function addSourceAdd(sources: Command, { withApi, runtime, terminal, set }: Cli): void {
  withScope(
    withGrantFlags(
      withRepositoryFlags(sources.command('add'))
        .description('bind a ref and path to an application and show the webhook to create')
        .argument('<repository>', 'https clone URL, or the name or path of a repository of `repos list`')
        .requiredOption('--app <application>', APPLICATION)
        .option('--branch <branch>', 'branch, or a full ref', 'main')
        .option('--path <path>', 'file in the repository', 'hakopod.toml')
        .addOption(
          new Option('--drift <policy>', 'what happens with changes by hand (default correct)').choices([
            'correct',
            'report',
          ]),
        )
        .option('--previews [hours]', 'requests get a preview environment for so many hours (default 24)')
        .addHelpText(
          'after',
          `
Example:
  hakopod sources add https://github.com/acme/shop.git --app acme/production/shop --forge github \\
    --repository-id 123456789 --slug acme/shop --token-stdin < token.txt
  hakopod sources add acme/shop --app acme/production/site --path site/hakopod.toml

The id of a repository: gh api repos/acme/shop --jq .id, or the number of a GitLab project.`,
        ),
    ),
  ).action((repository: string, flags: Flags) => {
    const refused = repositoryRefusal(runtime, repository, flags);
    if (refused !== undefined) return set(refuse(terminal, refused.at, refused.message));
    const numbers = numbersOf(flags);
    if ('at' in numbers) return set(refuse(terminal, numbers.at, numbers.message));
    return withApi(flags, (session) => addSource(session, repository, { flags, numbers }));
  });
}

function grantChoice(flags: Flags, { days, limits }: Numbers): Readonly<Record<string, unknown>> {
  return {
    ...(flags.domain === undefined ? {} : { domains: flags.domain }),
    ...(flags.registry === undefined ? {} : { registries: flags.registry }),
    ...(flags.buildArg === undefined ? {} : { build_args: flags.buildArg }),
    ...(limits === undefined ? {} : { limits }),
    ...(days === undefined ? {} : { days }),
  };
}

/** `--previews`, with its hours or without. */
function previewsChoice({ previews }: Flags, { previews: hours }: Numbers): Readonly<Record<string, unknown>> {
  return previews === undefined
    ? {}
    : { previews: { enabled: true, ...(hours === undefined ? {} : { ttl_hours: hours }) } };
}

async function addSource(
  session: Session,
  text: string,
  { flags, numbers }: { readonly flags: Flags; readonly numbers: Numbers },
): Promise<number> {
  const key = applicationKey(session, String(flags.app));
  return andThen(session, key, async ({ project, environment, name }) => {
    const place = { project, environment };
    const saved = await repositoryFor(session, text, { flags, numbers, place });
    if (saved === undefined) return refuse(session.terminal, 'standard input', 'is empty');
    return andThen(session, saved, async (repository) => {
      const { branch, path: file } = flags;
      const source = await session.api.call({
        method: 'POST',
        path: '/sources',
        body: {
          project,
          environment,
          application: name,
          repository: repository.name,
          ref: branch,
          path: file,
          ...(flags.drift === undefined ? {} : { drift: flags.drift }),
          ...previewsChoice(flags, numbers),
          ...grantChoice(flags, numbers),
        },
        answer: Source,
      });
      // The secret is shown this once: also when the second step failed and is tried again.
      if (!source.ok) for (const line of hookLines(repository)) session.terminal.err(line);
      return andThen(session, source, async ({ ref }) => {
        const shown = hookLines(await withTagEvents(session, repository, ref));
        session.terminal.out(
          `source ${project}/${environment}/${name}: ${repository.repository} ${ref} ${String(file)}`,
        );
        for (const line of shown) session.terminal.out(line);
        return 0;
      });
    });
  });
}

/** What the first source of tags wants sent besides; the repository was saved before it was there. */
async function withTagEvents<Saved extends RepositorySaved | Repository>(
  session: Session,
  repository: Saved,
  ref: string,
): Promise<Saved> {
  if (!('webhook' in repository) || !ref.startsWith('refs/tags/')) return repository;
  const read = await session.api.call({
    method: 'GET',
    path: path`/repositories/${repository.name}/webhook`,
    answer: Webhook,
  });
  return read.ok ? { ...repository, webhook: { ...repository.webhook, events: read.value.events } } : repository;
}

async function listSources(session: Session): Promise<number> {
  const listed = await session.api.all({ path: '/sources', query: session.scope, answer: SourcePage });
  return andThen(session, listed, (items) =>
    print(session, { items }, () => ({
      header: ['APPLICATION', 'REPOSITORY', 'REF', 'PATH', 'SEEN', 'STATE', 'GRANT UNTIL'],
      rows: items.map((source) => [
        `${source.project}/${source.environment}/${source.application}`,
        source.repository_path ?? source.repository,
        source.ref,
        source.path,
        short(source.last_commit),
        source.state,
        `${when(source.grant.expires_at)}${source.grant.expires_soon ? ' (soon)' : ''}`,
      ]),
    })),
  );
}

async function showSource(session: Session, id: string): Promise<number> {
  const source = await session.api.call({ method: 'GET', path: path`/sources/${id}`, answer: Source });
  return andThen(session, source, async (value) => {
    const environments = session.format === 'table' ? await environmentLines(session, value) : [];
    return print(session, value, () => describeSource(value, environments));
  });
}

function describeSource(source: Source, environments: readonly string[]): Shown {
  const { last_plan: plan } = source;
  return [
    `application:  ${source.project}/${source.environment}/${source.application}`,
    `repository:   ${source.repository_path ?? source.repository} (${source.repository})`,
    `ref and path: ${source.ref} ${source.path}`,
    ...grantLines(source.grant),
    `drift:        ${source.drift}`,
    `deployments:  ${source.deployments ? 'on' : 'off'}`,
    `previews:     ${previewsText(source.previews)}`,
    ...environments,
    `state:        ${source.state}${source.message === undefined ? '' : `: ${source.message}`}`,
    `seen:         ${source.last_commit ?? '-'}`,
    `planned:      ${plan === undefined ? '-' : `${plan.commit_sha} ${plan.outcome} ${plan.code ?? ''} ${plan.message ?? ''}`.trimEnd()}`,
    ...waitLines(source),
    `released:     ${source.last_deployment ?? '-'}`,
    'statuses:',
    ...source.reports.map(
      (report) =>
        `  ${short(report.commit_sha)} ${report.outcome}: ${report.description}${report.posted ? '' : ' (not posted yet)'}`,
    ),
  ];
}

function grantLines(grant: Grant): readonly string[] {
  const until = `${when(grant.expires_at)}${grant.expired ? ' (expired)' : grant.expires_soon ? ' (soon: `hakopod sources grant renew`)' : ''}`;
  return [
    `grant:        revision ${grant.revision}, by ${grant.owner}, until ${until}`,
    `  may deploy: ${grant.permissions.join(', ')} from ${grant.refs.join(', ')}`,
    `  registries: ${grant.registries.join(', ') || 'none'}; domains: ${grant.domains.join(', ') || 'none'}; build args: ${grant.build_args.join(', ') || 'none'}`,
  ];
}

function act(session: Session, id: string, action: string, done: string): Promise<number> {
  return say(
    session,
    session.api.call({ method: 'POST', path: `${path`/sources/${id}`}/${action}`, answer: Source }),
    `${id.replaceAll('.', '/')}: ${done}`,
  );
}

function setDeployments(session: Session, id: string, enabled: boolean): Promise<number> {
  return say(
    session,
    session.api.call({ method: 'POST', path: path`/sources/${id}/deployments`, body: { enabled }, answer: Source }),
    `${id.replaceAll('.', '/')}: releases are ${enabled ? 'shown as deployments of the forge too' : 'no deployments of the forge'}`,
  );
}

function setDrift(session: Session, id: string, policy: string): Promise<number> {
  return say(
    session,
    session.api.call({ method: 'POST', path: path`/sources/${id}/drift`, body: { policy }, answer: Source }),
    `${id.replaceAll('.', '/')}: what is changed by hand is ${policy === 'report' ? 'only shown' : 'put right'}`,
  );
}

async function removeSource(session: Session, id: string): Promise<number> {
  const removed = await session.api.call({ method: 'DELETE', path: path`/sources/${id}`, answer: SourceRemoved });
  return andThen(session, removed, (value) =>
    print(session, value, () => [
      `removed ${id.replaceAll('.', '/')}: the grant is revoked${value.webhook_revoked ? ' and the webhook no longer answers' : ''}; the application keeps running`,
    ]),
  );
}

async function showGrant(session: Session, id: string): Promise<number> {
  const grant = await session.api.call({ method: 'GET', path: path`/sources/${id}/grant`, answer: Grant });
  return andThen(session, grant, (value) => print(session, value, grantLines));
}

function renewGrant(session: Session, id: string, flags: Flags): Promise<number> {
  const numbers = numbersOf(flags);
  if ('at' in numbers) return Promise.resolve(refuse(session.terminal, numbers.at, numbers.message));
  const renewed = session.api.call({
    method: 'POST',
    path: path`/sources/${id}/grant/renew`,
    body: { days: numbers.days },
    answer: Grant,
  });
  return renewed.then((grant) =>
    andThen(session, grant, (value) =>
      print(session, value, () => [`the grant holds until ${when(value.expires_at)}`]),
    ),
  );
}

async function setGrant(session: Session, id: string, flags: Flags): Promise<number> {
  const numbers = numbersOf(flags);
  if ('at' in numbers) return refuse(session.terminal, numbers.at, numbers.message);
  const current = await session.api.call({ method: 'GET', path: path`/sources/${id}/grant`, answer: Grant });
  return andThen(session, current, async ({ revision }) => {
    const body = { ...grantChoice(flags, numbers), expected_revision: revision };
    const changed = await session.api.call({ method: 'PUT', path: path`/sources/${id}/grant`, body, answer: Grant });
    return andThen(session, changed, (value) => print(session, value, grantLines));
  });
}
