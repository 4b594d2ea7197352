import { afterEach, describe, expect, it } from 'vitest';
import { startWorld, until, type World } from '../support/world.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const REF = { apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system', name: 'hakopod-identity' };

describe('the identity of an installation', () => {
  it('is made by the first worker, taken over by the next, and kept from a second installation', async () => {
    world = await startWorld();
    const read = async (): Promise<{ readonly [field: string]: unknown } | undefined> => {
      const secret = await world?.api.get(REF);
      const data =
        secret?.ok === true ? (secret.value?.data as Readonly<Record<string, string>> | undefined) : undefined;
      return data === undefined ? undefined : JSON.parse(Buffer.from(data['identity.json'] ?? '', 'base64').toString());
    };
    const first = await world.serve({ roles: ['worker'] });
    await until('the identity is made', async () => (await read()) !== undefined);
    const made = await read();
    expect(made?.generation).toBe(1);
    await first.stop();
    const second = await world.serve({ roles: ['worker'] });
    await until('it is taken over', async () => (await read())?.generation === 2);
    expect((await read())?.installation).toBe(made?.installation);
    await second.stop();

    // The Secret of an installation somewhere else, brought here by a backup.
    const live = await world.api.get(REF);
    if (!live.ok || live.value === undefined) throw new Error('there is no identity');
    const copy = JSON.stringify({ ...made, generation: 7, home: { namespace: 'hakopod-system', uid: 'elsewhere' } });
    const data = { 'identity.json': Buffer.from(copy).toString('base64') };
    expect((await world.api.replace({ ...live.value, data })).ok).toBe(true);
    const third = await world.serve({ roles: ['worker'] });
    expect(await third.failed).toMatchObject({ code: 'identity_conflict' });
    expect((await read())?.generation).toBe(7);
    await third.stop();
  }, 60_000);
});
