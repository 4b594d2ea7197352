import { FactsAnswer, ManifestAnswer } from '../../ports/api/index.ts';
import { EXIT } from '../io.ts';
import { print } from '../output.ts';
import { andThen, type Cli, type Flags, type Session, withOutput } from '../session.ts';
import { addClusterRuns } from './cluster-runs.ts';

/** The cluster as a whole: `cluster facts`, `cluster manifest` and its runs. */
export function addCluster({ program, withApi }: Cli): void {
  const cluster = program.command('cluster').description('the cluster itself');
  withOutput(cluster.command('facts').description('what tells this cluster from others')).action((flags: Flags) =>
    withApi(flags, async (session) => {
      const facts = await session.api.call({ method: 'GET', path: '/cluster/facts', answer: FactsAnswer });
      return andThen(session, facts, (value) =>
        print(session, value, (known) => Object.entries(known).map(([name, fact]) => `${name}: ${fact}`)),
      );
    }),
  );
  cluster
    .command('manifest')
    .description('print the file that lets Hakopod operate a cluster; an administrator of the cluster applies it')
    .requiredOption('--name <name>', 'what people call the cluster')
    .option('--namespaces <names>', 'where may be deployed, operated and exec’d (a,b); they must exist', '')
    .option('--image <image>', 'run this image there, pinned by digest')
    .option('--link-stdin', 'enrol with the link on standard input; it holds a token')
    .action((flags: Flags) => withApi(flags, (session) => printManifest(session, flags)));
  addClusterRuns(cluster, { withApi });
}

const LINK_BYTES = 4096;

async function printManifest(session: Session, flags: Flags): Promise<number> {
  const names = String(flags.namespaces)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const link = flags.linkStdin === true ? (await session.terminal.readInput(LINK_BYTES)).trim() : undefined;
  const body = {
    name: String(flags.name),
    namespaces: [...new Set(names)].sort(),
    ...(flags.image === undefined ? {} : { image: String(flags.image) }),
    ...(link === undefined ? {} : { link }),
  };
  const made = await session.api.call({ method: 'POST', path: '/cluster/manifest', body, answer: ManifestAnswer });
  return andThen(session, made, ({ text, file_name: name }) => {
    session.terminal.out(text.trimEnd());
    session.terminal.err(`# save it as ${name}, read it, then: kubectl apply -f ${name}`);
    return EXIT.ok;
  });
}
