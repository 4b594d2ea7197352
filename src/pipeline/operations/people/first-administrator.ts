import { ANYWHERE, formatKey, KEY_ID_BYTES, KEY_LIMITS, KEY_SECRET_BYTES, parseKey } from '../../../access/index.ts';
import { fail, ok, problem, type Result, sha256 } from '../../../kernel/index.ts';
import type { FirstKeySecret } from '../../../ports/index.ts';
import type { PeopleDeps } from './context.ts';

/** The first administrator's name. */
export const FIRST_ADMINISTRATOR = 'admin';

/**
 * Makes the first administrator, once, when a server starts and nobody is on record: the key goes into the Secret `hakopod-admin-key`, or is
 * taken from the one an operator made, and is written nowhere else. Any number of servers may start at once: whoever creates the Secret first
 * decides, and the others finish the same work. The identity comes last, so that a start that was cut off goes on where it was; once there is
 * any identity, nothing here is ever made again, also not when the Secret is deleted, which is what should happen to it.
 */
export async function ensureFirstAdministrator(
  deps: Omit<PeopleDeps, 'pager' | 'roles'> & { readonly firstKey: FirstKeySecret },
): Promise<Result<'made' | 'known'>> {
  if (deps.identities.all().length > 0) return ok('known');
  const known = await deps.identities.get(FIRST_ADMINISTRATOR);
  if (!known.ok) return known;
  if (known.value !== undefined) return ok('known');

  const raw = await firstKey(deps);
  if (!raw.ok) return raw;
  const parts = parseKey(raw.value);
  if (parts === undefined) return fail(problem('invalid_secret'));
  const now = deps.clock.now();
  const key = await deps.keys.create({
    id: parts.id,
    digest: sha256(raw.value),
    identity: FIRST_ADMINISTRATOR,
    name: 'first administrator',
    kind: 'machine',
    permissions: ['admin'],
    scope: ANYWHERE,
    createdAt: now.toISOString(),
    createdBy: FIRST_ADMINISTRATOR,
    expiresAt: new Date(now.getTime() + KEY_LIMITS.firstLifeMs).toISOString(),
  });
  if (!key.ok && key.problem.code !== 'already_exists') return key;
  const identity = await deps.identities.create({
    name: FIRST_ADMINISTRATOR,
    spec: { kind: 'person', permissions: ['admin', 'kubernetes:patch'], scope: {}, bindings: [] },
  });
  if (!identity.ok) return identity.problem.code === 'already_exists' ? ok('known') : identity;
  await deps.audit.append({
    time: now.toISOString(),
    identity: FIRST_ADMINISTRATOR,
    key: parts.id,
    origin: 'local',
    action: 'identity.bootstrap',
    resource: { kind: 'Identity', name: FIRST_ADMINISTRATOR },
  });
  deps.log.info('the first administrator is made; the key is in the Secret hakopod-admin-key');
  return ok('made');
}

async function firstKey(
  deps: Pick<PeopleDeps, 'random'> & { readonly firstKey: FirstKeySecret },
): Promise<Result<string>> {
  const there = await deps.firstKey.read();
  if (!there.ok) return there;
  if (there.value !== undefined) return ok(there.value);
  const made = formatKey(deps.random.hex(KEY_ID_BYTES), deps.random.hex(KEY_SECRET_BYTES));
  const created = await deps.firstKey.create(made);
  if (created.ok) return ok(made);
  if (created.problem.code !== 'already_exists') return created;
  const theirs = await deps.firstKey.read();
  if (!theirs.ok) return theirs;
  return theirs.value === undefined ? fail(problem('conflict')) : ok(theirs.value);
}
