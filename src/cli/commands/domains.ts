import { Domain, DomainPage } from '../../ports/api/index.ts';
import { findApplication } from '../application.ts';
import { path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import { print, when } from '../output.ts';
import { andThen, type Cli, type Flags, report, type Session, withOutput, withScope } from '../session.ts';

const APP = 'PROJECT/ENVIRONMENT/NAME, NAME alone, or its id';

/** `domains`: custom domains of an application, and their verification. */
export function addDomains({ program, withApi }: Cli): void {
  const domains = program.command('domains').description('custom domains of an application, and their verification');
  withOutput(
    withScope(
      domains
        .command('list')
        .description('list custom domains, and the TXT record that verifies each pending one')
        .argument('<application>', APP),
    ),
  ).action((application: string, flags: Flags) => withApi(flags, (session) => listDomains(session, application)));
  withOutput(
    withScope(
      domains
        .command('verify')
        .description('look for the TXT record now; a verified domain leads to its service at once')
        .argument('<application>', APP)
        .argument('<host>', 'the custom domain'),
    ),
  ).action((application: string, host: string, flags: Flags) =>
    withApi(flags, (session) => verifyDomain(session, application, host)),
  );
}

async function listDomains(session: Session, text: string): Promise<number> {
  return andThen(session, await findApplication(session, text), async ({ id }) => {
    const listed = await session.api.call({
      method: 'GET',
      path: path`/applications/${id}/domains`,
      answer: DomainPage,
    });
    return andThen(session, listed, (page) => {
      const code = print(session, page, ({ items }) => ({
        header: ['HOST', 'SERVICE', 'STATUS', 'CHECKED', 'CODE'],
        rows: items.map((one) => [
          one.host,
          one.service ?? '',
          one.status,
          one.checked_at === undefined ? '' : when(one.checked_at),
          one.code ?? '',
        ]),
      }));
      for (const one of page.items) if (one.status === 'pending') tellRecord(session, one);
      return code;
    });
  });
}

async function verifyDomain(session: Session, text: string, host: string): Promise<number> {
  return andThen(session, await findApplication(session, text), async ({ id }) => {
    const call = {
      method: 'POST',
      path: path`/applications/${id}/domains/${host}/verify`,
      body: {},
      answer: Domain,
    } as const;
    const verified = await session.api.call(call);
    if (verified.ok) return print(session, verified.value, () => [`${host} is verified and leads to its service`]);
    const code = report(session.terminal, verified);
    if (verified.problem.code === 'domain_not_verified') await remind(session, id, host);
    return code;
  });
}

/** Which record is missing, where it can be told. */
async function remind(session: Session, id: string, host: string): Promise<void> {
  const listed = await session.api.call({ method: 'GET', path: path`/applications/${id}/domains`, answer: DomainPage });
  const pending = listed.ok ? listed.value.items.find((one) => one.host === host) : undefined;
  if (pending !== undefined) tellRecord(session, pending);
}

function tellRecord({ terminal }: Session, { host, challenge }: Domain): number {
  terminal.err(`${host} waits for a ${challenge.type} record ${challenge.name} with the text ${challenge.value}`);
  return EXIT.ok;
}
