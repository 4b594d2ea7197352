import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fail, ok, problem } from '../../kernel/index.ts';
import { Certificate, CertificatePage, Deleted } from '../../ports/api/index.ts';
import type { Answered } from '../client/api.ts';
import { path } from '../client/api.ts';
import { readText } from '../offline/index.ts';
import { print, when } from '../output.ts';
import { APPLICATION, andThen, type Cli, type Flags, type Session, withOutput, withScope } from '../session.ts';
import { say, withPlace } from './environments.ts';

const PEM_BYTES = 80 * 1024;
const STANDARD_INPUT = '-';

/** `certificates`: what an application's services are served with when no issuer makes it. Private keys are never shown. */
export function addCertificates({ program, withApi }: Cli): void {
  const certificates = program
    .command('certificates')
    .description('uploaded TLS certificates of an application; a private key goes in and is never shown');
  const of = (command: Command): Command =>
    withOutput(withScope(command.requiredOption('--app <application>', APPLICATION)));
  of(
    certificates
      .command('add')
      .description('upload a certificate with its chain and private key, PEM, from files or standard input')
      .argument('<service>', 'the service it is for')
      .option('--certificate <file>', 'the certificate, then its chain; - is standard input', STANDARD_INPUT)
      .option('--private-key <file>', 'its private key without a passphrase; - is standard input', STANDARD_INPUT)
      .addHelpText(
        'after',
        `
Examples:
  hakopod certificates add web --app acme/production/shop --certificate fullchain.pem --private-key privkey.pem
  cat fullchain.pem privkey.pem | hakopod certificates add web --app shop`,
      ),
  ).action((service: string, flags: Flags) => withApi(flags, (session) => addCertificate(session, service, flags)));
  of(certificates.command('list').description('list certificates, what they are for and when they end')).action(
    (flags: Flags) => withApi(flags, (session) => listCertificates(session, flags)),
  );
  of(
    certificates
      .command('remove')
      .description('remove a certificate that no revision uses')
      .argument('<name>', 'name of the certificate, as `certificates list` shows it'),
  ).action((name: string, flags: Flags) =>
    withApi(flags, (session) =>
      withPlace(session, flags, (query) =>
        say(
          session,
          session.api.call({ method: 'DELETE', path: path`/certificates/${name}`, query, answer: Deleted }),
          `certificate ${name} removed`,
        ),
      ),
    ),
  );
}

async function addCertificate(session: Session, service: string, flags: Flags): Promise<number> {
  return withPlace(session, flags, async (query) => {
    const pem = await readPem(session, flags);
    return andThen(session, pem, async ({ certificate, key }) => {
      const body = { service, certificate_pem: certificate, private_key_pem: key };
      const added = await session.api.call({ method: 'POST', path: '/certificates', query, body, answer: Certificate });
      return andThen(session, added, (made) =>
        print(session, made, ({ name, hosts, not_after: end }) => [
          `certificate for ${hosts.join(', ')}, until ${end}`,
          `for services.${service} of the file: tls = { certificate = "${name}" }`,
        ]),
      );
    });
  });
}

/** Both from standard input are one text; each is looked for in it. */
async function readPem(
  { terminal }: Session,
  flags: Flags,
): Promise<Answered<{ readonly certificate: string; readonly key: string }>> {
  const [certificatePath, keyPath] = [String(flags.certificate), String(flags.privateKey)];
  const isTyped = [certificatePath, keyPath].includes(STANDARD_INPUT);
  const typed = isTyped ? await terminal.readInput(PEM_BYTES) : '';
  const read = async (file: string, at: string): Promise<Answered<string>> => {
    if (file === STANDARD_INPUT) return ok(typed);
    const text = await readText(resolve(terminal.folder ?? '.', file), PEM_BYTES);
    if (text.ok) return text;
    const { code } = text.problem;
    return fail(
      code === 'spec_too_large' ? problem('invalid_request', 'the file is too large', { at }) : { ...text.problem, at },
    );
  };
  const certificate = await read(certificatePath, '--certificate');
  if (!certificate.ok) return certificate;
  const key = await read(keyPath, '--private-key');
  return key.ok
    ? ok({ certificate: blocks(certificate.value, 'CERTIFICATE'), key: blocks(key.value, 'PRIVATE KEY') })
    : key;
}

/** The blocks of one kind: what else stands in a file, such as the other's, is not sent along. The server refuses an empty text by its field. */
function blocks(text: string, kind: 'CERTIFICATE' | 'PRIVATE KEY'): string {
  const found = text.match(
    new RegExp(`-----BEGIN (?:[A-Z]+ )*${kind}-----[^-]*-----END (?:[A-Z]+ )*${kind}-----`, 'g'),
  );
  return found === null ? 'none' : `${found.join('\n')}\n`;
}

async function listCertificates(session: Session, flags: Flags): Promise<number> {
  return withPlace(session, flags, async (query) => {
    const listed = await session.api.call({ method: 'GET', path: '/certificates', query, answer: CertificatePage });
    return andThen(session, listed, (page) =>
      print(session, page, ({ items }) => ({
        header: ['NAME', 'SERVICE', 'HOSTS', 'UNTIL', 'IN USE'],
        rows: items.map((one) => [
          one.name,
          one.service,
          one.hosts.join(', '),
          when(one.not_after),
          one.in_use ? 'yes' : 'no',
        ]),
      })),
    );
  });
}
