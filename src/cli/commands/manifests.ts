import { manifestYaml } from '../../patch/index.ts';
import { findApplication, nameHere } from '../application.ts';
import { path } from '../client/api.ts';
import { EXIT, type Terminal } from '../io.ts';
import { loadSpecs, manifestsOf, printProblemsOf } from '../offline/index.ts';
import { APPLICATION, andThen, type Cli, type Flags, refuse, report, type Session, withScope } from '../session.ts';

/** `manifests`: of an application as it was accepted, or of a file with `--file`. */
export function addManifests({ program, terminal, withApi, set }: Cli): void {
  withScope(
    program
      .command('manifests')
      .description('print the Deployment, Service and Ingress of services as YAML, with their Kubernetes patches')
      .argument('[application]', `${APPLICATION} (default: of the hakopod.toml here)`)
      .option('--service <name>', 'one service (default: every long-running one)')
      .option('-f, --file <path>', 'of a file, without a server'),
  )
    .addHelpText('after', NOTES)
    .action(async (name: string | undefined, flags: Flags) => {
      const { file, service } = flags;
      if (typeof file === 'string') {
        if (name !== undefined) return set(refuse(terminal, '--file', 'can not be combined with an application'));
        return set(await printOffline(terminal, file, service));
      }
      return withApi(flags, async (session) => {
        const meant = name ?? (await nameHere(terminal));
        return meant === undefined
          ? refuse(terminal, 'APPLICATION', 'name an application, or a file with --file')
          : printAccepted(session, meant, service);
      });
    });
}

const NOTES = `
Nothing is applied. Secrets are objects of their own and are not printed.
With --file there is no installation to ask: the defaults hold, public hosts are below apps.invalid, images are as
the file names them, and the namespace has an id of zeros.`;

async function printAccepted(session: Session, name: string, service: unknown): Promise<number> {
  const found = await findApplication(session, name);
  return andThen(session, found, async ({ id }) => {
    const query = typeof service === 'string' ? { service } : {};
    const shown = await session.api.text({ path: path`/applications/${id}/manifests`, query });
    return andThen(session, shown, ({ text }) => print(session.terminal, text));
  });
}

async function printOffline(terminal: Terminal, file: string, service: unknown): Promise<number> {
  const specs = await loadSpecs(terminal.folder ?? '.', file, {});
  if (!specs.ok) return report(terminal, specs);
  if (printProblemsOf(terminal, specs.value)) return EXIT.input;
  const texts: string[] = [];
  for (const { application, locate } of specs.value.applications) {
    if (application === undefined) continue;
    const objects = manifestsOf(application, typeof service === 'string' ? service : undefined);
    if (!objects.ok) return report(terminal, { ok: false, problem: locate(objects.problem).problem });
    texts.push(manifestYaml(objects.value));
  }
  return print(terminal, texts.join(''));
}

/** The text as it is: what could steer a terminal is escaped in it already, in a way that YAML reads back. */
function print(terminal: Terminal, text: string): number {
  if (text !== '') terminal.out(text.trimEnd());
  return EXIT.ok;
}
