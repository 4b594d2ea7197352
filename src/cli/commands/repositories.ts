import type { Command } from 'commander';
import { Option } from 'commander';
import { fail, problem } from '../../kernel/index.ts';
import { Deleted, Repository, RepositoryPage, RepositorySaved } from '../../ports/api/index.ts';
import { type Answered, path } from '../client/api.ts';
import { print } from '../output.ts';
import type { Runtime } from '../runtime.ts';
import { andThen, type Cli, type Flags, refuse, type Session, withOutput, withScope } from '../session.ts';
import { say } from './environments.ts';
import { type Numbers, numbersOf } from './git-numbers.ts';

const NAME = 'its name as `repos list` shows it, or owner/name or group/path';

/** Git repositories with their token and webhook: `repos add|list|show|remove`. Several sources share one. */
export function addRepositories(cli: Cli): void {
  const { program, withApi, runtime, terminal, set } = cli;
  const repos = program.command('repos').description('Git repositories, their tokens and webhooks');
  withScope(
    withRepositoryFlags(repos.command('add'))
      .description('add a repository and show its webhook; a known one gets the new token')
      .argument('<repository-url>', 'https clone URL')
      .addHelpText(
        'after',
        `
Example:
  hakopod repos add https://github.com/acme/shop.git --forge github --repository-id 123456789 --slug acme/shop \\
    --token-stdin < token.txt
  hakopod repos add https://gitlab.com/acme/shop.git --forge gitlab --repository-id 42 --slug acme/shop \\
    --oauth-application 1f2e3d --oauth-stdin < grant.txt

grant.txt has the refresh token on its first line and, unless the application is public, the application's secret on
the second. The grant needs the scope api. The refresh token is used up at once; Hakopod keeps those that follow.
Tokens of GitLab projects and groups, and of OAuth at GitHub (they do not end), are given like access tokens.`,
      ),
  ).action((url: string, flags: Flags) => {
    const refused = repositoryRefusal(runtime, url, flags);
    if (refused !== undefined) return set(refuse(terminal, refused.at, refused.message));
    const numbers = numbersOf(flags);
    if ('at' in numbers) return set(refuse(terminal, numbers.at, numbers.message));
    return withApi(flags, (session) => addRepository(session, url, { flags, numbers }));
  });
  withOutput(repos.command('list').description('list repositories and how their webhooks stand')).action(
    (flags: Flags) => withApi(flags, listRepositories),
  );
  const on = (name: string, description: string, run: (session: Session, name: string) => Promise<number>): void =>
    void withOutput(repos.command(name).description(description).argument('<repository>', NAME)).action(
      (text: string, flags: Flags) =>
        withApi(flags, async (session) =>
          andThen(session, await findRepository(session, text), (found) => run(session, found.name)),
        ),
    );
  on('show', 'show one repository', showRepository);
  on('remove', 'remove a repository that no source uses, with its token and webhook', (session, name) =>
    say(
      session,
      session.api.call({ method: 'DELETE', path: path`/repositories/${name}`, answer: Deleted }),
      `repository ${name} removed, with its token and webhook`,
    ),
  );
}

/** The flags that say what a repository is and how it is read. */
export function withRepositoryFlags(command: Command): Command {
  return command
    .addOption(new Option('--forge <forge>', 'the forge').choices(['github', 'gitlab']))
    .option('--repository-id <number>', "the forge's id of the repository")
    .option('--slug <path>', 'owner/name or group/path at the forge')
    .option('--interval <seconds>', 'how often to poll (default 60)')
    .option('--token-stdin', 'read an access token from standard input')
    .option('--github-app <id>', 'a GitHub App instead of a token, with --installation and --private-key-stdin')
    .option('--installation <number>', 'of the App, where the repository is')
    .option('--private-key-stdin', "read the App's private key from standard input")
    .option('--oauth-application <id>', 'an OAuth grant of GitLab instead of a token, with --oauth-stdin')
    .option('--oauth-stdin', "read a refresh token and, on a second line, the application's secret from standard input")
    .option('--username <name>', 'user name that goes with the token')
    .option('--forge-api-url <url>', 'API of a self-managed forge that is not at its usual place')
    .option('--signing-token', 'GitLab 19: sign deliveries instead of sending a token')
    .option('--local', 'allow plain http and loopback (development)');
}

