import { isPermission, PERMISSIONS, type Permission } from '../../access/index.ts';
import {
  CreatedKey,
  Deleted,
  Identity,
  IdentityPage,
  type Key,
  KeyPage,
  RevokedKey,
  Role,
  RolePage,
  RotatedKey,
} from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { print, when } from '../output.ts';
import { andThen, type Cli, type Flags, refuse, type Session, withOutput, withScope } from '../session.ts';
import { expiry } from './duration.ts';
import { say } from './environments.ts';

/** Who may do what: `keys`, `identities`, `roles`. */
export function addAccess(cli: Cli): void {
  addKeys(cli);
  addIdentities(cli);
  addRoles(cli);
}

function list(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...value.split(',').filter((part) => part !== '')];
}

const PERMISSION_HELP = `what it allows (a,b or repeated): ${PERMISSIONS.join(', ')}`;

/** Permissions as typed; `undefined` and a message for one there is not. */
function permissionsOf(session: Session, flags: Flags): readonly Permission[] | undefined {
  const typed = (flags.permission ?? []) as readonly string[];
  const strange = typed.find((text) => !isPermission(text));
  if (strange !== undefined) refuse(session.terminal, '--permission', `must be of ${PERMISSIONS.join(', ')}`);
  return strange === undefined ? typed.filter(isPermission) : undefined;
}

function addKeys({ program, withApi }: Cli): void {
  const keys = program.command('keys').description('keys of the API: who may do what, where and until when');
  withOutput(
    keys
      .command('list')
      .description('list keys; none can be read back')
      .option('--identity <name>', 'only keys of this identity'),
  ).action((flags: Flags) => withApi(flags, (session) => listKeys(session, flags)));
  withOutput(
    withScope(
      keys
        .command('create')
        .description('make a key and show it this once')
        .argument('<name>', 'what people know it by')
        .option('--identity <name>', 'whose key it is (default: yours)')
        .option('--permission <names>', PERMISSION_HELP, list)
        .option('--application <name>', 'only this application')
        .option('--unscoped', 'for the whole installation, whatever the login says')
        .option('--ttl <duration>', 'how long it works, such as 30d, 12h or 45m', '24h')
        .addHelpText(
          'after',
          `
Examples:
  hakopod keys create ci --project acme --environment production   deploys and reads there, for a day
  hakopod keys create patcher --permission deployments:write,kubernetes:patch --ttl 30d`,
        ),
    ),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => createKey(session, name, flags)));
  withOutput(
    keys
      .command('rotate')
      .description('make a new key in place of this one, which works for 15 more minutes')
      .argument('<key>', 'its id, as `keys list` shows it')
      .option('--ttl <duration>', 'how long the new one works', '24h'),
  ).action((id: string, flags: Flags) => withApi(flags, (session) => rotateKey(session, id, flags)));
  keys
    .command('revoke')
    .description('make a key open nothing from now on, and cancel what it has running')
    .argument('<key>', 'its id, as `keys list` shows it')
    .action((id: string, flags: Flags) =>
      withApi(flags, (session) =>
        say(
          session,
          session.api.call({ method: 'DELETE', path: path`/keys/${id}`, answer: RevokedKey }),
          `key ${id} is revoked`,
        ),
      ),
    );
}

async function listKeys(session: Session, flags: Flags): Promise<number> {
  const identity = typeof flags.identity === 'string' ? { identity: flags.identity } : {};
  const listed = await session.api.all({ path: '/keys', query: identity, answer: KeyPage });
  return andThen(session, listed, (items) =>
    print(session, { items }, () => ({
      header: ['ID', 'NAME', 'IDENTITY', 'SCOPE', 'PERMISSIONS', 'EXPIRES', 'LAST USED'],
      rows: items.map((key) => [
        key.id,
        key.name,
        key.identity_id,
        scopeText(key),
        key.permissions.join(','),
        key.revoked_at === undefined ? when(key.expires_at) : 'revoked',
        when(key.last_used_at),
      ]),
    })),
  );
}

