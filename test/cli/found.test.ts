import { beforeEach, describe, expect, it } from 'vitest';
import { type CliWorld, cliWorld } from '../support/cli-world.ts';

const SHOP = 'acme/production/shop';

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

describe('audit export', () => {
  it('prints every change once, over any number of pages', async () => {
    const { audit, clock } = world.memory.deps;
    for (let n = 0; n < 1_500; n += 1)
      await audit.append({
        time: clock.now().toISOString(),
        identity: `ada-${n}`,
        origin: 'api',
        action: 'secret.write',
        resource: { kind: 'Secret' },
      });
    for (const [format, extra] of [
      ['csv', 1],
      ['jsonl', 0],
    ] as const) {
      const { code, out } = await world.run(['audit', 'export', '--action', 'secret.write', '--format', format]);
      expect(code).toBe(0);
      const rows = out.trimEnd().split('\n');
      expect(rows.filter((row) => row.includes('ada-'))).toHaveLength(1_500);
      expect(rows).toHaveLength(new Set(rows).size);
      expect(rows.length - rows.filter((row) => row.includes('secret.write')).length).toBe(extra);
    }
  });
});

describe('identities set', () => {
  const narrow = async () => {
    const shown = await world.run(['identities', 'list', '-o', 'json']);
    const { items } = JSON.parse(shown.out) as { readonly items: readonly { readonly name: string }[] };
    return items.find(({ name }) => name === 'narrow');
  };

  it('widens no scope and lets nobody in again', async () => {
    const scope = { project: 'acme' };
    const spec = { kind: 'machine' as const, permissions: [], bindings: [], scope, disabled: true };
    await world.memory.deps.identities.create({ name: 'narrow', spec });
    expect((await world.run(['identities', 'set', 'narrow', '--permission', 'deployments:write'])).code).toBe(0);
    expect(await narrow()).toMatchObject({ project: 'acme', disabled: true, permissions: ['deployments:write'] });
    expect((await world.run(['identities', 'set', 'narrow', '--enabled'])).code).toBe(0);
    expect(await narrow()).toMatchObject({ project: 'acme', disabled: false, permissions: [] });
  });
});

describe('an idempotency key', () => {
  it.each([
    ['restart', ['web']],
    ['scale', ['web', '--replicas', '2']],
    ['stop', ['web']],
  ])('finds the release of an earlier %s', async (command, more) => {
    const args = [command, SHOP, ...more, '--idempotency-key', 'same-key-1', '-o', 'json'];
    const [first, again] = [await world.run(args), await world.run(args)];
    expect([first.code, again.code], again.all).toEqual([0, 0]);
    expect((JSON.parse(again.out) as { id: string }).id).toBe((JSON.parse(first.out) as { id: string }).id);
  });
});

describe('what a server says', () => {
  it('can not steer the terminal', async () => {
    const error = { code: 'not_found', message: 'here\u001b[2J\u202etxt', details: { at: 'a\u0007b' } };
    const intercept = () => Response.json({ error }, { status: 404 });
    const { err } = await world.run(['apps', 'list'], { intercept });
    expect(err).toContain('here\\u{1b}');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
    expect(err).not.toMatch(/[\u0007\u001b\u202e]/);
  });
});

describe('what a server knows', () => {
  it('of additional endpoints is shown', async () => {
    const service = {
      name: 'web',
      status: 'ready' as const,
      endpoints: { admin: 'https://web-admin.apps.example.test' },
    };
    const [name = ''] = [...world.memory.applications.items.keys()];
    await world.memory.applications.updateStatus(name, ({ status }) => ({ ...status, services: [service] }));
    const { code, out, err } = await world.run(['apps', 'list', '-o', 'json']);
    expect(code, err).toBe(0);
    expect(out).toContain('https://web-admin.apps.example.test');
  });

  it('and this command line does not is left out, at any depth; what is wrong stays wrong', async () => {
    const { out } = await world.run(['projects', 'list', '-o', 'json']);
    const [project] = (JSON.parse(out) as { readonly items: readonly object[] }).items;
    const newer = { items: [{ ...project, region: 'x', environments: [{ name: 'production', tier: 1 }] }], total: 9 };
    const shown = await world.run(['projects', 'list', '-o', 'json'], { intercept: () => Response.json(newer) });
    expect(shown.code, shown.err).toBe(0);
    expect(JSON.parse(shown.out)).toEqual({ items: [{ ...project, environments: [{ name: 'production' }] }] });
    const wrong = { items: [{ ...project, region: 'x', id: 7 }] };
    const refused = await world.run(['projects', 'list'], { intercept: () => Response.json(wrong) });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('not of this version') });
  });
});
