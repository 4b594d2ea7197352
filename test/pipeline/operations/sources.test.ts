import { describe, expect, it } from 'vitest';
import { LOCAL, type Principal } from '../../../src/access/index.ts';
import type { Result } from '../../../src/kernel/index.ts';
import { REQUESTED_AT, RESUMED_REVISION } from '../../../src/ports/index.ts';
import { type ApiWorld, apiWorld, must, withSource } from '../../support/api-world.ts';
import { INFO } from '../../support/release-api.ts';

const PLACE = { project: 'acme', environment: 'production' };
const ID = 'acme.production.shop';
const NEW = {
  provider: 'github',
  url: 'https://github.com/acme/blog.git',
  repository_id: '77',
  repository: 'acme/blog',
} as const;
const BIND = { ...PLACE, application: 'shop', repository: 'github-123456789', ref: 'main', path: 'hakopod.toml' };

/** Somebody who manages Git in acme/production, with a key of exactly that. */
const manager = (world: ApiWorld): Promise<Principal> =>
  world.person({
    name: 'mira',
    roles: [{ project: 'acme', role: 'project-admin' }],
    key: ['git:manage', 'deployments:read', 'deployments:write'],
    scope: PLACE,
  });
const stranger = (world: ApiWorld): Promise<Principal> =>
  world.person({
    name: 'otto',
    roles: [{ project: 'empty', role: 'project-admin' }],
    key: ['admin', 'git:manage'],
    scope: { project: 'empty', environment: 'production' },
  });
const refusal = async (result: Promise<Result<unknown>>): Promise<unknown> => {
  const done = await result;
  return done.ok ? 'done' : [done.problem.code, done.problem.at];
};
const actions = (world: ApiWorld): readonly string[] =>
  (world.memory.deps.audit as unknown as { readonly events: readonly { readonly action: string }[] }).events.map(
    ({ action }) => action,
  );

