import { INSTALLATION_WIDE, NAMED_ONLY, type Permission, parseKey } from '../../access/index.ts';
import { CreatedKey, Me, RevokedKey } from '../../ports/api/index.ts';
import { type Answered, type ApiClient, createClient, path } from '../client/api.ts';
import { readLogin, writeLogin } from '../client/login-file.ts';
import { httpTransport } from '../client/transport.ts';
import { EXIT } from '../io.ts';
import { print, when } from '../output.ts';
import { andThen, type Cli, type Flags, refuse, type Session, withOutput } from '../session.ts';
import { expiry } from './duration.ts';
import { logout } from './logout.ts';

const KEY_BYTES = 1024;

/** `login`, `logout` and `me`. */
export function addLogin(cli: Cli): void {
  const { program, withApi, set } = cli;
  program
    .command('login')
    .description('exchange a key for one of this machine, and remember it')
    .requiredOption('--key-stdin', 'read the key from standard input')
    .option('--project <name>', 'only this project')
    .option('--environment <name>', 'only this environment of it')
    .option('--allow-kubernetes-patch', 'with kubernetes:patch, if your identity has it')
    .option('--allow-pods-exec', 'with pods:exec, if your identity has it')
    .option('--ttl <duration>', 'how long the login works, such as 30d or 12h (default: as long as the key)')
    .addHelpText(
      'after',
      `
Examples:
  hakopod login --api-url https://hakopod.example.com --key-stdin < key.txt
  hakopod login --key-stdin --project acme --environment production < key.txt

The first administrator's key is in the Secret hakopod-admin-key of the control namespace:
  kubectl get secret hakopod-admin-key -n hakopod-system -o jsonpath={.data.key} | base64 -d`,
    )
    .action(async (flags: Flags) => set(await login(cli, flags)));
  program
    .command('logout')
    .description('revoke the key of this machine, and forget it')
    .action(() => logout(cli));
  withOutput(program.command('me').description('show who this key is, and what it may do')).action((flags: Flags) =>
    withApi(flags, showMe),
  );
}

async function login({ terminal, runtime, globals }: Cli, flags: Flags): Promise<number> {
  const { apiUrl, loginFile } = runtime.clientEnvironment();
  const before = await readLogin(loginFile);
  const named = globals().apiUrl ?? apiUrl ?? (before.ok ? before.value?.url : undefined);
  if (typeof named !== 'string') return refuse(terminal, '--api-url', 'say where the API is, or set HAKOPOD_API_URL');
  const expires = flags.ttl === undefined ? undefined : expiry(flags.ttl, runtime.now());
  if (flags.ttl !== undefined && expires === undefined)
    return refuse(terminal, '--ttl', 'must be a number with m, h or d, such as 12h');
  if (terminal.isInteractive === true) terminal.err('type or paste the key, then Enter and Ctrl-D');
  const key = (await terminal.readInput(KEY_BYTES)).trim();
  // Anything else is refused here, so that a file that was meant for nobody is sent to nobody.
  if (parseKey(key) === undefined) return refuse(terminal, 'standard input', 'holds no key; one begins with hp_');
  const way = httpTransport(named, key);
  return andThen({ terminal }, way, async (transport) => {
    const exchanged = await exchange(createClient(transport), flags, expires);
    return andThen({ terminal }, exchanged, async ({ key: made, metadata }) => {
      const { project, environment } = metadata;
      const scope = {
        ...(project === undefined ? {} : { project }),
        ...(environment === undefined ? {} : { environment }),
      };
      const saved = await writeLogin(loginFile, { url: transport.origin, key: made, ...scope });
      // A key that nobody remembers must not go on working.
      if (!saved.ok) await revokeOwn(transport.origin, made, metadata.id);
      return andThen({ terminal }, saved, () => {
        const where = [project, environment].filter((part) => part !== undefined).join('/');
        const until = `until ${when(metadata.expires_at)}`;
        terminal.out(
          `logged in to ${transport.origin} as ${metadata.identity_id}${where === '' ? '' : ` for ${where}`}, ${until}`,
        );
        return EXIT.ok;
      });
    });
  });
}

async function revokeOwn(url: string, key: string, id: string): Promise<void> {
  const way = httpTransport(url, key);
  if (!way.ok) return;
  await createClient(way.value).call({ method: 'DELETE', path: path`/keys/${id}`, answer: RevokedKey });
}

/** What carries over by itself is the server's to say, unless something is asked for by name. */
async function exchange(api: ApiClient, flags: Flags, expires: string | undefined): Promise<Answered<CreatedKey>> {
  const scope = { ...pick('project', flags), ...pick('environment', flags) };
  const asked = NAMED.filter(([flag]) => flags[flag] === true).map(([, permission]) => permission);
  const held = asked.length === 0 ? undefined : await api.call({ method: 'GET', path: '/me', answer: Me });
  if (held?.ok === false) return held;
  const body = {
    name: 'hakopod login',
    ...scope,
    ...(held === undefined ? {} : { permissions: [...carried(held.value.permissions), ...asked] }),
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
  return api.call({ method: 'POST', path: '/keys/exchange', body, answer: CreatedKey });
}

/** What leaves the rails of a specification is in a login only when it was asked for by name. */
const NAMED: readonly (readonly [string, Permission])[] = [
  ['allowKubernetesPatch', 'kubernetes:patch'],
  ['allowPodsExec', 'pods:exec'],
];

/** `admin` covers the rest; what belongs to the installation alone is not for a key of one environment. */
function carried(held: readonly Permission[]): readonly Permission[] {
  return held.includes('admin')
    ? ['admin']
    : held.filter((one) => !NAMED_ONLY.includes(one) && !INSTALLATION_WIDE.includes(one));
}

function pick(name: 'project' | 'environment', flags: Flags): Readonly<Record<string, string>> {
  const value = flags[name];
  return typeof value === 'string' ? { [name]: value } : {};
}

async function showMe(session: Session): Promise<number> {
  const me = await session.api.call({ method: 'GET', path: '/me', answer: Me });
  return andThen(session, me, (value) =>
    print(
      session,
      value,
      ({ identity, kind, key, permissions, project, environment, application, is_admin: isAdmin }) => [
        `identity:    ${identity} (${kind}${isAdmin ? ', administrator' : ''})`,
        `at:          ${session.api.where}`,
        `scope:       ${[project, environment, application].filter((part) => part !== undefined).join('/') || 'everywhere'}`,
        `permissions: ${permissions.join(', ') || 'none'}`,
        ...(key === undefined ? [] : [`key:         ${key.prefix}, ${key.name}, until ${when(key.expires_at)}`]),
      ],
    ),
  );
}
