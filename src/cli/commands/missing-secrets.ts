import { LIMITS, ok, problem } from '../../kernel/index.ts';
import { Secret } from '../../ports/api/index.ts';
import type { Answered } from '../client/api.ts';
import { readHidden } from '../hidden-line.ts';
import type { Session } from '../session.ts';
import type { Planned } from './planned.ts';

/**
 * Facts 8.4: what a plan needs and nobody has set is asked of the person at the terminal, one by one; without a terminal it is named and
 * nothing is released. A value that is typed is not shown and not kept; an empty line lets the server make one, when the person says so.
 */
export async function complete(session: Session, planned: Planned): Promise<Answered<Planned>> {
  const { missing_secrets: missing } = planned.plan;
  if (missing.length === 0) return ok(planned);
  const { screen, isInteractive } = session.terminal;
  if (screen?.isTerminal !== true || isInteractive === false) return refused(planned);
  session.terminal.err(`these secrets do not exist yet: ${missing.join(', ')}`);
  for (const name of missing) {
    const made = await askFor(session, planned, name);
    if (!made.ok) return made;
  }
  return ok({ ...planned, plan: { ...planned.plan, missing_secrets: [] } });
}

async function askFor(session: Session, planned: Planned, name: string): Promise<Answered<unknown>> {
  const { terminal } = session;
  const { project, environment } = planned.request;
  for (;;) {
    terminal.err(`value of ${name} (not shown; an empty line to generate one; Ctrl-C to stop):`);
    const value = await line(session);
    if (value === undefined) return refused(planned);
    if (value === '') {
      terminal.err(`generate a value for ${name}? y or n:`);
      if ((await line(session))?.trim().toLowerCase() !== 'y') continue;
    }
    const made = await session.api.call({
      method: 'POST',
      path: '/secrets',
      query: { project, environment, application: String(planned.plan.spec.name) },
      body: { name, ...(value === '' ? { generate: true } : { value }) },
      answer: Secret,
    });
    // Somebody else was faster: it exists, which is all that is needed.
    if (!made.ok && made.problem.code !== 'secret_exists') return made;
    terminal.err(`secret ${name} created`);
    return made.ok ? made : ok(undefined);
  }
}

async function line({ terminal }: Session): Promise<string | undefined> {
  return terminal.screen === undefined ? undefined : readHidden(terminal.screen, LIMITS.secretValueBytes);
}

function refused({ plan, request }: Planned): Answered<Planned> & { ok: false } {
  const { missing_secrets: missing, spec } = plan;
  const why = problem('missing_secrets', undefined, { details: { missing_secrets: missing } });
  const app = `${request.project}/${request.environment}/${String(spec.name)}`;
  const hint = `\`hakopod secrets set ${missing[0]} --app ${app}\` reads its value from standard input; --generate makes one`;
  return { ok: false, problem: why, status: 409, hint };
}