function scopeText({
  project,
  environment,
  application,
}: Pick<Key, 'project' | 'environment' | 'application'>): string {
  return [project, environment, application].filter((part) => part !== undefined).join('/') || 'everywhere';
}

/** When a key ends that is made now; `undefined` and a message for what is no duration. */
function expiryOf(session: Session, ttl: unknown): string | undefined {
  const expires = expiry(ttl, session.now());
  if (expires === undefined) refuse(session.terminal, '--ttl', 'must be a number with m, h or d, such as 12h');
  return expires;
}

async function createKey(session: Session, name: string, flags: Flags): Promise<number> {
  const permissions = permissionsOf(session, flags);
  const expiresAt = expiryOf(session, flags.ttl);
  if (permissions === undefined || expiresAt === undefined) return 2;
  const scope = flags.unscoped === true ? {} : session.scope;
  const made = await session.api.call({
    method: 'POST',
    path: '/keys',
    body: {
      name,
      permissions: permissions.length === 0 ? ['deployments:write', 'deployments:read', 'logs:read'] : permissions,
      ...scope,
      ...(flags.application === undefined ? {} : { application: flags.application }),
      ...(flags.identity === undefined ? {} : { identity: flags.identity }),
      expires_at: expiresAt,
    },
    answer: CreatedKey,
  });
  return andThen(session, made, (value) => print(session, value, (created) => newKeyLines(created)));
}

function newKeyLines({ key, metadata }: CreatedKey): readonly string[] {
  return [
    `key ${metadata.id} of ${metadata.identity_id}, ${scopeText(metadata)}, until ${when(metadata.expires_at)}`,
    `key (shown once): ${key}`,
  ];
}

async function rotateKey(session: Session, id: string, flags: Flags): Promise<number> {
  const expiresAt = expiryOf(session, flags.ttl);
  if (expiresAt === undefined) return 2;
  const rotated = await session.api.call({
    method: 'POST',
    path: path`/keys/${id}/rotate`,
    body: { expires_at: expiresAt },
    answer: RotatedKey,
  });
  return andThen(session, rotated, (value) =>
    print(session, value, (made) => [
      ...newKeyLines(made),
      `the old key works for ${made.previous_key_expires_within_seconds} more seconds`,
    ]),
  );
}

function addIdentities({ program, withApi }: Cli): void {
  const identities = program.command('identities').description('people and machines that hold keys');
  withOutput(identities.command('list').description('list identities')).action((flags: Flags) =>
    withApi(flags, async (session) => {
      const listed = await session.api.all({ path: '/identities', answer: IdentityPage });
      return andThen(session, listed, (items) =>
        print(session, { items }, () => ({
          header: ['NAME', 'KIND', 'ROLES', 'PERMISSIONS', 'STATE'],
          rows: items.map((one) => [
            one.name,
            one.kind,
            one.bindings.map(({ project, role }) => `${role} in ${project}`).join(', '),
            one.permissions.join(','),
            one.disabled ? 'disabled' : 'active',
          ]),
        })),
      );
    }),
  );
  const content = (name: string, description: string) =>
    withOutput(
      identities
        .command(name)
        .description(description)
        .argument('<name>', 'name of the identity')
        .option('--role <project=role>', 'a role in a project (repeatable)', list)
        .option('--permission <names>', PERMISSION_HELP, list)
        .option('--disabled', 'its keys open nothing'),
    );
  content('create', 'make an identity')
    .option('--kind <kind>', 'person or machine', 'person')
    .action((name: string, flags: Flags) =>
      withApi(flags, (session) =>
        saveIdentity(session, flags, (body) => ({
          method: 'POST',
          path: '/identities',
          body: { name, kind: flags.kind, ...body },
        })),
      ),
    );
  content('set', 'replace its roles and permissions; what is not named is none, and its scope stays')
    .option('--enabled', 'its keys work again')
    .action((name: string, flags: Flags) =>
      withApi(flags, async (session) => {
        const current = await session.api.call({ method: 'GET', path: path`/identities/${name}`, answer: Identity });
        return andThen(session, current, ({ revision, disabled, project, environment, application }) =>
          saveIdentity(session, flags, (body) => ({
            method: 'PUT',
            path: path`/identities/${name}`,
            body: {
              ...(flags.enabled === true ? {} : { disabled }),
              ...(project === undefined ? {} : { project }),
              ...(environment === undefined ? {} : { environment }),
              ...(application === undefined ? {} : { application }),
              ...body,
              expected_revision: revision,
            },
          })),
        );
      }),
    );
  identities
    .command('delete')
    .description('delete an identity and revoke its keys')
    .argument('<name>', 'name of the identity')
    .requiredOption('--confirm <name>', 'its name, typed again')
    .action((name: string, flags: Flags) =>
      withApi(flags, (session) => {
        const body = { confirm_name: String(flags.confirm) };
        return say(
          session,
          session.api.call({ method: 'DELETE', path: path`/identities/${name}`, body, answer: Deleted }),
          `identity ${name} is deleted`,
        );
      }),
    );
}

