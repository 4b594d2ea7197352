import { describe, expect, it } from 'vitest';
import { fail, LIMITS, ok, problem } from '../../../../src/kernel/index.ts';
import {
  ensureFirstAdministrator,
  identityOperations,
  keyOperations,
  meOperations,
  roleOperations,
} from '../../../../src/pipeline/operations/people/index.ts';
import { ADMIN, codeOf, INFO, must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

const PLACE = { project: 'acme', environment: 'production' };

async function withPeople() {
  const world = await operationsWorld();
  const boss = await addPerson(world.deps, { name: 'boss', holds: ['admin'], key: ['admin'] });
  return {
    ...world,
    boss,
    identities: identityOperations(world.deps),
    roles: roleOperations(world.deps),
    keys: keyOperations(world.deps),
    me: meOperations(world.deps),
  };
}

describe('identities', () => {
  it('are made, shown, listed and replaced under their revision', async () => {
    const { identities, actions } = await withPeople();
    const bindings = [{ project: 'acme', role: 'developer' }];
    const made = must(await identities.create(ADMIN, { name: 'ada', kind: 'person', bindings }, INFO));
    expect(made).toMatchObject({
      name: 'ada',
      kind: 'person',
      permissions: [],
      bindings,
      disabled: false,
      revision: 1,
    });
    expect(must(await identities.show(ADMIN, { name: 'ada' }, INFO))).toEqual(made);
    expect(must(await identities.list(ADMIN, { limit: 1 }, INFO))).toMatchObject({ items: [{ name: 'ada' }] });
    const change = { name: 'ada', permissions: ['logs:read' as const], disabled: true };
    const replaced = must(await identities.replace(ADMIN, { ...change, expected_revision: 1 }, INFO));
    expect(replaced).toMatchObject({ permissions: ['logs:read'], bindings: [], disabled: true, revision: 2 });
    const stale = await identities.replace(ADMIN, { ...change, expected_revision: 1 }, INFO);
    expect(codeOf(stale)).toBe('conflict expected_revision');
    expect(actions()).toEqual(['identity.create', 'identity.update']);
  });

  it('begin without a key, also where one of a former identity of the name is left', async () => {
    const world = await withPeople();
    const { raw } = await addPerson(world.deps, { name: 'eve', key: ['deployments:read'], scope: PLACE });
    const eve = must(await world.deps.identities.get('eve'))!;
    // With the cluster's own rights, past everything that would have revoked the keys.
    must(await world.deps.identities.delete('eve', eve.uid));
    must(await world.identities.create(ADMIN, { name: 'eve', kind: 'person' }, INFO));
    expect(codeOf(await world.authenticate(`Bearer ${raw}`))).toBe('unauthorized');
    expect(world.actions()).toEqual(['key.revoke', 'identity.create']);
  });

  it('are refused outside the rules', async () => {
    const { identities } = await withPeople();
    const create = (change: object) => identities.create(ADMIN, { name: 'ada', kind: 'person', ...change }, INFO);
    const rows: readonly (readonly [object, string])[] = [
      [{ name: 'local' }, 'invalid_request name'],
      [{ name: 'git' }, 'invalid_request name'],
      [{ name: 'boss' }, 'already_exists'],
      [{ bindings: [{ project: 'acme', role: 'nothing' }] }, 'invalid_request bindings[0].role'],
      [{ bindings: [{ project: 'acme', role: 'admin' }] }, 'invalid_request bindings[0].role'],
      [{ environment: 'production' }, 'invalid_request environment'],
    ];
    for (const [change, code] of rows) expect(codeOf(await create(change)), code).toBe(code);
    expect(codeOf(await identities.show(ADMIN, { name: 'ada' }, INFO))).toBe('not_found');
  });

  it('take their keys along when they go', async () => {
    const { identities, deps, authenticate, actions } = await withPeople();
    const { raw, id } = await addPerson(deps, { name: 'ada', key: ['logs:read'], holds: ['logs:read'] });
    const remove = (confirmed: string) => identities.remove(ADMIN, { name: 'ada', confirm_name: confirmed }, INFO);
    expect(codeOf(await remove('bob'))).toBe('invalid_request confirm_name');
    expect((await authenticate(`Bearer ${raw}`)).ok).toBe(true);
    must(await remove('ada'));
    expect(codeOf(await authenticate(`Bearer ${raw}`))).toBe('unauthorized');
    expect(deps.keys.find(id)?.revokedAt).toBeDefined();
    expect(actions()).toEqual(['key.revoke', 'identity.delete']);
    // Whoever gets the name next gets none of the keys.
    must(await identities.create(ADMIN, { name: 'ada', kind: 'person', permissions: ['logs:read'] }, INFO));
    expect(codeOf(await authenticate(`Bearer ${raw}`))).toBe('unauthorized');
  });

  it('never lose their last administrator over the API', async () => {
    const { identities } = await withPeople();
    const demote = () => identities.replace(ADMIN, { name: 'boss', expected_revision: 1 }, INFO);
    expect(codeOf(await demote())).toBe('invalid_request');
    expect(codeOf(await identities.remove(ADMIN, { name: 'boss', confirm_name: 'boss' }, INFO))).toBe(
      'invalid_request',
    );
    must(await identities.create(ADMIN, { name: 'ada', kind: 'person', permissions: ['admin'] }, INFO));
    expect(codeOf(await demote())).toBe('ok');
  });

  it('and roles are changed by administrators alone', async () => {
    const { identities, roles, deps, as } = await withPeople();
    const { raw } = await addPerson(deps, { name: 'dev', holds: ['settings:write'], key: ['settings:write'] });
    const dev = await as(raw);
    const permissions = ['logs:read' as const];
    for (const answer of [
      await identities.list(dev, { limit: 10 }, INFO),
      await identities.show(dev, { name: 'dev' }, INFO),
      await identities.create(dev, { name: 'x', kind: 'machine' }, INFO),
      await identities.replace(dev, { name: 'dev', permissions: ['admin'], expected_revision: 1 }, INFO),
      await identities.remove(dev, { name: 'boss', confirm_name: 'boss' }, INFO),
      await roles.create(dev, { name: 'ops', permissions }, INFO),
      await roles.replace(dev, { name: 'ops', permissions, expected_revision: 1 }, INFO),
      await roles.remove(dev, { name: 'ops', confirm_name: 'ops' }, INFO),
    ])
      expect(codeOf(answer)).toBe('permission_denied');
    expect(must(await roles.list(dev, {}, INFO)).items).toHaveLength(4);
  });

  it('are as many as the limit', async () => {
    const { identities, deps } = await withPeople();
    for (let n = deps.identities.all().length; n < LIMITS.identities; n += 1)
      await deps.identities.create({
        name: `p${n}`,
        spec: { kind: 'person', permissions: [], scope: {}, bindings: [] },
      });
    expect(codeOf(await identities.create(ADMIN, { name: 'ada', kind: 'person' }, INFO))).toBe('limit_reached');
  });
});

describe('roles', () => {
  it('are built in or made, and what is built in stays', async () => {
    const { roles, actions } = await withPeople();
    must(await roles.create(ADMIN, { name: 'ops', permissions: ['logs:read', 'logs:read', 'pods:exec'] }, INFO));
    const listed = must(await roles.list(ADMIN, {}, INFO)).items;
    expect(listed.map(({ name, builtin, revision }) => [name, builtin, revision])).toEqual([
      ['admin', true, 0],
      ['project-admin', true, 0],
      ['developer', true, 0],
      ['viewer', true, 0],
      ['ops', false, 1],
    ]);
    expect(listed.at(-1)?.permissions).toEqual(['logs:read', 'pods:exec']);
    const replace = (name: string, expected: number) =>
      roles.replace(ADMIN, { name, permissions: ['logs:read'], expected_revision: expected }, INFO);
    expect(must(await replace('ops', 1)).revision).toBe(2);
    expect(codeOf(await replace('ops', 1))).toBe('conflict expected_revision');
    expect(codeOf(await replace('viewer', 0))).toBe('invalid_request name');
    expect(codeOf(await roles.create(ADMIN, { name: 'viewer', permissions: ['logs:read'] }, INFO))).toBe(
      'already_exists name',
    );
    expect(codeOf(await roles.remove(ADMIN, { name: 'viewer', confirm_name: 'viewer' }, INFO))).toBe(
      'invalid_request name',
    );
    expect(codeOf(await roles.create(ADMIN, { name: 'x', permissions: ['logs:read', 'admin'] }, INFO))).toBe(
      'invalid_request permissions[1]',
    );
    expect(actions()).toEqual(['role.create', 'role.update']);
  });

  it('go when nobody is bound to them', async () => {
    const { roles, identities } = await withPeople();
    must(await roles.create(ADMIN, { name: 'ops', permissions: ['logs:read'] }, INFO));
    const bindings = [{ project: 'acme', role: 'ops' }];
    must(await identities.create(ADMIN, { name: 'ada', kind: 'person', bindings }, INFO));
    const remove = (confirmed: string) => roles.remove(ADMIN, { name: 'ops', confirm_name: confirmed }, INFO);
    expect(codeOf(await remove('ops'))).toBe('not_empty');
    must(await identities.replace(ADMIN, { name: 'ada', expected_revision: 1 }, INFO));
    expect(codeOf(await remove('x'))).toBe('invalid_request confirm_name');
    expect(codeOf(await remove('ops'))).toBe('ok');
    expect(codeOf(await remove('ops'))).toBe('not_found');
  });
});

describe('me', () => {
  it('says who asks and what key and identity have together', async () => {
    const { me, deps, as, boss } = await withPeople();
    const { raw } = await addPerson(deps, {
      name: 'dev',
      roles: [{ project: 'acme', role: 'developer' }],
      key: ['deployments:write', 'git:manage'],
      scope: PLACE,
    });
    const dev = must(await me.show(await as(raw), {}, INFO));
    expect(dev).toMatchObject({ identity: 'dev', kind: 'person', ...PLACE, is_admin: false, can_manage_git: false });
    expect(dev.permissions).toEqual(['deployments:write', 'secrets:write']);
    expect(JSON.stringify(dev)).not.toContain(raw.split('_')[2]);
    const open = await addPerson(deps, {
      name: 'lead',
      roles: [{ project: 'acme', role: 'project-admin' }],
      key: ['deployments:write', 'applications:manage'],
    });
    expect(must(await me.show(await as(open.raw), {}, INFO))).toMatchObject({
      permissions: ['deployments:write', 'applications:manage', 'secrets:write'],
      can_manage_applications: true,
    });
    const admin = must(await me.show(await as(boss.raw), {}, INFO));
    expect(admin).toMatchObject({ is_admin: true, can_manage_git: true });
    expect(admin.permissions).not.toContain('kubernetes:patch');
    expect(must(await me.show(ADMIN, {}, INFO))).toMatchObject({ identity: 'local', kind: 'local', is_admin: true });
  });
});

describe('the first administrator', () => {
  async function fresh(secret?: string) {
    const world = await operationsWorld();
    let raw = secret;
    const firstKey = {
      read: async () => ok(raw),
      create: async (made: string) => {
        if (raw !== undefined) return fail(problem('already_exists'));
        raw = made;
        return ok(undefined);
      },
    };
    const lines: string[] = [];
    const log = {
      ...world.deps.log,
      info: (message: string, fields?: object) => void lines.push(message + JSON.stringify(fields)),
    };
    const start = () => ensureFirstAdministrator({ ...world.deps, log, firstKey });
    return { ...world, start, lines, raw: () => raw };
  }

  it('is made once, with a key of seven days that is written into its Secret alone', async () => {
    const { start, as, raw, deps, lines, pass, authenticate, actions } = await fresh();
    expect(must(await start())).toBe('made');
    const key = raw()!;
    const principal = await as(key);
    expect(principal).toMatchObject({ identity: 'admin', key: { permissions: ['admin'], scope: {} } });
    expect(principal.holds.permissions).toEqual(['admin', 'kubernetes:patch']);
    const everything = JSON.stringify([lines, deps.audit.events, deps.keys.all(), deps.identities.all()]);
    expect(everything).not.toContain(key.split('_')[2]);
    expect(actions()).toEqual(['identity.bootstrap']);
    expect(must(await start())).toBe('known');
    expect(deps.keys.all()).toHaveLength(1);
    pass(7 * 86_400_000);
    expect(codeOf(await authenticate(`Bearer ${key}`))).toBe('unauthorized');
  });

  it("takes an operator's key", async () => {
    const theirs = `hp_${'1'.repeat(32)}_${'2'.repeat(64)}`;
    const { start, as, raw } = await fresh(theirs);
    must(await start());
    expect(raw()).toBe(theirs);
    expect((await as(theirs)).identity).toBe('admin');
  });

  it('is one when two servers start at once', async () => {
    const { start, deps, as, raw } = await fresh();
    const both = await Promise.all([start(), start()]);
    for (const one of both) must(one);
    expect(deps.identities.all()).toHaveLength(1);
    expect(deps.keys.all()).toHaveLength(1);
    expect((await as(raw()!)).identity).toBe('admin');
  });

  it('is never made again once anybody is on record, and goes on where a start was cut off', async () => {
    const { start, deps, raw } = await fresh();
    await addPerson(deps, { name: 'ada', holds: ['admin'], key: ['admin'] });
    expect(must(await start())).toBe('known');
    expect(raw()).toBeUndefined();
    const cut = await fresh();
    must(await cut.start());
    await cut.deps.identities.delete('admin', 'uid-admin');
    const before = cut.raw();
    expect(must(await cut.start())).toBe('made');
    expect(cut.raw()).toBe(before);
    expect(cut.deps.keys.all()).toHaveLength(1);
  });
});