describe('a repository', () => {
  it('belongs to the environment of the key that adds it, and its secret is shown once', async () => {
    const world = await apiWorld();
    const { repositories } = world.operations;
    const mira = await manager(world);
    const made = must(await repositories.create(mira, { ...NEW, token: 'the token' }, INFO));
    expect(made).toMatchObject({ ...PLACE, created: true, token_configured: true, interval_seconds: 60 });
    expect(made.webhook_secret).toMatch(/^[0-9a-f]{64}$/);
    expect(made.webhook.url).toBe(`https://hakopod.example.com${made.webhook_path}`);
    expect(world.kept.get('github-77-credentials')).toEqual({ username: 'x-access-token', token: 'the token' });
    expect(world.kept.get('github-77-hook')).toEqual({ current: made.webhook_secret });
    const again = must(await repositories.create(mira, { ...NEW, token: 'another' }, INFO));
    expect([again.created, again.webhook_secret]).toEqual([false, undefined]);
    expect(world.kept.get('github-77-credentials')).toMatchObject({ token: 'another' });
    expect(must(await repositories.webhook(mira, { name: 'github-77' }, INFO))).toMatchObject({ configured: true });
    world.kept.delete('github-77-hook');
    expect(must(await repositories.webhook(mira, { name: 'github-77' }, INFO))).toMatchObject({ configured: false });
    expect(must(await repositories.create(mira, NEW, INFO)).webhook_secret).toMatch(/^[0-9a-f]{64}$/);
    const shown = JSON.stringify([
      await repositories.list(mira, { limit: 100 }, INFO),
      await repositories.show(mira, { name: 'github-77' }, INFO),
      world.memory.deps.audit,
    ]);
    for (const secret of ['the token', 'another', made.webhook_secret ?? '']) expect(shown).not.toContain(secret);
    expect(
      actions(world)
        .filter((action) => action.startsWith('repository.'))
        .slice(-3),
    ).toEqual(['repository.create', 'repository.update', 'repository.update']);
  });

  it('is nobody else’s: not to see, to give a token, to bind or to remove', async () => {
    const world = await apiWorld();
    const { repositories, sources } = world.operations;
    const otto = await stranger(world);
    const name = 'github-123456789';
    const known = { ...NEW, repository_id: '123456789', url: 'https://github.com/acme/shop.git', token: 'mine' };
    expect(must(await repositories.list(otto, { limit: 100 }, INFO)).items).toEqual([]);
    expect(await refusal(repositories.show(otto, { name }, INFO))).toEqual(['permission_denied', undefined]);
    expect(await refusal(repositories.webhook(otto, { name }, INFO))).toEqual(['permission_denied', undefined]);
    expect(await refusal(repositories.remove(otto, { name }, INFO))).toEqual(['permission_denied', undefined]);
    expect(await refusal(repositories.create(otto, known, INFO))).toEqual(['permission_denied', undefined]);
    expect(world.kept.get('github-123456789-credentials')).toMatchObject({ token: 'a token' });
    const theirs = { ...BIND, project: 'empty', application: 'copy' };
    expect(await refusal(sources.create(otto, theirs, INFO))).toEqual(['permission_denied', 'repository']);
    expect(await refusal(repositories.show(otto, { name: 'github-9' }, INFO))).toEqual(['not_found', undefined]);
    expect(await refusal(repositories.create(otto, { ...NEW, ...PLACE }, INFO))).toEqual([
      'permission_denied',
      undefined,
    ]);
  });

  it('reaches into our own network for administrators only', async () => {
    const world = await apiWorld();
    const { repositories } = world.operations;
    const mira = await manager(world);
    expect(await refusal(repositories.create(mira, { ...NEW, local: true }, INFO))).toEqual([
      'permission_denied',
      'local',
    ]);
    expect(await refusal(repositories.create(mira, { ...NEW, api_url: 'http://10.0.0.1' }, INFO))).toEqual([
      'permission_denied',
      'api_url',
    ]);
    const local = { ...NEW, url: 'http://127.0.0.1/blog.git', local: true, api_url: 'http://127.0.0.1/api' };
    const made = must(await repositories.create(LOCAL, local, INFO));
    expect([made.project, made.local]).toEqual([undefined, true]);
    expect(await refusal(repositories.show(mira, { name: made.name }, INFO))).toEqual(['permission_denied', undefined]);
    expect(await refusal(world.operations.sources.create(mira, { ...BIND, repository: made.name }, INFO))).toEqual([
      'permission_denied',
      'repository',
    ]);
  });

  it.each([
    [{ url: 'ssh://git@github.com/acme/blog' }, ['ssh_unsupported', 'url']],
    [{ url: 'http://github.com/acme/blog' }, ['invalid_url', 'url']],
    [{ project: 'acme' }, ['invalid_request', 'environment']],
    [{ signing_token: true }, ['invalid_request', 'signing_token']],
    [{ username: 'x' }, ['invalid_request', 'username']],
    [{ api_url: 'http://' }, ['invalid_request', 'api_url']],
    [{ repository_id: '42' }, ['already_exists', 'url']],
  ])('with %j is refused', async (change, expected) => {
    const world = await apiWorld();
    expect(await refusal(world.operations.repositories.create(LOCAL, { ...NEW, ...change }, INFO))).toEqual(expected);
    expect(world.kept.has('github-77-hook')).toBe(false);
  });

  it('in use stays; unused it goes with its secrets', async () => {
    const world = await apiWorld();
    await withSource(world);
    const { repositories } = world.operations;
    expect(await refusal(repositories.remove(LOCAL, { name: 'github-123456789' }, INFO))).toEqual([
      'not_empty',
      undefined,
    ]);
    must(await repositories.remove(LOCAL, { name: 'github-42' }, INFO));
    expect([...world.kept.keys()].filter((name) => name.startsWith('github-42'))).toEqual([]);
    expect(world.memory.repositories.items.has('github-42')).toBe(false);
  });
});

