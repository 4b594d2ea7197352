import { type ApplicationKey, displayApplication, fail, NAME, ok, problem } from '../kernel/index.ts';
import { ApplicationPage, type ApplicationSummary } from '../ports/api/index.ts';
import type { Answered } from './client/api.ts';
import type { Terminal } from './io.ts';
import { loadSpecs } from './offline/index.ts';
import type { Session } from './session.ts';

/**
 * An application as a person writes it: PROJECT/ENVIRONMENT/NAME, or NAME where `--project` and `--environment` or the login say the rest.
 */
export function applicationKey(session: Pick<Session, 'scope'>, text: string): Answered<ApplicationKey> {
  const parts = text.split('/');
  const { project = '', environment = '' } = session.scope;
  const [p = '', e = '', name = ''] = parts.length === 1 ? [project, environment, text] : parts;
  const isWhole = [1, 3].includes(parts.length) && [p, e, name].every((part) => NAME.test(part));
  return isWhole
    ? ok({ project: p, environment: e, name })
    : fail(problem('invalid_request', 'give the application as PROJECT/ENVIRONMENT/NAME', { at: 'APPLICATION' }));
}

/** The application a person means, by PROJECT/ENVIRONMENT/NAME, by NAME where only one visible application has it, or by id. */
export async function findApplication(session: Session, text: string): Promise<Answered<ApplicationSummary>> {
  const whole = text.split('/').length === 3 ? applicationKey(session, text) : undefined;
  if (whole?.ok === false) return whole;
  const query =
    whole?.ok === true ? { project: whole.value.project, environment: whole.value.environment } : session.scope;
  const listed = await session.api.all({ path: '/applications', query, answer: ApplicationPage });
  if (!listed.ok) return listed;
  const name = whole?.ok === true ? whole.value.name : text;
  const matches = listed.value.filter((application) => application.name === name || application.id === text);
  const [only] = matches;
  if (only === undefined)
    return fail(problem('not_found', 'there is no such application; `hakopod apps list` shows those you may see'));
  return matches.length === 1
    ? ok(only)
    : fail(problem('invalid_request', 'several applications have this name; give PROJECT/ENVIRONMENT/NAME'));
}

/** Facts 8.4: the application of the file here, if there is one that can be read. */
export async function nameHere({ folder = '.' }: Terminal): Promise<string | undefined> {
  const here = await loadSpecs(folder, undefined, {});
  return here.ok ? here.value.applications[0]?.title : undefined;
}

/** `project/environment/name`. */
export function titleOf(application: ApplicationKey): string {
  return displayApplication(application);
}

/** The environment a command is about; `missing_context` when neither flags nor the login say. */
export function place({
  scope: { project, environment },
}: Pick<Session, 'scope'>): Answered<{ readonly project: string; readonly environment: string }> {
  return project === undefined || environment === undefined
    ? fail(problem('missing_context', 'say where: --project and --environment, or a login with them'))
    : ok({ project, environment });
}

const RELEASE_ID = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[1-9][0-9]{0,9}$/;

/** The id of a release as a person types it. */
export function releaseId(text: string): Answered<string> {
  return RELEASE_ID.test(text)
    ? ok(text)
    : {
        ok: false,
        problem: problem('invalid_request', 'must be PROJECT.ENVIRONMENT.NAME.REVISION', { at: 'RELEASE' }),
        hint: '`hakopod releases list APPLICATION` shows the ids',
      };
}
