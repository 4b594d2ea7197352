import { expect, test } from 'vitest';
import { forgetKeys } from '../../../../src/pipeline/operations/people/index.ts';
import { must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

test('forgets keys 30 days after they expired or were revoked, and no others', async () => {
  const { deps, world } = await operationsWorld();
  const days = (n: number): string => new Date(world.now.getTime() + n * 86_400_000).toISOString();
  const add = async (name: string, expires: number, revoked?: number): Promise<void> => {
    const { id } = await addPerson(deps, { name, key: ['logs:read'], expiresAt: days(expires) });
    if (revoked !== undefined) await deps.keys.change(id, () => ({ revokedAt: days(revoked) }));
  };
  await add('alive', 5);
  await add('expired', -31);
  await add('expired-lately', -29);
  await add('revoked', 5, -31);
  await add('revoked-lately', 5, -29);
  expect(must(await forgetKeys(deps))).toBe(2);
  expect(deps.keys.all().map(({ identity }) => identity)).toEqual(['alive', 'expired-lately', 'revoked-lately']);
});