describe('a source', () => {
  it('is bound with a grant of who binds it', async () => {
    const world = await apiWorld();
    const mira = await manager(world);
    const made = must(
      await world.operations.sources.create(mira, { ...BIND, registries: ['ghcr.io'], days: 10 }, INFO),
    );
    expect(made).toMatchObject({
      id: ID,
      ref: 'refs/heads/main',
      state: 'new',
      suspended: false,
    });
    expect(made.grant).toMatchObject({
      owner: 'mira',
      revision: 1,
      registries: ['ghcr.io'],
      expires_at: '2026-12-09T12:00:00.000Z',
      expired: false,
      expires_soon: true,
    });
    expect(world.memory.sources.items.get(ID)?.spec.grant).toMatchObject({
      identity: 'mira',
      refs: ['refs/heads/main'],
    });
    expect(await refusal(world.operations.sources.create(mira, BIND, INFO))).toEqual(['already_exists', 'application']);
    expect(actions(world)).toContain('source.create');
  });

  it.each([
    [{ ref: 'refs/heads/..' }, ['invalid_ref', 'ref']],
    [{ path: '../x.toml' }, ['invalid_path', 'path']],
    [{ path: 'x.json' }, ['invalid_path', 'path']],
    [{ repository: 'github-0' }, ['not_found', 'repository']],
    [{ environment: 'nowhere' }, ['permission_denied', undefined]],
  ])('with %j is refused', async (change, expected) => {
    const world = await apiWorld();
    const mira = await manager(world);
    expect(await refusal(world.operations.sources.create(mira, { ...BIND, ...change }, INFO))).toEqual(expected);
    expect(world.memory.sources.items.size).toBe(0);
  });

  it('is not bound to an application that is being removed', async () => {
    const world = await apiWorld();
    const shop = world.memory.applications.items.get(ID)!;
    world.memory.applications.items.set(ID, { ...shop, deleting: true });
    expect(await refusal(world.operations.sources.create(LOCAL, BIND, INFO))).toEqual(['conflict', 'application']);
    expect(world.memory.sources.items.size).toBe(0);
  });

  it('is synced, suspended and resumed by whoever deploys, and nobody else', async () => {
    const world = await apiWorld();
    await withSource(world);
    const { sources } = world.operations;
    const dev = await world.person({
      name: 'dev',
      roles: [{ project: 'acme', role: 'developer' }],
      key: ['admin'],
      scope: PLACE,
    });
    const otto = await stranger(world);
    for (const change of [sources.sync, sources.suspend, sources.resume, sources.show, sources.grant, sources.remove])
      expect(await refusal(change(otto, { id: ID }, INFO))).toEqual(['permission_denied', undefined]);
    must(await sources.sync(dev, { id: ID }, INFO));
    expect(world.memory.sources.items.get(ID)?.annotations).toEqual({ [REQUESTED_AT]: '2026-11-29T12:00:00.000Z' });
    expect(must(await sources.suspend(dev, { id: ID }, INFO))).toMatchObject({ suspended: true, state: 'suspended' });
    expect(must(await sources.resume(dev, { id: ID }, INFO))).toMatchObject({ suspended: false, state: 'new' });
    expect(world.memory.sources.items.get(ID)?.annotations[RESUMED_REVISION]).toBe('3');
    expect(await refusal(sources.remove(dev, { id: ID }, INFO))).toEqual(['permission_denied', undefined]);
    expect(await refusal(sources.renewGrant(dev, { id: ID }, INFO))).toEqual(['permission_denied', undefined]);
    expect(must(await sources.list(dev, { limit: 5 }, INFO)).items.map(({ id }) => id)).toEqual([ID]);
    expect(must(await sources.list(otto, { limit: 5 }, INFO)).items).toEqual([]);
    expect(await refusal(sources.show(dev, { id: 'acme.production.none' }, INFO))).toEqual(['not_found', undefined]);
    expect(actions(world).slice(-3)).toEqual(['source.sync', 'source.suspend', 'source.resume']);
  });

  it('keeps what a grant says but for what is changed, at the revision somebody saw', async () => {
    const world = await apiWorld();
    await withSource(world);
    const { sources } = world.operations;
    const mira = await manager(world);
    const set = { id: ID, domains: ['*.example.com'], limits: { cpu_millis: 500 }, expected_revision: 1 };
    expect(must(await sources.setGrant(mira, set, INFO))).toMatchObject({
      owner: 'mira',
      revision: 2,
      domains: ['*.example.com'],
      registries: ['**'],
      limits: { cpu_millis: 500 },
      expires_at: '2027-02-27T12:00:00.000Z',
    });
    expect(await refusal(sources.setGrant(mira, set, INFO))).toEqual(['conflict', undefined]);
    expect(must(await sources.renewGrant(mira, { id: ID, days: 1 }, INFO))).toMatchObject({
      revision: 3,
      domains: ['*.example.com'],
      expires_at: '2026-11-30T12:00:00.000Z',
    });
    expect(actions(world).slice(-2)).toEqual(['grant.set', 'grant.renew']);
  });

  it('takes its hook along when it was the last of its repository', async () => {
    const world = await apiWorld();
    await withSource(world);
    must(await world.operations.sources.create(LOCAL, { ...BIND, application: 'other' }, INFO));
    const remove = (id: string) => world.operations.sources.remove(LOCAL, { id }, INFO);
    expect(must(await remove(ID))).toEqual({ status: 'deleted', webhook_revoked: false });
    expect(world.kept.has('github-123456789-hook')).toBe(true);
    world.memory.sources.items.delete(ID);
    expect(must(await remove('acme.production.other'))).toEqual({ status: 'deleted', webhook_revoked: true });
    expect(world.kept.has('github-123456789-hook')).toBe(false);
  });
});
