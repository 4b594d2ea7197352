import {
  Application,
  ApplicationPage,
  type ApplicationSummary,
  Deleted,
  Deployment,
  DeploymentSummaryPage,
} from '../../ports/api/index.ts';
import { findApplication, nameHere, releaseId, titleOf } from '../application.ts';
import { path } from '../client/api.ts';
import { print, type Shown, short, when } from '../output.ts';
import {
  APPLICATION,
  andThen,
  type Cli,
  type Flags,
  RELEASE,
  report,
  type Session,
  withOutput,
  withScope,
} from '../session.ts';
import { collect } from './collect.ts';

/** `apps`, `status` and `releases`. */
export function addApplications({ program, terminal, withApi, set }: Cli): void {
  const apps = program.command('apps').description('applications');
  withOutput(withScope(apps.command('list').description('list applications'))).action((flags: Flags) =>
    withApi(flags, listApplications),
  );
  withOutput(
    withScope(
      apps
        .command('show')
        .description('show one application with its services and releases')
        .argument('<application>', APPLICATION),
    ),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => showApplication(session, name)));
  withScope(
    apps
      .command('delete')
      .description('take an application down; its volumes stay, but for those named')
      .argument('<application>', APPLICATION)
      .requiredOption('--confirm <name>', 'its name, typed again')
      .option('--delete-volume <name>', 'a volume whose data goes too (repeatable)', collect),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => deleteApplication(session, name, flags)));

  withOutput(
    withScope(
      program
        .command('status')
        .description('show one application with its services and releases, or all')
        .argument('[application]', `${APPLICATION} (default: of the hakopod.toml here)`),
    ),
  ).action((name: string | undefined, flags: Flags) =>
    withApi(flags, async (session) => {
      const meant = name ?? (await nameHere(terminal));
      return meant === undefined ? listApplications(session) : showApplication(session, meant);
    }),
  );

  const releases = program.command('releases').description('releases of an application');
  withOutput(
    withScope(
      releases.command('list').description('list releases, newest first').argument('<application>', APPLICATION),
    ),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => listReleases(session, name)));
  withOutput(
    releases.command('show').description('show one release with its steps').argument('<release>', RELEASE),
  ).action((id: string, flags: Flags) => {
    const at = releaseId(id);
    return at.ok ? withApi(flags, (session) => showRelease(session, at.value)) : set(report(terminal, at));
  });
}

async function listApplications(session: Session): Promise<number> {
  const listed = await session.api.all({ path: '/applications', query: session.scope, answer: ApplicationPage });
  return andThen(session, listed, (items) => print(session, { items }, () => applicationTable(items)));
}

function applicationTable(items: readonly ApplicationSummary[]): Shown {
  return {
    header: ['APPLICATION', 'REVISION', 'STATE', 'SERVICES', 'SOURCE'],
    rows: items.map((application) => [
      titleOf(application),
      String(application.revision),
      application.status,
      application.observed.services.map(({ name, status }) => `${name} ${status}`).join(', '),
      application.preview === undefined
        ? application.source === undefined
          ? 'api'
          : 'git'
        : `preview of ${application.preview.parent}, request ${application.preview.number}`,
    ]),
  };
}

async function showApplication(session: Session, name: string): Promise<number> {
  const found = await findApplication(session, name);
  return andThen(session, found, async ({ id }) => {
    const application = await session.api.call({ method: 'GET', path: path`/applications/${id}`, answer: Application });
    return andThen(session, application, (value) => print(session, value, describeApplication));
  });
}

function describeApplication(application: Application): Shown {
  const { observed, deployments } = application;
  const services = observed.services.map((service) => {
    const ready = service.desired === undefined ? '-' : `${service.ready ?? 0}/${service.desired}`;
    return `  ${service.name}: ${service.status}, ready ${ready}${part(', ', service.url)}${part(': ', service.message)}`;
  });
  const releases = deployments.map(
    (release) =>
      `  ${release.revision}: ${release.status}, ${release.origin}${part(' ', release.commit_sha && short(release.commit_sha))} by ${release.identity_id}, ${when(release.finished_at ?? release.created_at)}${part(': ', release.error)}`,
  );
  return [
    `${titleOf(application)}: ${application.status}, revision ${application.revision}, runs ${observed.revision}, namespace hp-${application.id}`,
    ...previewLines(application),
    'services:',
    ...(services.length === 0 ? ['  none'] : services),
    ...driftLines(observed),
    'releases:',
    ...(releases.length === 0 ? ['  none'] : releases),
  ];
}

