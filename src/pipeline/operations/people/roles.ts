import { BUILT_IN_ROLES, type Permission } from '../../../access/index.ts';
import { fail, LIMITS, ok, problem, type Result } from '../../../kernel/index.ts';
import type { RoleOperations, Role as RoleView } from '../../../ports/api/index.ts';
import type { Role } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import { adminOnly, type PeopleDeps } from './context.ts';
import { staleRevision, unconfirmed } from './identities.ts';

/** Roles over the API. Everybody may read what they grant. */
export function roleOperations(deps: PeopleDeps): RoleOperations {
  return {
    list: async () => {
      const builtIn = Object.entries(BUILT_IN_ROLES).map(
        ([name, { permissions }]): RoleView => ({ name, permissions: [...permissions], builtin: true, revision: 0 }),
      );
      const custom = [...deps.roles.all()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(roleView);
      return ok({ items: [...builtIn, ...custom] });
    },
    create: async (principal, { name, permissions }, info) => {
      const allowed = adminOnly(principal);
      if (!allowed.ok) return allowed;
      const checked = checkPermissions(permissions);
      if (!checked.ok) return checked;
      if (Object.hasOwn(BUILT_IN_ROLES, name))
        return fail(problem('already_exists', 'this is the name of a built-in role', { at: 'name' }));
      if (deps.roles.all().length >= LIMITS.roles) return fail(problem('limit_reached'));
      const made = await deps.roles.create({ name, spec: { permissions: checked.value } });
      if (!made.ok) return made;
      const resource = { kind: 'Role', name };
      await audited(deps, { principal, info }, { action: 'role.create', resource, after: made.value.spec });
      return ok(roleView(made.value));
    },
    replace: async (principal, { name, permissions, expected_revision: expected }, info) => {
      const allowed = custom(name, adminOnly(principal));
      if (!allowed.ok) return allowed;
      const checked = checkPermissions(permissions);
      if (!checked.ok) return checked;
      let before: Role | undefined;
      const written = await deps.roles.update(name, (current) => {
        before = current.generation === expected ? current : undefined;
        return before === undefined ? undefined : { spec: { ...current.spec, permissions: checked.value } };
      });
      if (!written.ok) return written;
      if (before === undefined) return fail(staleRevision());
      const change = { action: 'role.update', resource: { kind: 'Role', name }, before: before.spec };
      await audited(deps, { principal, info }, { ...change, after: written.value.spec });
      return ok(roleView(written.value));
    },
    remove: async (principal, { name, confirm_name: confirmed }, info) => {
      const allowed = custom(name, adminOnly(principal));
      if (!allowed.ok) return allowed;
      const read = await deps.roles.get(name);
      if (!read.ok) return read;
      if (read.value === undefined) return fail(problem('not_found', 'there is no such role'));
      if (confirmed !== name) return fail(unconfirmed());
      const isBound = deps.identities.all().some(({ spec }) => spec.bindings.some(({ role }) => role === name));
      if (isBound) return fail(problem('not_empty', 'identities are bound to the role; change them first'));
      const removed = await deps.roles.delete(name, read.value.uid);
      if (!removed.ok) return removed;
      const change = { action: 'role.delete', resource: { kind: 'Role', name }, before: read.value.spec };
      await audited(deps, { principal, info }, change);
      return ok({ status: 'deleted' });
    },
  };
}

function custom(name: string, allowed: Result<void>): Result<void> {
  if (!allowed.ok || !Object.hasOwn(BUILT_IN_ROLES, name)) return allowed;
  return fail(problem('invalid_request', 'a built-in role can not change', { at: 'name' }));
}

function checkPermissions(permissions: readonly Permission[]): Result<Permission[]> {
  const index = permissions.indexOf('admin');
  return index < 0
    ? ok([...new Set(permissions)])
    : fail(problem('invalid_request', 'a role can not hold admin', { at: `permissions[${index}]` }));
}

function roleView({ name, spec, generation }: Role): RoleView {
  return { name, permissions: [...spec.permissions], builtin: false, revision: generation };
}
