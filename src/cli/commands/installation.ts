import { Option } from 'commander';
import { AuditPage, KubernetesPatchesSetting, Settings } from '../../ports/api/index.ts';
import { EXIT } from '../io.ts';
import { print, when } from '../output.ts';
import { andThen, type Cli, type Flags, refuse, type Session, withOutput } from '../session.ts';

/** What belongs to the installation: `settings` and `audit`. */
export function addInstallation({ program, withApi }: Cli): void {
  const settings = program.command('settings').description('what administrators choose for the installation');
  withOutput(settings.command('list').description('list settings')).action((flags: Flags) =>
    withApi(flags, listSettings),
  );
  withOutput(
    settings
      .command('set')
      .description('change one, such as: settings set kubernetes-patches enabled=true')
      .argument('<setting>', 'kubernetes-patches')
      .argument('<value>', 'enabled=true or enabled=false'),
  ).action((section: string, value: string, flags: Flags) =>
    withApi(flags, (session) => setSetting(session, section, value)),
  );

  const audit = program.command('audit').description('who changed what');
  const filtered = (name: string, description: string) =>
    audit
      .command(name)
      .description(description)
      .option('--identity <name>', 'only changes by this identity')
      .option('--action <name>', 'only changes of this kind, such as deployment.accept')
      .option('--project <name>', 'only changes in this project')
      .option('--environment <name>', 'only changes in this environment')
      .option('--application <name>', 'only changes of this application')
      .option('--since <time>', 'from this time on, such as 2026-05-01T00:00:00Z')
      .option('--until <time>', 'before this time');
  withOutput(filtered('list', 'list the newest changes').option('--limit <number>', 'how many, 1 to 100', '25')).action(
    (flags: Flags) => withApi(flags, (session) => listAudit(session, flags)),
  );
  filtered('export', 'print every change as CSV or JSON lines')
    .addOption(new Option('--format <format>', 'how to print them').choices(['csv', 'jsonl']).default('csv'))
    .action((flags: Flags) =>
      withApi({ ...flags, project: undefined, environment: undefined }, (session) => exportAudit(session, flags)),
    );
}

async function listSettings(session: Session): Promise<number> {
  const listed = await session.api.call({ method: 'GET', path: '/settings', answer: Settings });
  return andThen(session, listed, (settings) =>
    print(session, settings, ({ items }) => ({
      header: ['SETTING', 'VALUE', 'REVISION', 'CHANGED', 'BY'],
      rows: items.map(({ section, value, revision, updated_at, updated_by }) => [
        section,
        Object.entries(value)
          .map(([name, set]) => `${name}=${String(set)}`)
          .join(' '),
        String(revision),
        when(updated_at),
        updated_by ?? '',
      ]),
    })),
  );
}

async function setSetting(session: Session, section: string, value: string): Promise<number> {
  if (section !== 'kubernetes-patches') return refuse(session.terminal, 'SETTING', 'must be kubernetes-patches');
  const [, enabled] = /^enabled=(true|false)$/.exec(value) ?? [];
  if (enabled === undefined) return refuse(session.terminal, 'VALUE', 'must be enabled=true or enabled=false');
  const path = '/settings/kubernetes-patches';
  const current = await session.api.call({ method: 'GET', path, answer: KubernetesPatchesSetting });
  return andThen(session, current, async ({ revision }) => {
    const body = { enabled: enabled === 'true', expected_revision: revision };
    const changed = await session.api.call({ method: 'PUT', path, body, answer: KubernetesPatchesSetting });
    return andThen(session, changed, (setting) =>
      print(session, setting, () => [`${section}: enabled=${enabled}, revision ${setting.revision}`]),
    );
  });
}

const FILTERS = ['identity', 'action', 'project', 'environment', 'application', 'since', 'until'] as const;

function filtersOf(flags: Flags): Readonly<Record<string, string>> {
  return Object.fromEntries(FILTERS.flatMap((name) => (typeof flags[name] === 'string' ? [[name, flags[name]]] : [])));
}

async function listAudit(session: Session, flags: Flags): Promise<number> {
  const query = { ...filtersOf(flags), limit: String(flags.limit) };
  const listed = await session.api.call({ method: 'GET', path: '/audit', query, answer: AuditPage });
  return andThen(session, listed, (page) =>
    print(session, page, ({ items }) => ({
      header: ['TIME', 'IDENTITY', 'FROM', 'ACTION', 'ON'],
      rows: items.map(({ time, identity, origin, action, resource }) => [
        when(time),
        identity,
        origin,
        action,
        [resource.kind, resource.project, resource.environment, resource.application, resource.name]
          .filter((part) => part !== undefined)
          .join('/'),
      ]),
    })),
  );
}

/** Page by page; the server heads the first page of a CSV alone. */
async function exportAudit(session: Session, flags: Flags): Promise<number> {
  let cursor: string | undefined;
  do {
    const query = { ...filtersOf(flags), format: String(flags.format), cursor };
    const part = await session.api.text({ path: '/audit/export', query });
    if (!part.ok) return andThen(session, part, () => EXIT.ok);
    const lines = part.value.text.split('\n').filter((line) => line !== '');
    for (const line of lines) session.terminal.out(line.replace(/\r$/, ''));
    cursor = part.value.headers.get('x-hakopod-next-cursor') ?? undefined;
  } while (cursor !== undefined);
  return EXIT.ok;
}
