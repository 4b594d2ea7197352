import { BUILT_IN_ROLES, checkScope, LOCAL, type Principal } from '../../../access/index.ts';
import { fail, LIMITS, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type {
  IdentityOperations,
  Identity as IdentityView,
  PutIdentity,
  RequestInfo,
} from '../../../ports/api/index.ts';
import type { Identity } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import { adminOnly, type PeopleDeps } from './context.ts';
import { isAdministrator } from './is-administrator.ts';
import { revoke } from './keys.ts';

/** Names that stand in audit records for what is no identity on record. */
const RESERVED = new Set<string>([LOCAL.identity, 'git']);

/** Identities over the API: for administrators. */
export function identityOperations(deps: PeopleDeps): IdentityOperations {
  return {
    list: async (principal, page) => {
      const allowed = adminOnly(principal);
      if (!allowed.ok) return allowed;
      const items = [...deps.identities.all()].sort((a, b) => (a.name < b.name ? -1 : 1));
      const found = deps.pager.of({ name: 'identities', items, keyOf: ({ name }) => name }, page);
      return found.ok ? ok({ ...found.value, items: found.value.items.map(identityView) }) : found;
    },
    show: async (principal, { name }) => {
      const found = await existing(deps, principal, name);
      return found.ok ? ok(identityView(found.value)) : found;
    },
    create: async (principal, { name, kind, ...content }, info) => {
      const allowed = adminOnly(principal);
      if (!allowed.ok) return allowed;
      if (RESERVED.has(name)) return fail(problem('invalid_request', 'the name is reserved', { at: 'name' }));
      const spec = specOf(deps, kind, content);
      if (!spec.ok) return spec;
      if (deps.identities.all().length >= LIMITS.identities) return fail(problem('limit_reached'));
      const cleared = await revokeFormer(deps, { principal, info }, name);
      if (!cleared.ok) return cleared;
      const made = await deps.identities.create({ name, spec: spec.value });
      if (!made.ok) return made;
      const resource = { kind: 'Identity', name };
      await audited(deps, { principal, info }, { action: 'identity.create', resource, after: made.value.spec });
      return ok(identityView(made.value));
    },
    replace: (principal, input, info) => replaceIdentity(deps, { principal, info }, input),
    remove: (principal, input, info) => removeIdentity(deps, { principal, info }, input),
  };
}

type By = { readonly principal: Principal; readonly info: RequestInfo };

async function existing(deps: PeopleDeps, principal: Principal, name: string): Promise<Result<Identity>> {
  const allowed = adminOnly(principal);
  if (!allowed.ok) return allowed;
  const read = await deps.identities.get(name);
  if (!read.ok) return read;
  return read.value === undefined ? fail(problem('not_found', 'there is no such identity')) : ok(read.value);
}

async function replaceIdentity(
  deps: PeopleDeps,
  by: By,
  input: PutIdentity & { readonly name: string },
): Promise<Result<IdentityView>> {
  const { name, expected_revision: expected, ...content } = input;
  const found = await existing(deps, by.principal, name);
  if (!found.ok) return found;
  const spec = specOf(deps, found.value.spec.kind, content);
  if (!spec.ok) return spec;
  const stranded = isLastAdministrator(deps, name) && !isAdministrator(spec.value);
  if (stranded) return fail(lastAdministrator());
  let before: Identity | undefined;
  const written = await deps.identities.update(name, (current) => {
    before = current.generation === expected ? current : undefined;
    return before === undefined ? undefined : { spec: spec.value };
  });
  if (!written.ok) return written;
  if (before === undefined) return fail(staleRevision());
  const resource = { kind: 'Identity', name };
  await audited(deps, by, { action: 'identity.update', resource, before: before.spec, after: written.value.spec });
  return ok(identityView(written.value));
}

/**
 * The keys are revoked first, so that whoever gets the name next can not get one of them; then the identity goes, and with it a key that was
 * made in between.
 */
async function removeIdentity(
  deps: PeopleDeps,
  by: By,
  input: { readonly name: string; readonly confirm_name: string },
): Promise<Result<{ readonly status: 'deleted' }>> {
  const { name } = input;
  const found = await existing(deps, by.principal, name);
  if (!found.ok) return found;
  if (input.confirm_name !== name) return fail(unconfirmed());
  if (isLastAdministrator(deps, name)) return fail(lastAdministrator());
  const revoked = await revokeAll(deps, by, name);
  if (!revoked.ok) return revoked;
  const removed = await deps.identities.delete(name, found.value.uid);
  if (!removed.ok) return removed;
  const late = await revokeAll(deps, by, name);
  if (!late.ok) return late;
  const resource = { kind: 'Identity', name };
  await audited(deps, by, { action: 'identity.delete', resource, before: found.value.spec });
  return ok({ status: 'deleted' });
}

/** Keys name their identity, so those of a former one would open what the next of its name may do. */
async function revokeFormer(deps: PeopleDeps, by: By, name: string): Promise<Result<void>> {
  const known = await deps.identities.get(name);
  if (!known.ok) return known;
  return known.value === undefined ? revokeAll(deps, by, name) : fail(problem('already_exists'));
}

async function revokeAll(deps: PeopleDeps, by: By, name: string): Promise<Result<void>> {
  for (const key of deps.keys.all().filter(({ identity, revokedAt }) => identity === name && revokedAt === undefined)) {
    const revoked = await revoke(deps, by, key);
    if (!revoked.ok) return revoked;
  }
  return ok(undefined);
}

function specOf(
  deps: PeopleDeps,
  kind: Identity['spec']['kind'],
  content: Omit<PutIdentity, 'expected_revision'>,
): Result<Identity['spec']> {
  const { project, environment, application } = content;
  const parts = { project, environment, application };
  const scope = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  const checked = checkScope(scope, 'identity');
  if (!checked.ok) return fail({ ...checked.problem, at: checked.problem.at?.replace('identity.', '') ?? '' });
  const bindings = [...new Map((content.bindings ?? []).map((one) => [`${one.project}/${one.role}`, one])).values()];
  const unknown = bindings.findIndex(({ role }) => role === 'admin' || !isRole(deps, role));
  if (unknown >= 0) {
    const isAdminRole = bindings[unknown]?.role === 'admin';
    const message = isAdminRole ? 'admin is no role of a project; give the permission admin' : 'there is no such role';
    return fail(problem('invalid_request', message, { at: `bindings[${unknown}].role` }));
  }
  return ok({
    kind,
    permissions: [...new Set(content.permissions ?? [])],
    scope,
    bindings,
    ...(content.disabled === true ? { disabled: true } : {}),
  });
}

function isRole(deps: PeopleDeps, name: string): boolean {
  return Object.hasOwn(BUILT_IN_ROLES, name) || deps.roles.cached(name) !== undefined;
}

/** Nobody could undo it over the API, so it is refused; with the cluster's own rights it can be done. */
function isLastAdministrator(deps: PeopleDeps, name: string): boolean {
  const administrators = deps.identities.all().filter(({ spec, deleting }) => !deleting && isAdministrator(spec));
  return administrators.length === 1 && administrators[0]?.name === name;
}

function lastAdministrator(): Problem {
  return problem('invalid_request', 'this is the last administrator; make another one first');
}

/** The answer to a change that another change came before. */
export function staleRevision(): Problem {
  return problem('conflict', 'somebody else changed it; read it again', { at: 'expected_revision' });
}

/** The answer to a deletion whose name was not typed again. */
export function unconfirmed(): Problem {
  return problem('invalid_request', 'must be the name of what is deleted', { at: 'confirm_name' });
}

function identityView({ name, spec, generation, createdAt }: Identity): IdentityView {
  return {
    name,
    kind: spec.kind,
    permissions: [...spec.permissions],
    ...spec.scope,
    bindings: spec.bindings.map(({ project, role }) => ({ project, role })),
    disabled: spec.disabled === true,
    revision: generation,
    created_at: createdAt,
  };
}
