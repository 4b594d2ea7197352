import { describe, expect, it } from 'vitest';
import { keyOperations } from '../../../../src/pipeline/operations/people/index.ts';
import { ADMIN, codeOf, INFO, must, type OperationsWorld, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

const PLACE = { project: 'acme', environment: 'production' };
const DAY = 86_400_000;

async function withKeys() {
  const world = await operationsWorld();
  const keys = keyOperations(world.deps);
  await world.deps.identities.create({
    name: 'ci',
    spec: { kind: 'machine', permissions: ['deployments:write'], scope: {}, bindings: [] },
  });
  const inDays = (days: number): string => new Date(world.world.now.getTime() + days * DAY).toISOString();
  const create = (change: object = {}) =>
    keys.create(
      ADMIN,
      {
        identity: 'ci',
        name: 'pipeline',
        permissions: ['deployments:write'],
        ...PLACE,
        expires_at: inDays(30),
        ...change,
      },
      INFO,
    );
  return { ...world, keys, create, inDays };
}

async function developer(world: OperationsWorld, change: Partial<Parameters<typeof addPerson>[1]> = {}) {
  const added = await addPerson(world.deps, {
    name: 'dev',
    roles: [{ project: 'acme', role: 'developer' }],
    key: ['deployments:read', 'deployments:write'],
    scope: PLACE,
    ...change,
  });
  return { ...added, principal: await world.as(added.raw) };
}

describe('keys', () => {
  it('are made, work at once, and are shown this once', async () => {
    const { keys, create, as, deps, actions } = await withKeys();
    const made = must(await create());
    expect(made.metadata).toMatchObject({ identity_id: 'ci', kind: 'machine', name: 'pipeline', ...PLACE });
    expect(made.metadata.prefix).toBe(made.key.slice(0, 11));
    expect(await as(made.key)).toMatchObject({ identity: 'ci', key: { id: made.metadata.id } });
    const shown = must(await keys.show(ADMIN, { id: made.metadata.id }, INFO));
    const listed = must(await keys.list(ADMIN, { limit: 10 }, INFO));
    expect(listed.items.map(({ id }) => id)).toEqual([shown.id]);
    const secret = made.key.split('_')[2]!;
    expect(JSON.stringify([shown, listed, deps.audit.events, deps.keys.all()])).not.toContain(secret);
    expect(actions()).toEqual(['key.create']);
    expect(deps.audit.events[0]).toMatchObject({
      identity: 'local',
      origin: 'api',
      requestId: INFO.id,
      resource: { kind: 'Key', ...PLACE, name: made.metadata.id },
    });
  });

  it('are refused outside the rules', async () => {
    const { create, inDays, deps } = await withKeys();
    const rows: readonly (readonly [object, string])[] = [
      [{ expires_at: inDays(91) }, 'invalid_request expires_at'],
      [{ expires_at: inDays(0) }, 'invalid_request expires_at'],
      [{ environment: undefined }, 'invalid_request scope'],
      [{ project: undefined, environment: undefined }, 'invalid_request scope'],
      [{ application: 'shop', permissions: ['git:manage'] }, 'invalid_request scope.application'],
      [{ identity: 'nobody' }, 'not_found identity'],
      [{ identity: undefined }, 'invalid_request identity'],
    ];
    for (const [change, code] of rows) expect(codeOf(await create(change))).toBe(code);
    expect(deps.keys.all()).toEqual([]);
    expect(codeOf(await create({ permissions: ['admin'], project: undefined, environment: undefined }))).toBe('ok');
  });

  it('are for administrators alone', async () => {
    const world = await withKeys();
    const { keys, create } = world;
    const { metadata } = must(await create());
    const { principal } = await developer(world, { holds: ['deployments:write', 'git:manage', 'settings:write'] });
    const { id } = metadata;
    const body = { name: 'x', permissions: ['deployments:read' as const], ...PLACE, expires_at: world.inDays(1) };
    for (const answer of [
      await keys.list(principal, { limit: 10 }, INFO),
      await keys.create(principal, body, INFO),
      await keys.show(principal, { id }, INFO),
      await keys.rotate(principal, { id, expires_at: world.inDays(1) }, INFO),
      await keys.revoke(principal, { id }, INFO),
    ])
      expect(codeOf(answer)).toBe('permission_denied');
    expect(world.deps.keys.find(id)?.revokedAt).toBeUndefined();
  });

  it('may end themselves and what was exchanged for them, and no other', async () => {
    const world = await withKeys();
    const { keys, create, actions } = world;
    const { metadata: other } = must(await create());
    const { principal, raw } = await developer(world);
    const own = principal.key!.id;
    const child = must(await keys.exchange(principal, { ...PLACE, permissions: ['deployments:read'] }, INFO));
    expect(codeOf(await keys.revoke(principal, { id: other.id }, INFO))).toBe('permission_denied');
    expect(codeOf(await keys.revoke(principal, { id: '0'.repeat(32) }, INFO))).toBe('permission_denied');
    expect(must(await keys.revoke(principal, { id: own }, INFO))).toEqual({ status: 'revoked' });
    for (const key of [raw, child.key]) expect(codeOf(await world.authenticate(`Bearer ${key}`))).toBe('unauthorized');
    expect(world.deps.keys.find(other.id)?.revokedAt).toBeUndefined();
    expect(actions().slice(-2)).toEqual(['key.revoke', 'key.revoke']);
    expect(world.deps.audit.events.at(-1)).toMatchObject({ identity: 'dev', key: own });
  });

  it('take along what was exchanged for what was exchanged for them, whoever held a key in between', async () => {
    const world = await withKeys();
    const { keys } = world;
    const { principal, id } = await developer(world);
    const child = must(await keys.exchange(principal, {}, INFO));
    const grandchild = must(await keys.exchange(await world.as(child.key), {}, INFO));
    must(await keys.rotate(ADMIN, { id: child.metadata.id, expires_at: world.inDays(20) }, INFO));
    must(await keys.revoke(ADMIN, { id }, INFO));
    const live = world.deps.keys.all().filter(({ identity, revokedAt }) => identity === 'dev' && !revokedAt);
    expect(live).toEqual([]);
    expect(codeOf(await world.authenticate(`Bearer ${grandchild.key}`))).toBe('unauthorized');
  });

  it('take them along also when their admin is a wildcard in a scope, and of nobody who administers', async () => {
    const world = await withKeys();
    const { keys } = world;
    for (const [n, scope] of [PLACE, {}].entries()) {
      const { principal, id } = await developer(world, { key: ['admin'], scope, n });
      const child = must(await keys.exchange(principal, PLACE, INFO));
      must(await keys.revoke(ADMIN, { id }, INFO));
      expect(codeOf(await world.authenticate(`Bearer ${child.key}`))).toBe('unauthorized');
    }
  });

  it('stop when they are revoked, which may be said twice', async () => {
    const { keys, create, authenticate, actions } = await withKeys();
    const { key, metadata } = must(await create());
    for (let n = 0; n < 2; n += 1)
      expect(must(await keys.revoke(ADMIN, { id: metadata.id }, INFO))).toEqual({ status: 'revoked' });
    expect(codeOf(await authenticate(`Bearer ${key}`))).toBe('unauthorized');
    expect(actions()).toEqual(['key.create', 'key.revoke']);
    expect(codeOf(await keys.revoke(ADMIN, { id: '0'.repeat(32) }, INFO))).toBe('not_found');
  });

  it('are rotated: the new one works at once, the old one for 15 minutes more', async () => {
    const { keys, create, authenticate, as, pass, inDays } = await withKeys();
    const old = must(await create());
    const rotated = must(await keys.rotate(ADMIN, { id: old.metadata.id, expires_at: inDays(60) }, INFO));
    expect(rotated.previous_key_expires_within_seconds).toBe(900);
    expect(rotated.metadata).toMatchObject({ identity_id: 'ci', permissions: ['deployments:write'], ...PLACE });
    expect(rotated.metadata.id).not.toBe(old.metadata.id);
    await as(rotated.key);
    pass(899_999);
    await as(old.key);
    pass(1);
    expect(codeOf(await authenticate(`Bearer ${old.key}`))).toBe('unauthorized');
    await as(rotated.key);
    const again = await keys.rotate(ADMIN, { id: old.metadata.id, expires_at: inDays(60) }, INFO);
    expect(codeOf(again)).toBe('terminal_operation');
  });

  it('that end sooner than the overlap end then', async () => {
    const { keys, create, deps, world, inDays } = await withKeys();
    const soon = new Date(world.now.getTime() + 120_000).toISOString();
    const { metadata } = must(await create({ expires_at: soon }));
    must(await keys.rotate(ADMIN, { id: metadata.id, expires_at: inDays(1) }, INFO));
    expect(deps.keys.find(metadata.id)?.expiresAt).toBe(soon);
  });

  it('are rotated by one of two that do it at once; nothing of the other stays', async () => {
    const { keys, create, deps, inDays } = await withKeys();
    const { metadata } = must(await create());
    const rotate = () => keys.rotate(ADMIN, { id: metadata.id, expires_at: inDays(1) }, INFO);
    const both = await Promise.all([rotate(), rotate()]);
    expect(both.map(codeOf).sort()).toEqual(['ok', 'terminal_operation']);
    expect(deps.keys.all()).toHaveLength(2);
  });

  it('are listed page by page, of one identity when asked', async () => {
    const { keys, create, deps } = await withKeys();
    await deps.identities.create({ name: 'bob', spec: { kind: 'person', permissions: [], scope: {}, bindings: [] } });
    for (const identity of ['ci', 'bob', 'ci']) must(await create({ identity }));
    const first = must(await keys.list(ADMIN, { limit: 2 }, INFO));
    const second = must(await keys.list(ADMIN, { limit: 2, cursor: first.next_cursor }, INFO));
    expect([...first.items, ...second.items].map(({ identity_id: of }) => of)).toEqual(['ci', 'bob', 'ci']);
    expect(second.next_cursor).toBeUndefined();
    expect(must(await keys.list(ADMIN, { limit: 5, identity: 'bob' }, INFO)).items).toHaveLength(1);
  });

  it('are at most a thousand that live', async () => {
    const { create, deps, inDays } = await withKeys();
    const { metadata } = must(await create());
    const record = deps.keys.find(metadata.id)!;
    for (let n = 1; n < 1000; n += 1) {
      const id = `e${n.toString(16).padStart(31, '0')}`;
      await deps.keys.create({ ...record, id, expiresAt: inDays(1) });
    }
    expect(codeOf(await create())).toBe('limit_reached');
    await deps.keys.change(metadata.id, () => ({ revokedAt: inDays(0) }));
    expect(codeOf(await create())).toBe('ok');
  });
});
