import { describe, expect, it } from 'vitest';
import { allows } from '../../../../src/access/index.ts';
import { createAuthenticator } from '../../../../src/pipeline/operations/people/index.ts';
import { must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

const SCOPE = { project: 'acme', environment: 'production' };
const MINUTE = 60_000;

async function withAda() {
  const world = await operationsWorld();
  const ada = await addPerson(world.deps, {
    name: 'ada',
    roles: [{ project: 'acme', role: 'developer' }],
    key: ['deployments:write'],
    scope: SCOPE,
  });
  return { ...world, ada };
}

describe('authentication', () => {
  it('recognises a key and makes its principal', async () => {
    const { authenticate, ada } = await withAda();
    const principal = must(await authenticate(`Bearer ${ada.raw}`));
    expect(principal).toMatchObject({ identity: 'ada', kind: 'person', key: { id: ada.id, scope: SCOPE } });
    expect(allows(principal, 'deployments:write', { ...SCOPE, application: 'shop' })).toBe(true);
    expect((await authenticate(`bearer  ${ada.raw} `)).ok).toBe(true);
  });

  it('answers one thing to everything that is no valid key', async () => {
    const { authenticate, ada, deps } = await withAda();
    const [, id = '', secret = ''] = ada.raw.split('_');
    const other = await addPerson(deps, { name: 'bob', key: ['admin'], holds: ['admin'] });
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      ada.raw,
      `Basic ${ada.raw}`,
      `Bearer ${ada.raw}x`,
      `Bearer ${ada.raw} ${ada.raw}`,
      `Bearer hp_${'0'.repeat(32)}_${secret}`,
      `Bearer hp_${id}_${'0'.repeat(64)}`,
      `Bearer hp_${id}_${other.raw.split('_')[2]}`,
      `Bearer hp_${other.id}_${secret}`,
      `Bearer hs_${id}_${secret}`,
      `Bearer ${'x'.repeat(10_000)}`,
    ];
    const answers = await Promise.all(headers.map((header) => authenticate(header)));
    const [first] = answers;
    expect(first).toMatchObject({ ok: false, problem: { code: 'unauthorized' } });
    for (const answer of answers) expect(answer).toEqual(first);
  });

  it('knows a revoked key, an expired one and a disabled or removed owner no more, at once and by the same answer', async () => {
    const unknown = await (await withAda()).authenticate(`Bearer hp_${'0'.repeat(32)}_${'0'.repeat(64)}`);
    const losses: readonly ((world: Awaited<ReturnType<typeof withAda>>) => unknown)[] = [
      ({ deps, ada }) => deps.keys.change(ada.id, () => ({ revokedAt: '2026-06-01T00:00:00.000Z' })),
      ({ deps, ada, world }) => deps.keys.change(ada.id, () => ({ expiresAt: world.now.toISOString() })),
      ({ deps }) => deps.identities.update('ada', ({ spec }) => ({ spec: { ...spec, disabled: true } })),
      ({ deps }) => deps.identities.delete('ada', 'uid-ada'),
      ({ pass }) => pass(40 * 86_400_000),
    ];
    for (const lose of losses) {
      const world = await withAda();
      expect((await world.authenticate(`Bearer ${world.ada.raw}`)).ok).toBe(true);
      await lose(world);
      expect(await world.authenticate(`Bearer ${world.ada.raw}`)).toEqual(unknown);
      expect(world.behind('ada', world.ada.id)).toMatchObject({ ok: false, problem: { code: 'authority_revoked' } });
    }
  });

  it('takes what a role grants from what the role is now', async () => {
    const { authenticate, deps, ada } = await withAda();
    await deps.roles.create({ name: 'ops', spec: { permissions: ['deployments:write'] } });
    const bind = (role: string) =>
      deps.identities.update('ada', ({ spec }) => ({ spec: { ...spec, bindings: [{ project: 'acme', role }] } }));
    const may = async (): Promise<boolean> =>
      allows(must(await authenticate(`Bearer ${ada.raw}`)), 'deployments:write', SCOPE);
    await bind('ops');
    expect(await may()).toBe(true);
    await deps.roles.update('ops', () => ({ spec: { permissions: ['logs:read'] } }));
    expect(await may()).toBe(false);
    await bind('viewer');
    expect(await may()).toBe(false);
  });

  it('says that it can not know yet while the keys are not listed', async () => {
    const { deps, ada } = await withAda();
    const authenticate = createAuthenticator({ ...deps, keys: { ...deps.keys, ready: false } });
    expect(await authenticate(`Bearer ${ada.raw}`)).toMatchObject({
      ok: false,
      problem: { code: 'cluster_unavailable' },
    });
  });

  it('notes a use once a minute at most, and never that of a wrong secret', async () => {
    const { authenticate, deps, ada, pass } = await withAda();
    const used = deps.keys.touched;
    await authenticate(`Bearer hp_${ada.id}_${'0'.repeat(64)}`);
    expect(used).toEqual([]);
    for (let n = 0; n < 5; n += 1) await authenticate(`Bearer ${ada.raw}`);
    pass(MINUTE - 1);
    await authenticate(`Bearer ${ada.raw}`);
    expect(used).toEqual([ada.id]);
    pass(1);
    await authenticate(`Bearer ${ada.raw}`);
    expect(used).toEqual([ada.id, ada.id]);
    // Another process wrote it down a moment ago.
    const again = createAuthenticator(deps);
    await again(`Bearer ${ada.raw}`);
    expect(used).toHaveLength(2);
  });
});
