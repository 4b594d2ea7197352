import { describe, expect, it } from 'vitest';
import type { Permission } from '../../../../src/access/index.ts';
import { keyOperations } from '../../../../src/pipeline/operations/people/index.ts';
import { ADMIN, codeOf, INFO, must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

const PLACE = { project: 'acme', environment: 'production' };
const DAY = 86_400_000;

type Person = Partial<Parameters<typeof addPerson>[1]>;

async function login(person: Person) {
  const world = await operationsWorld();
  const added = await addPerson(world.deps, { name: 'ada', key: [], ...person });
  const principal = await world.as(added.raw);
  const keys = keyOperations(world.deps);
  return {
    ...world,
    parent: added,
    keys,
    exchange: (input: Parameters<typeof keys.exchange>[1]) => keys.exchange(principal, input, INFO),
  };
}

const ADMINISTRATOR: Person = { holds: ['admin', 'kubernetes:patch'], key: ['admin'] };
const LEAD: Person = {
  roles: [{ project: 'acme', role: 'project-admin' }],
  key: ['deployments:read', 'deployments:write', 'kubernetes:patch'],
  scope: PLACE,
};

describe('exchanging a key for one of the command line', () => {
  it('gives a narrower key of the same identity, which is put on record', async () => {
    const { exchange, as, actions, parent } = await login(ADMINISTRATOR);
    const made = must(await exchange({ name: "ada's laptop", ...PLACE }));
    expect(made.metadata).toMatchObject({ kind: 'cli', identity_id: 'ada', permissions: ['admin'], ...PLACE });
    expect(await as(made.key)).toMatchObject({ identity: 'ada', key: { scope: PLACE } });
    expect(made.metadata.id).not.toBe(parent.id);
    expect(actions()).toEqual(['key.exchange']);
  });

  it('carries over what the key has, but never patches and exec by themselves', async () => {
    const { exchange } = await login({ ...LEAD, key: [...LEAD.key!, 'pods:exec'] });
    const plain = must(await exchange(PLACE)).metadata.permissions;
    expect(plain).toEqual(['deployments:read', 'deployments:write']);
    const named: Permission[] = ['deployments:write', 'kubernetes:patch'];
    expect(must(await exchange({ ...PLACE, permissions: named })).metadata.permissions).toEqual(named);
  });

  it('gives an administrator patches for the asking, when the identity holds them', async () => {
    const permissions: Permission[] = ['admin', 'kubernetes:patch'];
    const { exchange } = await login(ADMINISTRATOR);
    expect(must(await exchange({ ...PLACE, permissions })).metadata.permissions).toEqual(permissions);
  });

  const refused: readonly (readonly [
    string,
    Person,
    Parameters<Awaited<ReturnType<typeof login>>['exchange']>[0],
    string,
  ])[] = [
    [
      'patches that the key does not have, though its identity does',
      { ...LEAD, key: ['deployments:write'] },
      { ...PLACE, permissions: ['kubernetes:patch'] },
      'permission_denied permissions',
    ],
    [
      'patches that the identity does not hold',
      { ...LEAD, roles: [{ project: 'acme', role: 'developer' }] },
      { ...PLACE, permissions: ['kubernetes:patch'] },
      'permission_denied permissions',
    ],
    ['more than the key has', LEAD, { ...PLACE, permissions: ['logs:read'] }, 'permission_denied permissions'],
    ['admin to who is none', LEAD, { ...PLACE, permissions: ['admin'] }, 'permission_denied permissions'],
    ['another project', LEAD, { project: 'other', environment: 'production' }, 'permission_denied'],
    ['another environment', LEAD, { project: 'acme', environment: 'staging' }, 'permission_denied'],
    ['a key that has nothing to carry', { ...LEAD, key: ['pods:exec'] }, PLACE, 'invalid_request permissions'],
    [
      'a longer life than that of the key',
      LEAD,
      { ...PLACE, expires_at: '2026-07-01T00:00:00.001Z' },
      'invalid_request expires_at',
    ],
    ['less than a minute of life', { ...LEAD, expiresAt: '2026-06-01T00:00:59.000Z' }, PLACE, 'invalid_request'],
  ];
  it.each(refused)('refuses %s', async (_, person, input, code) => {
    const { exchange, deps } = await login(person);
    expect(codeOf(await exchange(input))).toBe(code);
    expect(deps.keys.all()).toHaveLength(1);
  });

  it("lives 30 days, an administrator's also past the key it came from, others no longer than it", async () => {
    const soon = '2026-06-05T00:00:00.000Z';
    const free = await login({ ...ADMINISTRATOR, expiresAt: soon });
    const inDays = (days: number): string => new Date(free.world.now.getTime() + days * DAY).toISOString();
    expect(must(await free.exchange(PLACE)).metadata.expires_at).toBe(inDays(30));
    const bound = await login({ ...LEAD, expiresAt: soon });
    expect(must(await bound.exchange(PLACE)).metadata.expires_at).toBe(soon);
  });

  it("goes with a key that is revoked, unless an administrator's, who could have made it anyway", async () => {
    for (const [person, isGone] of [
      [LEAD, true],
      [ADMINISTRATOR, false],
    ] as const) {
      const { exchange, keys, parent, authenticate } = await login(person);
      const { key } = must(await exchange(PLACE));
      must(await keys.revoke(ADMIN, { id: parent.id }, INFO));
      expect((await authenticate(`Bearer ${key}`)).ok).toBe(!isGone);
    }
  });

  it("is nothing for the cluster's own rights, which have no key", async () => {
    const { keys } = await login(LEAD);
    expect(codeOf(await keys.exchange(ADMIN, PLACE, INFO))).toBe('invalid_request');
  });
});