/** What is wrong with a repository as it was named, before anything is sent. A name without a colon is one that is known. */
export function repositoryRefusal(
  runtime: Pick<Runtime, 'checkUrl'>,
  text: string,
  flags: Flags,
): { readonly at: string; readonly message: string } | undefined {
  if (isKnown(text)) return undefined;
  const usable = runtime.checkUrl(text, flags.local === true);
  if (!usable.ok) return { at: 'REPOSITORY_URL', message: usable.problem.message };
  const app = (['github-app', 'installation', 'private-key-stdin'] as const).map((name) => [
    name,
    flags[camelCase(name)] !== undefined,
  ]);
  const lacking = app.find(([, isGiven]) => isGiven === false);
  if (lacking !== undefined && app.some(([, isGiven]) => isGiven === true))
    return { at: `--${lacking[0]}`, message: 'goes with the other flags of a GitHub App' };
  if ((flags.oauthApplication !== undefined) !== (flags.oauthStdin === true))
    return { at: '--oauth-application', message: 'goes with --oauth-stdin' };
  const read = [flags.privateKeyStdin, flags.oauthStdin, flags.tokenStdin].filter((isRead) => isRead === true);
  if (read.length > 1) return { at: '--token-stdin', message: 'a GitHub App and an OAuth grant go without a token' };
  const missing = (['forge', 'repository-id', 'slug'] as const).find((name) => flags[camelCase(name)] === undefined);
  return missing === undefined ? undefined : { at: `--${missing}`, message: 'is needed with a clone URL' };
}

