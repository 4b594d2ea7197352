import {
  checkKeyRequest,
  covers,
  denied,
  holds,
  INSTALLATION_WIDE,
  isAdmin,
  isUnscoped,
  type KeyHolding,
  NAMED_ONLY,
  names,
  type Permission,
  type Principal,
  type Scope,
} from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { CreatedKey, ExchangeKey, RequestInfo } from '../../../ports/api/index.ts';
import { audited } from '../audited.ts';
import type { PeopleDeps } from './context.ts';
import { auditedKey, keyView, makeKey } from './new-key.ts';

const DAY_MS = 86_400_000;
/** Life of a command line key that asks for none. */
const CLI_LIFE_MS = 30 * DAY_MS;
/** A new key must live a minute; one that is exchanged in its last minute can not give one. */
const MIN_LIFE_MS = 60_000;

/**
 * What `login` does: the key of the request becomes a command line key of its own or a narrower scope. It never gives more than the key and its
 * identity have: what leaves the rails of a specification must be named and be held by the identity, and by the key unless it could make any
 * key anyway. It does not outlive a key that is no administrator's.
 */
export async function exchangeKey(
  deps: PeopleDeps,
  by: { readonly principal: Principal; readonly info: RequestInfo },
  input: ExchangeKey,
): Promise<Result<CreatedKey>> {
  const { principal } = by;
  const parent = principal.key === undefined ? undefined : deps.keys.find(principal.key.id);
  if (principal.key === undefined || parent === undefined)
    return fail(problem('invalid_request', "there is no key to exchange: the cluster's own rights need none"));
  const scope = narrowed(parent.scope, input);
  if (!covers(parent.scope, scope)) return fail(denied(parent.permissions[0] ?? 'deployments:read', scope));
  const chosen = permissionsOf(principal, principal.key, { asked: input.permissions, scope });
  if (!chosen.ok) return chosen;

  const now = deps.clock.now();
  const isFree = isAdmin(principal);
  const latest = isFree ? Number.POSITIVE_INFINITY : Date.parse(parent.expiresAt);
  const expiresAt = new Date(input.expires_at ?? Math.min(now.getTime() + CLI_LIFE_MS, latest));
  if (expiresAt.getTime() > latest)
    return fail(problem('invalid_request', 'can not outlive the key that is exchanged', { at: 'expires_at' }));
  const isDying = latest - now.getTime() < MIN_LIFE_MS;
  if (isDying) return fail(problem('invalid_request', 'the key expires within the minute; use another one'));
  const request = { name: input.name ?? 'command line', permissions: chosen.value, scope, expiresAt };
  const checked = checkKeyRequest(request, now);
  if (!checked.ok) return checked;
  const made = await makeKey(deps, {
    ...request,
    identity: principal.identity,
    kind: 'cli',
    createdBy: principal.identity,
    exchangedFrom: parent.id,
    expiresAt: expiresAt.toISOString(),
  });
  if (!made.ok) return made;
  await audited(deps, by, {
    action: 'key.exchange',
    resource: { kind: 'Key', ...scope, name: made.value.record.id },
    after: auditedKey(made.value.record),
  });
  return ok({ key: made.value.raw, metadata: keyView(made.value.record) });
}

/** The parent's scope with what the request adds; another project than the parent's is found by `covers`. */
function narrowed(parent: Scope, { project, environment }: ExchangeKey): Scope {
  const merged = { ...parent, ...(project === undefined ? {} : { project }) };
  return environment === undefined ? merged : { ...merged, environment };
}

function permissionsOf(
  principal: Principal,
  key: KeyHolding,
  { asked, scope }: { readonly asked: readonly Permission[] | undefined; readonly scope: Scope },
): Result<readonly Permission[]> {
  const isScoped = !isUnscoped(scope);
  if (asked === undefined) {
    const carried = key.permissions.filter(
      (held) => !NAMED_ONLY.includes(held) && !(isScoped && held !== 'admin' && INSTALLATION_WIDE.includes(held)),
    );
    return carried.length === 0
      ? fail(
          problem('invalid_request', 'name the permissions: the key has none that go over by themselves', {
            at: 'permissions',
          }),
        )
      : ok(carried);
  }
  const wanted = [...new Set(asked)];
  const refused = wanted.find((permission) => {
    const isWild = key.permissions.includes('admin') && !NAMED_ONLY.includes(permission);
    const hasKey = names(key.permissions, permission) || isWild || isAdmin(principal);
    // `admin` in a scope is the wildcard of a key, which an identity holds everywhere or not at all.
    const place = permission === 'admin' ? {} : scope;
    return !hasKey || !holds(principal, permission, place);
  });
  return refused === undefined ? ok(wanted) : fail({ ...denied(refused, scope), at: 'permissions' });
}
