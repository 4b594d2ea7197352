import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Permission, type Principal, type Scope } from '../../../src/access/index.ts';
import type { Result } from '../../../src/kernel/index.ts';
import { CLEANUP_FINALIZER } from '../../../src/ports/index.ts';
import { PREVIEW } from '../../../src/server/api/routes/examples.ts';
import { type ApiWorld, apiWorld, must, withPreview, withSource } from '../../support/api-world.ts';
import { INFO } from '../../support/release-api.ts';

const ID = 'acme.production.shop';
const PLACE = { project: 'acme', environment: 'production' };
const NAME = `acme.production.${PREVIEW}`;
const HEAD = 'b'.repeat(40);

let world: ApiWorld;
beforeEach(async () => {
  world = await apiWorld();
  await withSource(world);
});

function person(role: string, kind: 'machine' | 'cli', scope: Scope = PLACE): Promise<Principal> {
  const key: readonly Permission[] = ['deployments:read', 'deployments:write'];
  const name = `${role}-${kind}-${Object.keys(scope).length}`;
  return world.person({ name, roles: [{ project: 'acme', role }], key, scope, kind });
}
const lead = (): Promise<Principal> => person('project-admin', 'cli');
const codeOf = (result: Result<unknown>): unknown =>
  result.ok ? 'ok' : result.problem.at === undefined ? result.problem.code : [result.problem.code, result.problem.at];
const actions = (): readonly string[] =>
  (world.memory.deps.audit as unknown as { readonly events: readonly { readonly action: string }[] }).events.map(
    ({ action }) => action,
  );
const settingOf = () => world.memory.sources.items.get(ID)?.spec.previewEnvironments;

describe('previews of a source', () => {
  it('are off until they are let, for 24 hours or as long as was said', async () => {
    const { sources } = world.operations;
    const ana = await lead();
    expect(must(await sources.previews(ana, { id: ID }, INFO))).toEqual({ enabled: false });
    expect(must(await sources.setPreviews(ana, { id: ID, enabled: true }, INFO))).toEqual({
      enabled: true,
      ttl_hours: 24,
    });
    must(await sources.setPreviews(ana, { id: ID, enabled: true, ttl_hours: 8 }, INFO));
    // What is not said stays.
    must(await sources.setPreviews(ana, { id: ID, enabled: true }, INFO));
    expect(settingOf()).toEqual({ ttlHours: 8 });
    expect(must(await sources.show(ana, { id: ID }, INFO)).previews).toEqual({ enabled: true, ttl_hours: 8 });
    must(await sources.setPreviews(ana, { id: ID, enabled: false }, INFO));
    expect(settingOf()).toBeUndefined();
    expect(actions().filter((action) => action === 'source.previews')).toHaveLength(4);
  });

  it.each([
    ['a project administrator', () => person('project-admin', 'cli'), 'ok'],
    ['a machine key of exactly the environment', () => person('developer', 'machine'), 'ok'],
    ['a machine key of the project', () => person('developer', 'machine', { project: 'acme' }), 'permission_denied'],
    [
      'a machine key of the application',
      () => person('project-admin', 'machine', { ...PLACE, application: 'shop' }),
      'permission_denied',
    ],
    ['a person who deploys', () => person('developer', 'cli'), 'permission_denied'],
    ['a reader', () => person('viewer', 'machine'), 'permission_denied'],
    ['the cluster itself', async () => LOCAL, 'ok'],
  ] as const)('are let and taken down by %s: %#', async (_who, make, expected) => {
    await withPreview(world);
    const who = await make();
    const { sources, previews } = world.operations;
    expect(codeOf(await sources.setPreviews(who, { id: ID, enabled: true }, INFO))).toBe(expected);
    expect(settingOf() !== undefined).toBe(expected === 'ok');
    expect(codeOf(await previews.remove(who, { name: PREVIEW, confirmation: PREVIEW }, INFO))).toBe(expected);
  });

  it('say what is wrong with a choice, and stay as they were', async () => {
    const { sources } = world.operations;
    const ana = await lead();
    expect(codeOf(await sources.setPreviews(ana, { id: ID, enabled: false, ttl_hours: 8 }, INFO))).toEqual([
      'invalid_request',
      'ttl_hours',
    ]);
    await world.memory.sources.update(ID, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, pullRequests: 'none' } },
    }));
    expect(codeOf(await sources.setPreviews(ana, { id: ID, enabled: true }, INFO))).toEqual([
      'invalid_request',
      'enabled',
    ]);
    expect(settingOf()).toBeUndefined();
    expect(codeOf(await sources.setPreviews(ana, { id: 'acme.production.none', enabled: true }, INFO))).toBe(
      'not_found',
    );
  });

  it('can be let with the source, by who may, and never for a preview environment', async () => {
    const { sources } = world.operations;
    await withPreview(world);
    const wanted = { ...PLACE, repository: 'github-123456789', ref: 'main', path: 'hakopod.toml' };
    const previews = { enabled: true, ttl_hours: 2 };
    const made = must(await sources.create(LOCAL, { ...wanted, application: 'blog', previews }, INFO));
    expect(made.previews).toEqual(previews);
    const off = { ...wanted, application: 'site', previews: { enabled: true }, pull_requests: 'none' } as const;
    expect(codeOf(await sources.create(LOCAL, off, INFO))).toEqual(['invalid_request', 'previews.enabled']);
    expect(codeOf(await sources.create(LOCAL, { ...wanted, application: PREVIEW }, INFO))).toEqual([
      'conflict',
      'application',
    ]);
    const scope = { project: 'acme' };
    const key = ['git:manage', 'deployments:read', 'deployments:write'] as const;
    const binder = await world.person({ name: 'binder', holds: key, key, scope });
    expect(codeOf(await sources.create(binder, { ...wanted, application: 'site', previews }, INFO))).toEqual([
      'permission_denied',
      'previews',
    ]);
    expect(codeOf(await sources.create(binder, { ...wanted, application: 'site' }, INFO))).toBe('ok');
    expect(world.memory.sources.items.has('acme.production.site')).toBe(true);
  });
});

