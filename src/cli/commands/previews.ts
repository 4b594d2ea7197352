import { Argument, type Command } from 'commander';
import { Deleted, Preview, PreviewName, PreviewPage, type Source, SourcePreviews } from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { print, type Shown, short, when } from '../output.ts';
import { APPLICATION, andThen, type Cli, type Flags, refuse, type Session, withOutput, withScope } from '../session.ts';
import { say } from './environments.ts';
import { numbersOf } from './git-numbers.ts';
import { sourceId } from './on-source.ts';

const NAME = 'its name, as `previews list` shows it';

/** `previews list|show|delete`: the environments of pull and merge requests. */
export function addPreviews({ program, withApi, terminal, set }: Cli): void {
  const previews = program.command('previews').description('preview environments of pull and merge requests');
  withOutput(withScope(previews.command('list').description('list them with their URLs'))).action((flags: Flags) =>
    withApi(flags, listPreviews),
  );
  withOutput(
    previews.command('show').description('show one, where it is and until when').argument('<preview>', NAME),
  ).action((name: string, flags: Flags) =>
    named(name) ? withApi(flags, (session) => showPreview(session, name)) : set(refuse(terminal, 'PREVIEW', FORM)),
  );
  previews
    .command('delete')
    .description('take one down with its volumes; a new head or `hakopod plan` makes another')
    .argument('<preview>', NAME)
    .requiredOption('--confirm <name>', 'its name, typed again')
    .action((name: string, flags: Flags) =>
      named(name)
        ? withApi(flags, (session) => deletePreview(session, name, flags))
        : set(refuse(terminal, 'PREVIEW', FORM)),
    );
}

const FORM = 'must be preview- and 32 hex digits; `hakopod previews list` shows them';

function named(name: string): boolean {
  return PreviewName.safeParse(name).success;
}

function deletePreview(session: Session, name: string, flags: Flags): Promise<number> {
  const body = { confirmation: String(flags.confirm) };
  return say(
    session,
    session.api.call({ method: 'DELETE', path: path`/previews/${name}`, body, answer: Deleted }),
    `${name} is being removed with its volumes; a new head or \`hakopod plan\` makes another`,
  );
}

/** `sources previews on|off`. */
export function addSourcePreviews(sources: Command, { withApi, terminal, set }: Cli): void {
  withOutput(
    withScope(
      sources
        .command('previews')
        .description('let requests of the repository itself have an application of their own for a while')
        .argument('<source>', APPLICATION)
        .addArgument(new Argument('<state>', 'whether they get one').choices(['on', 'off']))
        .option('--ttl <hours>', 'hours from the last deployed head until it goes, 1 to 72 (default as it was, or 24)')
        .addHelpText('after', '\nExample:\n  hakopod sources previews shop on --ttl 8'),
    ),
  ).action((text: string, state: string, flags: Flags) => {
    const numbers = numbersOf(flags);
    if ('at' in numbers) return set(refuse(terminal, numbers.at, numbers.message));
    const { ttl } = numbers;
    if (state === 'off' && ttl !== undefined) return set(refuse(terminal, '--ttl', 'goes with `on` alone'));
    const body = { enabled: state === 'on', ...(ttl === undefined ? {} : { ttl_hours: ttl }) };
    return withApi(flags, async (session) =>
      andThen(session, await sourceId(session, text), (id) => setPreviews(session, id, body)),
    );
  });
}

async function setPreviews(session: Session, id: string, body: SourcePreviews): Promise<number> {
  const call = { method: 'PUT', path: path`/sources/${id}/previews`, body, answer: SourcePreviews } as const;
  return andThen(session, await session.api.call(call), (value) =>
    print(session, value, () => [`${id.replaceAll('.', '/')}: ${previewsText(value)}`]),
  );
}

/** What `sources show` says of the setting. */
export function previewsText({ enabled, ttl_hours: hours }: Source['previews']): string {
  return enabled
    ? `each request gets a preview environment for ${hours} hours`
    : 'requests get no preview environments';
}

/** The environments a source has now, for `sources show`; one that can not be read now is left out. */
export async function environmentLines(session: Session, source: Source): Promise<readonly string[]> {
  const { project, environment, id, previews } = source;
  if (!previews.enabled) return [];
  const listed = await session.api.all({ path: '/previews', query: { project, environment }, answer: PreviewPage });
  const own = listed.ok ? listed.value.filter((one) => one.source === id) : [];
  return own.map((one) => `  request ${one.number}: ${stateOf(one)}${one.url === undefined ? '' : ` ${one.url}`}`);
}

async function listPreviews(session: Session): Promise<number> {
  const listed = await session.api.all({ path: '/previews', query: session.scope, answer: PreviewPage });
  return andThen(session, listed, (items) =>
    print(session, { items }, () => ({
      header: ['PREVIEW', 'OF', 'REQUEST', 'COMMIT', 'STATE', 'URL', 'UNTIL'],
      rows: items.map((one) => [
        one.name,
        parentOf(one),
        requestOf(one),
        short(one.commit_sha),
        stateOf(one),
        one.url ?? '-',
        when(one.expires_at),
      ]),
    })),
  );
}

async function showPreview(session: Session, name: string): Promise<number> {
  const found = await session.api.call({ method: 'GET', path: path`/previews/${name}`, answer: Preview });
  return andThen(session, found, (value) => print(session, value, describePreview));
}

function describePreview(one: Preview): Shown {
  return [
    `${one.name}: ${stateOf(one)}${one.message === undefined ? '' : `: ${one.message}`}`,
    `of:      ${parentOf(one)}, request ${requestOf(one)}${one.branch === undefined ? '' : ` from ${one.branch}`}`,
    `commit:  ${one.commit_sha ?? '-'}, revision ${one.revision}`,
    ...urlLines(one),
    `until:   ${when(one.expires_at)}, or a new head`,
    `look:    \`hakopod status ${one.project}/${one.environment}/${one.name}\``,
  ];
}

function urlLines({ url, urls = {} }: Pick<Preview, 'url' | 'urls'>): readonly string[] {
  const all = Object.entries(urls);
  if (all.length === 0) return url === undefined ? [] : [`url:     ${url}`];
  return ['urls:', ...all.map(([service, address]) => `  ${service}: ${address}`)];
}

function stateOf({ state, code }: Preview): string {
  return code === undefined ? state : `${state} (${code})`;
}

function parentOf({ project, environment, parent }: Preview): string {
  return `${project}/${environment}/${parent}`;
}

function requestOf({ repository_path: slug, repository, number }: Preview): string {
  return `${slug ?? repository} ${number}`;
}
