import { beforeEach, describe, expect, it } from 'vitest';
import { problem } from '../../../src/kernel/index.ts';
import { checkHook } from '../../../src/pipeline/hooks/index.ts';
import { type GitDeps, webhookOperations } from '../../../src/pipeline/operations/git/index.ts';
import type { RequestInfo } from '../../../src/ports/api/index.ts';
import type { GitRepository } from '../../../src/ports/index.ts';
import { type ApiWorld, apiWorld, memoryCredentials } from '../../support/api-world.ts';
import type { MemoryHooks } from '../../support/memory-hooks.ts';
import { ADMIN, codeOf, INFO, must } from '../../support/operations.ts';

const NAME = 'github-123456789';
const SECRET = `${NAME}-hook`;
const info: RequestInfo = INFO;

let world: ApiWorld;
let hooks: MemoryHooks;
let url: string;
const stored = (): GitRepository => world.memory.repositories.cached(NAME)!;
const secrets = () => world.kept.get(SECRET) as { current: string; previous?: string };
const install = () => world.operations.repositories.installWebhook(ADMIN, { name: NAME }, info);
const rotate = () => world.operations.repositories.rotateWebhook(ADMIN, { name: NAME }, info);
const test = () => world.operations.repositories.testWebhook(ADMIN, { name: NAME }, info);
const show = () => world.operations.repositories.webhook(ADMIN, { name: NAME }, info);

const pass = (ms: number): void => {
  world.memory.now = new Date(world.memory.now.getTime() + ms);
};
/** Whether the receiver takes what the forge signs. */
const isValid = (): boolean => Object.values(secrets()).includes(hooks.secrets.get('1') ?? '');

beforeEach(async () => {
  world = await apiWorld();
  world.memory.delivered.length = 0;
  hooks = world.memory.deps.hooks as MemoryHooks;
  const { spec } = stored();
  url = `https://hakopod.example.com/hooks/${spec.hookId}`;
  const known = { provider: 'github', url: spec.url, repository_id: '123456789', repository: spec.project } as const;
  must(await world.operations.repositories.create(ADMIN, { ...known, token: 'canary-token' }, info));
});

/** The forge delivers what it was asked for, signed with the secret it has. */
function answer(): void {
  hooks.onTest = (id) => {
    const { current, previous } = secrets();
    const isKnown = [current, previous].includes(hooks.secrets.get(id));
    const provenBy = hooks.secrets.get(id) === current ? 'current' : 'previous';
    world.memory.delivered.unshift({
      ...{ repository: NAME, deliveryId: undefined, at: world.memory.now.toISOString() },
      ...(isKnown ? { verdict: 'event', provenBy } : { verdict: 'refused' }),
    });
    return undefined;
  };
}

describe('installing', () => {
  it('creates the hook with the fewest events and the secret that was made for it, and lets it deliver', async () => {
    answer();
    const installed = must(await install());
    expect(installed).toMatchObject({
      created: true,
      webhook: { url, configured: true, poll_seconds: 300, forge: { health: 'healthy', faults: [], id: '1', url } },
    });
    expect(installed).not.toHaveProperty('webhook_secret');
    expect(hooks.items.get('1')).toMatchObject({ url, events: ['push', 'tag_push', 'pull_request', 'comment'] });
    expect(hooks.secrets.get('1')).toBe(secrets().current);
    expect(stored().status.webhook).toMatchObject({ id: '1', health: 'healthy' });
  });

  it('mends what somebody did to it, and takes doubles away', async () => {
    must(await install());
    const made = hooks.items.get('1')!;
    hooks.items.set('1', { ...made, events: [], state: 'disabled', verifiesTls: false });
    hooks.items.set('2', { ...made, id: '2', url: `http://old.example.com/hooks/${stored().spec.hookId}` });
    hooks.items.set('3', { ...made, id: '3', url: 'https://ci.example.com/build' });
    hooks.secrets.set('1', 'another');
    expect(must(await install())).toMatchObject({ created: false, webhook: { forge: { faults: [] } } });
    expect(hooks.items.get('1')).toEqual(made);
    expect(hooks.secrets.get('1')).toBe(secrets().current);
    expect([...hooks.items.keys()]).toEqual(['1', '3']);
  });

  it('makes a secret where there is none, and shows it this once', async () => {
    world.kept.delete(SECRET);
    const installed = must(await install());
    expect(installed.webhook_secret).toBe(secrets().current);
    expect(must(await install())).not.toHaveProperty('webhook_secret');
  });

  it('says what is missing: a token, the right to manage webhooks, an address the forge can reach', async () => {
    hooks.refusal = problem('forge_not_found', undefined, { cause: { words: 'words of the forge' } });
    const refused = await install();
    expect(codeOf(refused)).toBe('forge_not_found');
    expect(refused).toMatchObject({
      problem: {
        message: expect.stringMatching(/may not manage its webhooks; .* GitLab the scope api and the role Maintainer$/),
      },
    });
    hooks.refusal = undefined;
    world.kept.delete(`${NAME}-credentials`);
    expect(codeOf(await install())).toBe('forge_unauthorized');
    expect(hooks.items.size).toBe(0);
  });
});