describe('a preview environment', () => {
  beforeEach(() => withPreview(world));

  it('is shown with its request, URL and end to who may read the application it is of', async () => {
    const { previews, plans, applications } = world.operations;
    const reader = await person('viewer', 'cli', { ...PLACE, application: 'shop' });
    const shown = must(await previews.show(reader, { name: PREVIEW }, INFO));
    expect(shown).toEqual({
      ...PLACE,
      ...{ name: PREVIEW, application_id: 'c'.repeat(32), parent: 'shop', source: ID },
      ...{ repository: 'github-123456789', repository_path: 'acme/shop', number: 7, branch: 'refs/heads/dark-mode' },
      ...{ state: 'ready', commit_sha: HEAD, revision: 0, created_at: expect.any(String) },
      ...{ url: 'https://web-preview.apps.example.com', urls: { web: 'https://web-preview.apps.example.com' } },
      expires_at: '2026-11-30T12:00:00.000Z',
    });
    expect(must(await previews.list(reader, { limit: 10, project: 'acme' }, INFO)).items).toEqual([shown]);
    expect(must(await previews.list(reader, { limit: 10, project: 'empty' }, INFO)).items).toEqual([]);
    expect(must(await previews.list(reader, { limit: 10, environment: 'unused' }, INFO)).items).toEqual([]);
    const [plan] = must(await plans.list(reader, { limit: 10, ...PLACE }, INFO)).items;
    expect(plan).toMatchObject({ id: `${ID}.7`, preview: { name: PREVIEW, state: 'ready', commit_sha: HEAD } });
    const listed = must(await applications.list(LOCAL, { limit: 10 }, INFO)).items;
    expect(listed.find(({ name }) => name === PREVIEW)?.preview).toEqual({
      ...{ parent: 'shop', source: ID, number: 7, expires_at: '2026-11-30T12:00:00.000Z' },
    });
    expect(listed.find(({ name }) => name === 'shop')?.preview).toBeUndefined();
  });

  it('is nobody else’s to see', async () => {
    const { previews, plans } = world.operations;
    const key = ['deployments:read', 'deployments:write'] as const;
    const other = await world.person({ name: 'otto', roles: [{ project: 'empty', role: 'project-admin' }], key });
    expect(codeOf(await previews.show(other, { name: PREVIEW }, INFO))).toBe('permission_denied');
    expect(must(await previews.list(other, { limit: 10 }, INFO)).items).toEqual([]);
    expect(must(await plans.list(other, { limit: 10 }, INFO)).items).toEqual([]);
    expect(codeOf(await previews.remove(other, { name: PREVIEW, confirmation: PREVIEW }, INFO))).toBe(
      'permission_denied',
    );
    expect(codeOf(await previews.show(other, { name: PREVIEW.replace(/.$/, 'x') }, INFO))).toBe('not_found');
  });

  it('goes on request, and is on record as removed at its head', async () => {
    const { previews } = world.operations;
    const ana = await lead();
    await world.memory.applications.update(NAME, () => ({ finalizers: ['tests/keep'] }));
    must(await previews.remove(ana, { name: PREVIEW, confirmation: PREVIEW }, INFO));
    expect(world.memory.plans.items.get(`${ID}.7`)?.status.environment).toEqual({
      application: NAME,
      state: 'removed',
      commit: HEAD,
    });
    const left = world.memory.applications.items.get(NAME);
    expect([left?.deleting, left?.finalizers]).toEqual([true, ['tests/keep', CLEANUP_FINALIZER]]);
    expect(must(await previews.show(ana, { name: PREVIEW }, INFO)).state).toBe('removing');
    expect(actions().at(-1)).toBe('preview.delete-request');
    expect(world.memory.jobs).toContainEqual({ queue: 'reconcile', application: NAME });
    // Asked again, it goes on going.
    expect(codeOf(await previews.remove(ana, { name: PREVIEW, confirmation: PREVIEW }, INFO))).toBe('ok');
  });

  it('stays when another name is confirmed, and is not removed as an application', async () => {
    const ana = await lead();
    const { previews, applications } = world.operations;
    expect(codeOf(await previews.remove(ana, { name: PREVIEW, confirmation: 'preview' }, INFO))).toEqual([
      'invalid_request',
      'confirmation',
    ]);
    const removal = { id: 'c'.repeat(32), confirm_name: PREVIEW, expected_revision: 0 };
    expect(codeOf(await applications.remove(LOCAL, removal, INFO))).toBe('invalid_request');
    expect(world.memory.applications.items.get(NAME)?.deleting).toBe(false);
    expect(world.memory.plans.items.get(`${ID}.7`)?.status.environment?.state).toBe('ready');
  });

  it('is none when somebody only called it so, and goes as the application it is', async () => {
    const { previews, applications } = world.operations;
    await world.memory.applications.update(NAME, ({ spec }) => {
      const { preview } = spec;
      return preview === undefined ? undefined : { spec: { ...spec, preview: { ...preview, number: 8 } } };
    });
    expect(codeOf(await previews.show(LOCAL, { name: PREVIEW }, INFO))).toBe('not_found');
    const removal = { id: 'c'.repeat(32), confirm_name: PREVIEW, expected_revision: 0 };
    expect(codeOf(await applications.remove(LOCAL, removal, INFO))).toBe('ok');
  });
});