type Save = { readonly method: 'POST' | 'PUT'; readonly path: string; readonly body: unknown };

async function saveIdentity(session: Session, flags: Flags, save: (body: object) => Save): Promise<number> {
  const permissions = permissionsOf(session, flags);
  if (permissions === undefined) return 2;
  const pairs = ((flags.role ?? []) as readonly string[]).map((text) => text.split('='));
  if (pairs.some(({ length }) => length !== 2)) return refuse(session.terminal, '--role', 'must be PROJECT=ROLE');
  const bindings = pairs.map(([project, role]) => ({ project, role }));
  const body = { permissions, bindings, ...(flags.disabled === true ? { disabled: true } : {}) };
  const saved = await session.api.call({ ...save(body), answer: Identity });
  return andThen(session, saved, (identity) => print(session, identity, ({ name }) => [`identity ${name} is saved`]));
}

function addRoles({ program, withApi }: Cli): void {
  const roles = program.command('roles').description('named sets of permissions; identities have them per project');
  withOutput(roles.command('list').description('list built-in and custom roles')).action((flags: Flags) =>
    withApi(flags, async (session) => {
      const listed = await session.api.call({ method: 'GET', path: '/roles', answer: RolePage });
      return andThen(session, listed, (page) =>
        print(session, page, ({ items }) => ({
          header: ['ROLE', 'KIND', 'PERMISSIONS'],
          rows: items.map((role) => [role.name, role.builtin ? 'built-in' : 'custom', role.permissions.join(',')]),
        })),
      );
    }),
  );
  withOutput(
    roles
      .command('set')
      .description('make or change a custom role')
      .argument('<name>', 'name of the role')
      .option('--permission <names>', PERMISSION_HELP, list),
  ).action((name: string, flags: Flags) => withApi(flags, (session) => setRole(session, name, flags)));
  roles
    .command('delete')
    .description('delete a custom role; who has it loses what it granted')
    .argument('<name>', 'name of the role')
    .requiredOption('--confirm <name>', 'its name, typed again')
    .action((name: string, flags: Flags) =>
      withApi(flags, (session) => {
        const body = { confirm_name: String(flags.confirm) };
        return say(
          session,
          session.api.call({ method: 'DELETE', path: path`/roles/${name}`, body, answer: Deleted }),
          `role ${name} is deleted`,
        );
      }),
    );
}

async function setRole(session: Session, name: string, flags: Flags): Promise<number> {
  const permissions = permissionsOf(session, flags);
  if (permissions === undefined) return 2;
  const listed = await session.api.call({ method: 'GET', path: '/roles', answer: RolePage });
  return andThen(session, listed, async ({ items }) => {
    const known = items.find((role) => role.name === name);
    const saved =
      known === undefined
        ? await session.api.call({ method: 'POST', path: '/roles', body: { name, permissions }, answer: Role })
        : await session.api.call({
            method: 'PUT',
            path: path`/roles/${name}`,
            body: { permissions, expected_revision: known.revision },
            answer: Role,
          });
    return andThen(session, saved, (role) =>
      print(session, role, () => [`role ${name}: ${role.permissions.join(', ')}`]),
    );
  });
}