it('needs an address of its own, and does nothing at the forge without', async () => {
  const deps = { ...world.memory.deps, publicUrl: undefined } as unknown as GitDeps;
  const operations = webhookOperations(deps);
  expect(codeOf(await operations.installWebhook(ADMIN, { name: NAME }, info))).toBe('public_url_missing');
  expect(codeOf(await operations.testWebhook(ADMIN, { name: NAME }, info))).toBe('public_url_missing');
  expect(hooks.calls).toEqual([]);
});

it('is for whoever manages Git there', async () => {
  const holds = ['deployments:write'] as const;
  const scope = { project: 'acme', environment: 'production' };
  const ben = await world.person({ name: 'ben', holds: ['admin'], key: holds, scope });
  const { installWebhook, rotateWebhook, testWebhook, webhook } = world.operations.repositories;
  for (const operation of [installWebhook, rotateWebhook, testWebhook, webhook])
    expect(codeOf(await operation(ben, { name: NAME }, info))).toBe('permission_denied');
  expect(hooks.calls).toEqual([]);
});

describe('showing', () => {
  it('tells what is wrong now, and writes nothing', async () => {
    must(await install());
    const { checkedAt: _then, ...before } = stored().status.webhook!;
    hooks.items.set('1', { ...hooks.items.get('1')!, state: 'disabled' });
    hooks.delivered = [{ id: '9', at: world.memory.now.toISOString(), status: 401, ok: false }];
    expect(must(await show())).toMatchObject({
      poll_seconds: 20,
      forge: { health: 'dead', faults: ['disabled', 'secret'], last_delivery: { status: 401, ok: false } },
    });
    expect(stored().status.webhook).toMatchObject(before);
  });

  it('says why the forge tells nothing', async () => {
    hooks.refusal = problem('forge_unavailable');
    expect(must(await show())).toMatchObject({ forge: { health: 'unknown', code: 'forge_unavailable' } });
  });
});

