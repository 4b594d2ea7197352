import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { applicationName, LIMITS } from '../../kernel/index.ts';
import { Grant, RepositorySaved, Source, SourcePage, SourceRemoved } from '../../ports/api/index.ts';
import { applicationKey, findApplication } from '../application.ts';
import { type Answered, path } from '../client/api.ts';
import { print, type Shown, short, when } from '../output.ts';
import { APPLICATION, andThen, type Cli, type Flags, refuse, type Session, withOutput, withScope } from '../session.ts';
import { collect } from './collect.ts';
import { say } from './environments.ts';

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
  ): Command =>
    withOutput(withScope(parent.command(name).description(description).argument('<source>', APPLICATION))).action(
      (text: string, flags: Flags) =>
        withApi(flags, async (session) =>
          andThen(session, await sourceId(session, text), (id) => run(session, id, flags)),
        ),
    );
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
      sources
        .command('add')
        .description('bind a ref and path to an application and show the webhook to create')
        .argument('<repository-url>', 'https clone URL')
        .requiredOption('--app <application>', APPLICATION)
        .addOption(new Option('--forge <forge>', 'the forge').choices(['github', 'gitlab']).makeOptionMandatory())
        .requiredOption('--repository-id <number>', "the forge's id of the repository")
        .requiredOption('--slug <path>', 'owner/name or group/path at the forge')
        .option('--branch <branch>', 'branch, or a full ref', 'main')
        .option('--path <path>', 'file in the repository', 'hakopod.toml')
        .option('--interval <seconds>', 'how often to poll (default 60)')
        .option('--token-stdin', 'read an access token from standard input')
        .option('--username <name>', 'user name that goes with the token')
        .option('--forge-api-url <url>', 'API of a self-managed forge')
        .addOption(
          new Option('--drift <policy>', 'what happens with changes by hand (default correct)').choices([
            'correct',
            'report',
          ]),
        )
        .option('--signing-token', 'GitLab 19: sign deliveries instead of sending a token')
        .option('--local', 'allow plain http and loopback (development)')
        .addHelpText(
          'after',
          `
Example:
  hakopod sources add https://github.com/acme/shop.git --app acme/production/shop --forge github \\
    --repository-id 123456789 --slug acme/shop --token-stdin < token.txt

The id of a repository: gh api repos/acme/shop --jq .id, or the number of a GitLab project.`,
        ),
    ),
  ).action((url: string, flags: Flags) => {
    const usable = runtime.checkUrl(url, flags.local === true);
    if (!usable.ok) return set(refuse(terminal, 'REPOSITORY_URL', usable.problem.message));
    const numbers = numbersOf(flags);
    if ('at' in numbers) return set(refuse(terminal, numbers.at, numbers.message));
    return withApi(flags, (session) => addSource(session, url, { flags, numbers }));
  });
}

type Numbers = {
  readonly interval?: number;
  readonly days?: number;
  readonly limits?: { readonly services?: number; readonly replicas?: number };
};

/** The flags that are whole numbers; what is none is told before anything is sent. */
function numbersOf(flags: Flags): Numbers | { readonly at: string; readonly message: string } {
  const bounds = [
    ['interval', '--interval', 5, 86_400],
    ['days', '--days', 1, 3650],
    ['maxServices', '--max-services', 0, LIMITS.services],
    ['maxReplicas', '--max-replicas', 0, 100_000],
  ] as const;
  const read = new Map<string, number>();
  for (const [name, at, least, most] of bounds) {
    const text = flags[name];
    if (text === undefined) continue;
    const value = Number(text);
    if (!/^\d+$/.test(String(text)) || value < least || value > most)
      return { at, message: `must be a whole number from ${least} to ${most}` };
    read.set(name, value);
  }
  const optional = (key: string, name: string): Readonly<Record<string, number>> => {
    const value = read.get(name);
    return value === undefined ? {} : { [key]: value };
  };
  const limits = { ...optional('services', 'maxServices'), ...optional('replicas', 'maxReplicas') };
  return {
    ...optional('interval', 'interval'),
    ...optional('days', 'days'),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
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

const TOKEN_BYTES = 16_384;

async function addSource(
  session: Session,
  url: string,
  { flags, numbers }: { readonly flags: Flags; readonly numbers: Numbers },
): Promise<number> {
  const key = applicationKey(session, String(flags.app));
  return andThen(session, key, async ({ project, environment, name }) => {
    const token = flags.tokenStdin === true ? (await session.terminal.readInput(TOKEN_BYTES)).trim() : undefined;
    if (token === '') return refuse(session.terminal, 'standard input', 'the token is empty');
    const saved = await session.api.call({
      method: 'POST',
      path: '/repositories',
      body: {
        provider: flags.forge,
        url,
        repository_id: flags.repositoryId,
        repository: flags.slug,
        project,
        environment,
        ...(token === undefined ? {} : { token }),
        ...(flags.username === undefined ? {} : { username: flags.username }),
        ...(flags.forgeApiUrl === undefined ? {} : { api_url: flags.forgeApiUrl }),
        ...(flags.signingToken === true ? { signing_token: true } : {}),
        ...(flags.local === true ? { local: true } : {}),
        ...(numbers.interval === undefined ? {} : { interval_seconds: numbers.interval }),
      },
      answer: RepositorySaved,
    });
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
          ...grantChoice(flags, numbers),
        },
        answer: Source,
      });
      // The secret is shown this once: also when the second step failed and is tried again.
      const shown = hookLines(repository);
      if (!source.ok) for (const line of shown) session.terminal.err(line);
      return andThen(session, source, ({ ref }) => {
        session.terminal.out(
          `source ${project}/${environment}/${name}: ${repository.repository} ${ref} ${String(file)}`,
        );
        for (const line of shown) session.terminal.out(line);
        return 0;
      });
    });
  });
}

function hookLines({ webhook, webhook_secret: secret, provider }: RepositorySaved): readonly string[] {
  return [
    `webhook URL: ${webhook.url ?? `https://<public URL of this installation>${webhook.path}`}`,
    secret === undefined
      ? 'webhook secret: unchanged; this repository has its hook already'
      : `webhook secret (shown once): ${secret}`,
    provider === 'gitlab'
      ? 'events: push, tag push, merge request'
      : 'events: push, pull request; content type application/json',
  ];
}

/** The id of the source a person means. */
async function sourceId(session: Session, text: string): Promise<Answered<string>> {
  const key = applicationKey(session, text);
  if (key.ok) return { ok: true, value: applicationName(key.value) };
  const found = await findApplication(session, text);
  return found.ok ? { ok: true, value: applicationName(found.value) } : found;
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
  return andThen(session, source, (value) => print(session, value, describeSource));
}

function describeSource(source: Source): Shown {
  const { last_plan: plan } = source;
  return [
    `application:  ${source.project}/${source.environment}/${source.application}`,
    `repository:   ${source.repository_path ?? source.repository} (${source.repository})`,
    `ref and path: ${source.ref} ${source.path}`,
    ...grantLines(source.grant),
    `drift:        ${source.drift}`,
    `state:        ${source.state}${source.message === undefined ? '' : `: ${source.message}`}`,
    `seen:         ${source.last_commit ?? '-'}`,
    `planned:      ${plan === undefined ? '-' : `${plan.commit_sha} ${plan.outcome} ${plan.code ?? ''} ${plan.message ?? ''}`.trimEnd()}`,
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