function isKnown(text: string): boolean {
  return !text.includes(':');
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

type Place = { readonly project?: string | undefined; readonly environment?: string | undefined };
type Input = { readonly flags: Flags; readonly numbers: Numbers; readonly place: Place };

/** The repository a person means: a known one by its name or path, any other is added. `undefined`: standard input is empty. */
export async function repositoryFor(
  session: Session,
  text: string,
  input: Input,
): Promise<Answered<RepositorySaved | Repository> | undefined> {
  return isKnown(text) ? findRepository(session, text) : saveRepository(session, text, input);
}

async function saveRepository(
  session: Session,
  url: string,
  { flags, numbers, place }: Input,
): Promise<Answered<RepositorySaved> | undefined> {
  const isRead = flags.privateKeyStdin === true || flags.oauthStdin === true || flags.tokenStdin === true;
  const typed = isRead ? (await session.terminal.readInput(TOKEN_BYTES)).trim() : undefined;
  if (typed === '') return undefined;
  return session.api.call({
    method: 'POST',
    path: '/repositories',
    body: {
      ...{ provider: flags.forge, url, repository_id: flags.repositoryId, repository: flags.slug },
      ...place,
      ...(typed === undefined ? {} : credentialsOf(flags, typed)),
      ...(flags.username === undefined ? {} : { username: flags.username }),
      ...(flags.forgeApiUrl === undefined ? {} : { api_url: flags.forgeApiUrl }),
      ...(flags.signingToken === true ? { signing_token: true } : {}),
      ...(flags.local === true ? { local: true } : {}),
      ...(numbers.interval === undefined ? {} : { interval_seconds: numbers.interval }),
    },
    answer: RepositorySaved,
  });
}

const TOKEN_BYTES = 16_384;

/** What was read from standard input, as the API takes it. */
function credentialsOf(flags: Flags, typed: string): Readonly<Record<string, unknown>> {
  if (flags.privateKeyStdin === true)
    return { app: { app_id: flags.githubApp, installation_id: flags.installation, private_key: typed } };
  if (flags.oauthStdin !== true) return { token: typed };
  // A third line fails the API's check of what a secret is made of.
  const [token, ...lines] = typed.split('\n').map((line) => line.trim());
  const secret = lines.length === 0 ? {} : { application_secret: lines.join('\n') };
  return { oauth: { application_id: flags.oauthApplication, refresh_token: token, ...secret } };
}

/** The repository of this name or path. */
export async function findRepository(session: Session, text: string): Promise<Answered<Repository>> {
  if (!text.includes('/'))
    return session.api.call({ method: 'GET', path: path`/repositories/${text}`, answer: Repository });
  const listed = await session.api.all({ path: '/repositories', query: {}, answer: RepositoryPage });
  if (!listed.ok) return listed;
  const [found, ...others] = listed.value.filter(({ repository }) => repository === text);
  if (found !== undefined && others.length === 0) return { ok: true, value: found };
  const why =
    found === undefined ? 'there is no such repository that you may bind' : 'it is at both forges; take its name';
  return fail(problem(found === undefined ? 'not_found' : 'invalid_request', why, { at: 'REPOSITORY' }));
}

async function addRepository(
  session: Session,
  url: string,
  { flags, numbers }: { readonly flags: Flags; readonly numbers: Numbers },
): Promise<number> {
  const { project, environment } = session.scope;
  const saved = await saveRepository(session, url, { flags, numbers, place: { project, environment } });
  if (saved === undefined) return refuse(session.terminal, 'standard input', 'is empty');
  return andThen(session, saved, (repository) => {
    session.terminal.out(`repository ${repository.name}: ${repository.repository}`);
    for (const line of hookLines(repository)) session.terminal.out(line);
    return 0;
  });
}

/** What to enter at the forge; nothing for a repository that was known before and not changed. */
export function hookLines(repository: RepositorySaved | Repository): readonly string[] {
  if (!('webhook' in repository)) return [];
  const { webhook, webhook_secret: secret, provider } = repository;
  return [
    `webhook URL: ${webhook.url ?? `https://<public URL of this installation>${webhook.path}`}`,
    secret === undefined
      ? 'webhook secret: unchanged; this repository has its hook already'
      : `webhook secret (shown once): ${secret}`,
    `events: ${webhook.events.join(', ')}${provider === 'gitlab' ? '' : '; content type application/json'}`,
  ];
}

async function listRepositories(session: Session): Promise<number> {
  const listed = await session.api.all({ path: '/repositories', query: {}, answer: RepositoryPage });
  return andThen(session, listed, (items) =>
    print(session, { items }, () => ({
      header: ['NAME', 'REPOSITORY', 'FORGE', 'PROJECT', 'ENVIRONMENT', 'TOKEN', 'WEBHOOK', 'POLL'],
      rows: items.map((one) => [
        one.name,
        one.repository,
        one.provider,
        one.project ?? '-',
        one.environment ?? '-',
        one.token_configured ? 'yes' : 'no',
        one.webhook_health,
        `${one.poll_seconds} s`,
      ]),
    })),
  );
}

async function showRepository(session: Session, name: string): Promise<number> {
  const found = await session.api.call({ method: 'GET', path: path`/repositories/${name}`, answer: Repository });
  return andThen(session, found, (one) =>
    print(session, one, () => [
      `repository:  ${one.name}`,
      `at:          ${one.provider} ${one.repository} (${one.repository_id})`,
      `clone URL:   ${one.url}`,
      `belongs to:  ${one.project === undefined ? 'administrators' : `${one.project}/${one.environment}`}`,
      `token:       ${one.token_configured ? 'saved' : 'none'}`,
      `webhook:     ${one.webhook_health}; polled each ${one.poll_seconds} s (${one.interval_seconds} s without a word of its webhook)`,
    ]),
  );
}
