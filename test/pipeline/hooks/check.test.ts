import { beforeEach, expect, it } from 'vitest';
import { ok, problem } from '../../../src/kernel/index.ts';
import { checkHook, removeHook, wantedEvents } from '../../../src/pipeline/hooks/index.ts';
import { poll } from '../../../src/pipeline/poll.ts';
import { resync } from '../../../src/pipeline/resync.ts';
import type { GitRepository } from '../../../src/ports/index.ts';
import { memoryCredentials } from '../../support/api-world.ts';
import { type Memory, memory } from '../../support/memory.ts';
import { type MemoryHooks, memoryHooks } from '../../support/memory-hooks.ts';

const PUBLIC = 'https://hakopod.example.com/';
const URL = `https://hakopod.example.com/hooks/${'0'.repeat(32)}`;
const SECRET = 'github-1-hook';
const MINUTE_MS = 60_000;

let world: Memory;
let hooks: MemoryHooks;
let kept: Map<string, unknown>;

beforeEach(async () => {
  world = await memory();
  hooks = memoryHooks();
  kept = new Map<string, unknown>([
    ['github-1-credentials', { username: 'x', token: 't' }],
    [SECRET, { current: 'new', previous: 'old' }],
  ]);
  await world.repositories.update('github-1', ({ spec }) => ({
    spec: { ...spec, credentialsSecret: 'github-1-credentials', webhookSecret: SECRET },
  }));
});

const repository = (): GitRepository => world.repositories.cached('github-1')!;
const webhook = () => repository().status.webhook;
const check = () => checkHook({ ...world.deps, hooks, credentials: memoryCredentials(kept) }, repository(), PUBLIC);
const pass = (ms: number): void => {
  world.now = new Date(world.now.getTime() + ms);
};

function deliver(provenBy: 'current' | 'previous' | undefined, ms = 0): void {
  const at = new Date(world.now.getTime() + ms).toISOString();
  const proof = provenBy === undefined ? {} : { provenBy };
  world.delivered.unshift({ repository: 'github-1', deliveryId: undefined, verdict: 'event', at, ...proof });
}

it('says how the hook stands, and looks again when it is time', async () => {
  await check();
  expect(webhook()).toMatchObject({ health: 'dead', faults: ['missing'], checkedAt: world.now.toISOString() });
  await hooks.create({} as never, {
    url: URL,
    events: wantedEvents(world.deps, repository()),
    secret: 'new',
    auth: 'hmac',
  });
  pass(2 * MINUTE_MS - 1);
  await check();
  expect(webhook()?.health).toBe('dead');
  pass(1);
  deliver(undefined);
  await check();
  expect(webhook()).toMatchObject({ health: 'healthy', faults: [], id: '1', url: URL });
  hooks.items.clear();
  pass(15 * MINUTE_MS - 1);
  await check();
  expect(webhook()?.health).toBe('healthy');
  pass(1);
  await check();
  expect(webhook()?.health).toBe('dead');
});

it('knocks at a closed door once an hour, and says so', async () => {
  hooks.refusal = problem('forge_not_found');
  await check();
  expect(webhook()).toMatchObject({ health: 'unknown', code: 'forge_not_found' });
  pass(60 * MINUTE_MS - 1);
  await check();
  expect(hooks.calls).toEqual(['list']);
  pass(1);
  await check();
  expect(hooks.calls).toEqual(['list', 'list']);
});

it('asks no forge without a public URL or a token', async () => {
  await checkHook({ ...world.deps, hooks, credentials: memoryCredentials(kept) }, repository(), undefined);
  await world.repositories.update('github-1', ({ spec: { credentialsSecret: _none, ...spec } }) => ({ spec }));
  await check();
  expect(hooks.calls).toEqual([]);
});

it('keeps both secrets until a delivery proves the new one, however long that takes', async () => {
  const rotatedAt = world.now.toISOString();
  await world.repositories.updateStatus('github-1', ({ status }) => ({
    ...status,
    webhook: { health: 'unknown', rotatedAt },
  }));
  pass(30 * 24 * 60 * MINUTE_MS);
  deliver('previous');
  deliver(undefined);
  await check();
  expect(kept.get(SECRET)).toEqual({ current: 'new', previous: 'old' });
  expect(webhook()?.rotatedAt).toBe(rotatedAt);
  deliver('current');
  await check();
  expect(kept.get(SECRET)).toEqual({ current: 'new' });
  expect(webhook()?.rotatedAt).toBeUndefined();
});