describe('rotating', () => {
  it('gives the forge the new secret and keeps the old one valid beside it', async () => {
    must(await install());
    const before = secrets().current;
    const rotated = must(await rotate());
    expect(rotated).toMatchObject({ forge_updated: true, webhook: { rotating_since: world.memory.now.toISOString() } });
    expect(secrets()).toEqual({ current: rotated.webhook_secret, previous: before });
    expect(hooks.secrets.get('1')).toBe(rotated.webhook_secret);
    expect(rotated.webhook_secret).not.toBe(before);
  });

  it('keeps the one the forge uses, however often it is repeated where a person has to enter it', async () => {
    must(await install());
    const inUse = secrets().current;
    hooks.refusal = problem('forge_unauthorized');
    const first = must(await rotate());
    expect(first).toMatchObject({ forge_updated: false, code: 'forge_unauthorized' });
    pass(10_000);
    const second = must(await rotate());
    expect(secrets()).toEqual({ current: second.webhook_secret, previous: inUse });
    expect(hooks.secrets.get('1')).toBe(inUse);
  });

  it('locks nobody out when it is repeated before a delivery came, and the forge goes away', async () => {
    must(await install());
    must(await rotate());
    pass(10_000);
    const { update } = hooks;
    let updates = 0;
    const away = { ok: false, problem: problem('forge_unavailable') } as const;
    Object.assign(hooks, {
      update: (...args: Parameters<typeof update>) => {
        updates += 1;
        return updates > 1 ? Promise.resolve(away) : update(...args);
      },
    });
    expect(must(await rotate())).toMatchObject({ forge_updated: false, code: 'forge_unavailable' });
    expect(isValid()).toBe(true);
    pass(10_000);
    expect(codeOf(await rotate())).toBe('forge_unavailable');
    expect(isValid()).toBe(true);
  });

  it('takes the secret that a delivery proved for the one in use', async () => {
    must(await install());
    const first = must(await rotate());
    pass(6_000);
    answer();
    must(await test());
    pass(10_000);
    hooks.refusal = problem('forge_unauthorized');
    must(await rotate());
    expect(secrets().previous).toBe(first.webhook_secret);
    expect(isValid()).toBe(true);
  });

  it('is done by one person at a time', async () => {
    must(await install());
    const [a, b] = await Promise.all([rotate(), rotate()]);
    const done = [a, b].filter(({ ok }) => ok);
    expect(done).toHaveLength(1);
    expect(codeOf([a, b].find(({ ok }) => !ok) ?? a)).toBe('conflict');
    expect(hooks.secrets.get('1')).toBe(secrets().current);
  });

  it('is not undone by an installation that began before it', async () => {
    must(await install());
    const { update } = hooks;
    Object.assign(hooks, {
      update: async (...args: Parameters<typeof update>) => {
        Object.assign(hooks, { update });
        must(await rotate());
        return update(...args);
      },
    });
    must(await install());
    expect(hooks.secrets.get('1')).toBe(secrets().current);
    expect(stored().status.webhook?.rotatedAt).toBeDefined();
  });

  it('is not forgotten by a look that began before it', async () => {
    must(await install());
    const { list } = hooks;
    Object.assign(hooks, {
      list: async (...args: Parameters<typeof list>) => {
        Object.assign(hooks, { list });
        must(await rotate());
        return list(...args);
      },
    });
    pass(3_600_000);
    const deps = { ...world.memory.deps, credentials: memoryCredentials(world.kept) };
    await checkHook(deps, stored(), 'https://hakopod.example.com');
    expect(stored().status.webhook?.rotatedAt).toBe(world.memory.now.toISOString());
  });

  it('is for a hook that has a secret', async () => {
    world.kept.delete(SECRET);
    expect(codeOf(await rotate())).toBe('conflict');
  });
});

describe('testing', () => {
  it('says whether the delivery arrived with the right secret', async () => {
    must(await install());
    expect(must(await test())).toMatchObject({ arrived: false });
    world.memory.now = new Date(world.memory.now.getTime() + 1000);
    answer();
    expect(must(await test())).toMatchObject({ arrived: true, webhook: { forge: { health: 'healthy' } } });
    world.memory.now = new Date(world.memory.now.getTime() + 1000);
    hooks.secrets.set('1', 'another');
    expect(must(await test())).toMatchObject({ arrived: false });
  });

  it('takes a failed delivery for an answer, and no hook for none', async () => {
    expect(codeOf(await test())).toBe('not_found');
    must(await install());
    hooks.onTest = () => problem('forge_rejected');
    expect(must(await test())).toMatchObject({ arrived: false });
    hooks.onTest = () => problem('forge_unavailable');
    expect(codeOf(await test())).toBe('forge_unavailable');
  });
});

it('takes the hook away with the repository', async () => {
  must(await install());
  for (const [id] of world.memory.sources.items) world.memory.sources.items.delete(id);
  must(await world.operations.repositories.remove(ADMIN, { name: NAME }, info));
  expect(hooks.items.size).toBe(0);
});

it('puts on record who did it, and never a secret', async () => {
  must(await install());
  const rotated = must(await rotate());
  must(await test());
  const said = JSON.stringify([must(await show()), stored(), hooks.calls]);
  expect(said).not.toContain(rotated.webhook_secret);
  expect(said).not.toContain('canary-token');
});
