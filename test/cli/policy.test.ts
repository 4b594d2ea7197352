import { beforeEach, describe, expect, it } from 'vitest';
import { withSource } from '../support/api-world.ts';
import { type CliWorld, cliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
  await withSource(world);
});

const set = (...flags: readonly string[]) => world.run(['sources', 'policy', 'set', 'shop', ...flags]);
const freeze = () => world.memory.sources.items.get('acme.production.shop')?.spec.policy?.freeze;

describe('sources policy set --freeze', () => {
  it.each([
    ['0 18 * * 5 for 62h in Europe/Berlin', { start: '0 18 * * 5', minutes: 3720, timezone: 'Europe/Berlin' }],
    ['30 9 24-26 dec * for 3d', { start: '30 9 24-26 dec *', minutes: 4320 }],
    ['*/5 * * * * for 2m', { start: '*/5 * * * *', minutes: 2 }],
  ])('%s', async (text, window) => {
    expect(await set('--freeze', text)).toMatchObject({ code: 0 });
    expect(freeze()).toEqual([window]);
  });

  it.each([
    ['0 18 * * 5', '--freeze'],
    ['0 18 * * for 2h', '--freeze'],
    ['0 18 * * 5 for 2w', '--freeze'],
    ['0 18 * * 9 for 2h', 'freeze.0.start'],
    ['0 18 * * 5 for 2h in Mars/Base', 'freeze.0.timezone'],
    ['0 18 * * 5 for 15d', 'freeze.0.minutes'],
  ])('%s is refused at %s', async (text, at) => {
    const ran = await set('--freeze', text);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(at)]);
    expect(freeze()).toBeUndefined();
  });

  it('takes several, and lets go of all', async () => {
    await set('--freeze', '0 18 * * 5 for 2h', '--freeze', '0 6 * * 1 for 1h', '--check', 'ci');
    expect(freeze()).toHaveLength(2);
    const shown = await set('--no-freeze');
    expect(shown.out).toContain('freeze:  never');
    expect(shown.out).toContain('checks:  ci');
    expect(freeze()).toEqual([]);
  });
});
