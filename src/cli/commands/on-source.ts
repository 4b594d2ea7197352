import type { Command } from 'commander';
import { applicationName } from '../../kernel/index.ts';
import { applicationKey, findApplication } from '../application.ts';
import type { Answered } from '../client/api.ts';
import { APPLICATION, andThen, type Cli, type Flags, type Session, withOutput, withScope } from '../session.ts';

/** A command about one source, named by its application. */
export function onSource(
  { withApi }: Cli,
  command: Command,
  run: (session: Session, id: string, flags: Flags) => Promise<number>,
): Command {
  return withOutput(withScope(command.argument('<source>', APPLICATION))).action((text: string, flags: Flags) =>
    withApi(flags, async (session) => andThen(session, await sourceId(session, text), (id) => run(session, id, flags))),
  );
}

/** The id of the source a person means. */
export async function sourceId(session: Session, text: string): Promise<Answered<string>> {
  const key = applicationKey(session, text);
  if (key.ok) return { ok: true, value: applicationName(key.value) };
  const found = await findApplication(session, text);
  return found.ok ? { ok: true, value: applicationName(found.value) } : found;
}