it('does not take a delivery for proof that the receiver judged by the secrets of before', async () => {
  await world.repositories.updateStatus('github-1', ({ status }) => ({
    ...status,
    webhook: { health: 'unknown', rotatedAt: world.now.toISOString() },
  }));
  deliver('current', 4999);
  pass(MINUTE_MS);
  await check();
  expect(kept.get(SECRET)).toEqual({ current: 'new', previous: 'old' });
});

it('is looked at with each poll, and the polls follow it', async () => {
  const scheduled: unknown[] = [];
  const schedule = {
    ensure: async (list: readonly { readonly name: string; readonly intervalSeconds: number }[]) => {
      scheduled.push(...list.map(({ intervalSeconds }) => intervalSeconds));
      return ok(undefined);
    },
  };
  const { options, ...deps } = world.deps;
  const whole = { ...deps, hooks, schedule, credentials: memoryCredentials(kept) };
  const run = { signal: new AbortController().signal };
  const withUrl = { ...whole, options: { ...options, publicUrl: PUBLIC } };
  await resync(withUrl);
  expect(await poll(withUrl, { repository: 'github-1' }, run)).toMatchObject({ ok: true });
  await resync(withUrl);
  await hooks.create({} as never, {
    url: URL,
    events: wantedEvents(world.deps, repository()),
    secret: 'new',
    auth: 'hmac',
  });
  deliver(undefined);
  pass(2 * MINUTE_MS);
  await poll(withUrl, { repository: 'github-1' }, run);
  await resync(withUrl);
  expect(scheduled).toEqual([60, 20, 300]);
});

it('takes only a hook away that was installed and still is ours, and lets nothing keep it from going on', async () => {
  const deps = { ...world.deps, hooks, credentials: memoryCredentials(kept) };
  const made = (installedAt?: string): GitRepository => ({
    ...repository(),
    status: { webhook: { health: 'healthy', id: '1', ...(installedAt === undefined ? {} : { installedAt }) } },
  });
  const installed = made(world.now.toISOString());
  await hooks.create({} as never, { url: URL, events: ['push'], secret: 'new', auth: 'hmac' });
  hooks.calls.length = 0;
  expect(await removeHook(deps, made())).toBe(false);
  expect(hooks.calls).toEqual([]);
  const ours = hooks.items.get('1')!;
  hooks.items.set('1', { ...ours, url: 'https://ci.example.com/build?token=theirs' });
  expect(await removeHook(deps, installed)).toBe(false);
  expect(hooks.items.size).toBe(1);
  hooks.items.set('1', ours);
  expect(await removeHook(deps, installed)).toBe(true);
  expect(hooks.items.size).toBe(0);
  hooks.refusal = problem('forge_unavailable');
  expect(await removeHook(deps, installed)).toBe(false);
});

it('lets the forge deliver once more while a rotation has no proof, so that it ends where nobody pushes', async () => {
  await hooks.create({} as never, { url: URL, events: ['push'], secret: 'new', auth: 'hmac' });
  const rotatedAt = world.now.toISOString();
  await world.repositories.updateStatus('github-1', ({ status }) => ({
    ...status,
    webhook: { health: 'unknown', id: '1', rotatedAt },
  }));
  hooks.onTest = () => {
    deliver('current');
    return undefined;
  };
  pass(MINUTE_MS);
  await check();
  pass(15 * MINUTE_MS);
  await check();
  expect(kept.get(SECRET)).toEqual({ current: 'new' });
  hooks.calls.length = 0;
  pass(15 * MINUTE_MS);
  await check();
  expect(hooks.calls).not.toContain('test 1');
});

it.each(['no source', 'a ref that can not be read'])('ends a rotation of a repository with %s', async (what) => {
  await world.repositories.updateStatus('github-1', ({ status }) => ({
    ...status,
    webhook: { health: 'unknown', rotatedAt: world.now.toISOString() },
  }));
  if (what === 'no source') world.sources.items.clear();
  const git = {
    ...world.deps.git,
    listRefs: async () => ({ ok: false, problem: problem('git_unauthorized') }) as const,
  };
  pass(MINUTE_MS);
  deliver('current');
  const run = { signal: new AbortController().signal };
  await poll({ ...world.deps, git, hooks, credentials: memoryCredentials(kept) }, { repository: 'github-1' }, run);
  expect(kept.get(SECRET)).toEqual({ current: 'new' });
});
