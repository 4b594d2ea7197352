import { isPermission, NAMED_ONLY, type Permission } from '../../access/index.ts';
import { CreatedKey, Me } from '../../ports/api/index.ts';
import { createClient } from '../client/api.ts';
import { writeLogin } from '../client/login-file.ts';
import { apiOrigin, httpTransport } from '../client/transport.ts';
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
  const named = globals().apiUrl ?? apiUrl;
  if (typeof named !== 'string') return refuse(terminal, '--api-url', 'say where the API is, or set HAKOPOD_API_URL');
  const origin = apiOrigin(named);
  if (!origin.ok) return andThen({ terminal }, origin, () => EXIT.ok);
  const key = (await terminal.readInput(KEY_BYTES)).trim();
  const way = httpTransport(origin.value, key);
  if (!way.ok) return andThen({ terminal }, way, () => EXIT.ok);
  const api = createClient(way.value);
  const me = await api.call({ method: 'GET', path: '/me', answer: Me });
  return andThen({ terminal }, me, async (held) => {
    const expires = flags.ttl === undefined ? held.key?.expires_at : expiry(flags.ttl, runtime.now());
    if (flags.ttl !== undefined && expires === undefined)
      return refuse(terminal, '--ttl', 'must be a number with m, h or d, such as 12h');
    const scope = { ...pick('project', flags), ...pick('environment', flags) };
    const exchanged = await api.call({
      method: 'POST',
      path: '/keys/exchange',
      body: {
        name: 'hakopod login',
        ...scope,
        permissions: wanted(held.permissions, flags),
        ...(expires === undefined ? {} : { expires_at: expires }),
      },
      answer: CreatedKey,
    });
    return andThen({ terminal }, exchanged, async (made) => {
      const saved = await writeLogin(loginFile, { url: origin.value, key: made.key, ...scope });
      return andThen({ terminal }, saved, () => {
        terminal.out(
          `logged in to ${origin.value} as ${made.metadata.identity_id}, until ${when(made.metadata.expires_at)}`,
        );
        return EXIT.ok;
      });
    });
  });
}

function pick(name: 'project' | 'environment', flags: Flags): Readonly<Record<string, string>> {
  const value = flags[name];
  return typeof value === 'string' ? { [name]: value } : {};
}

/** What leaves the rails of a specification is in a login only when it was asked for by name. */
function wanted(held: readonly Permission[], flags: Flags): readonly Permission[] {
  const asked: readonly Permission[] = [
    ...(flags.allowKubernetesPatch === true ? (['kubernetes:patch'] as const) : []),
    ...(flags.allowPodsExec === true ? (['pods:exec'] as const) : []),
  ];
  return [...held.filter((permission) => isPermission(permission) && !NAMED_ONLY.includes(permission)), ...asked];
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