function previewLines({ preview }: Application): readonly string[] {
  if (preview === undefined) return [];
  const { parent, number, expires_at: until } = preview;
  return [`preview of ${parent}, request ${number}, until ${when(until)}`];
}

/** What somebody changed by hand, and what became of it. */
function driftLines({ drift }: Application['observed']): readonly string[] {
  if (drift === undefined) return [];
  const more = drift.count - drift.objects.length;
  return [
    `changed by hand, ${drift.corrected ? 'put right' : 'not put right'} (${when(drift.at)}):`,
    ...drift.objects.map(({ object, fields }) => `  ${object}: ${fields.join(', ')}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function part(lead: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `${lead}${text}`;
}

async function deleteApplication(session: Session, name: string, flags: Flags): Promise<number> {
  const found = await findApplication(session, name);
  return andThen(session, found, async (application) => {
    const { deleteVolume: volumes } = flags;
    const body = {
      confirm_name: String(flags.confirm),
      expected_revision: application.revision,
      ...(Array.isArray(volumes) ? { delete_volumes: volumes } : {}),
    };
    const removed = await session.api.call({
      method: 'DELETE',
      path: path`/applications/${application.id}`,
      body,
      answer: Deleted,
    });
    return andThen(session, removed, () => {
      session.terminal.out(
        `${titleOf(application)} is being removed; ${Array.isArray(volumes) ? `the data of ${volumes.join(', ')} is deleted; other ` : ''}volumes, if it had any, stay in hp-${application.id}`,
      );
      return 0;
    });
  });
}

async function listReleases(session: Session, name: string): Promise<number> {
  const found = await findApplication(session, name);
  return andThen(session, found, async ({ id }) => {
    const listed = await session.api.all({
      path: path`/applications/${id}/deployments`,
      answer: DeploymentSummaryPage,
    });
    return andThen(session, listed, (items) =>
      print(session, { items }, () => ({
        header: ['ID', 'REVISION', 'STATE', 'ORIGIN', 'COMMIT', 'BY', 'FINISHED', 'MESSAGE'],
        rows: items.map((release) => [
          release.id,
          String(release.revision),
          release.cancel_requested ? `${release.status}, cancelling` : release.status,
          release.origin,
          short(release.commit_sha),
          release.identity_id,
          when(release.finished_at),
          release.error ?? '',
        ]),
      })),
    );
  });
}

async function showRelease(session: Session, id: string): Promise<number> {
  const release = await session.api.call({ method: 'GET', path: path`/deployments/${id}`, answer: Deployment });
  return andThen(session, release, (value) => print(session, value, describeRelease));
}

function recoveryNote({
  recovery_state: state,
  recovery_revision: revision,
  recovery_error: error,
}: Deployment): string[] {
  if (state === '') return [];
  const back = revision === undefined ? '' : ` of revision ${revision}`;
  return [`recovery${back}: ${state}${part(': ', error)}`];
}

/** A release for people: how it stands, then what happened. */
export function describeRelease(release: Deployment): Shown {
  return [
    `${release.id}: ${release.status}${release.cancel_requested ? ', cancelling' : ''}${part(': ', release.error)}`,
    `asked for by ${release.identity_id} (${release.origin})${part(' at ', release.commit_sha)}`,
    ...(release.held_source === undefined
      ? []
      : [`holds the Git source ${release.held_source} until a new commit or \`hakopod sources resume\``]),
    ...recoveryNote(release),
    ...release.events.map(({ time, type, message }) => `  ${when(time)} ${type}: ${message}`),
  ];
}
