import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/access/index.ts';
import { LIMITS } from '../../../src/kernel/index.ts';
import { codeOf, INFO, keyed, must, type ReleaseApi, releaseApi } from '../../support/release-api.ts';

const DIGEST = `registry.example.test/web@sha256:${'1'.repeat(64)}`;
const OTHER = `registry.example.test/db@sha256:${'2'.repeat(64)}`;
const shop = (lines = '', more = ''): string => `name = "shop"\n[services.web]\nimage = "nginx:1"\n${lines}\n${more}`;
const TWO = `${shop()}\n[services.db]\nimage = "postgres:18"\n`;
const PATCHED = shop('', "[services.web.kubernetes]\ndeployment = 'spec: {}'\n");

let api: ReleaseApi;
beforeEach(async () => {
  api = await releaseApi();
});

const appId = (): string => api.world.applications.items.get('acme.production.shop')?.spec.id ?? '';

describe('a plan over the API', () => {
  it('writes nothing and tells the revision to expect', async () => {
    const request = { project: 'acme', environment: 'production', toml: shop() };
    const before = api.world.applications.writes.length;
    const planned = must(await api.operations.plan(LOCAL, request, INFO));
    expect(planned).toMatchObject({ application_id: '', expected_revision: 0, missing_secrets: [] });
    expect(planned.changes.map(({ service, field }) => `${service} ${field}`)).toContain('web service');
    expect(api.world.applications.writes.length).toBe(before);
    expect(api.world.releases.items.size).toBe(0);
  });

  it('lists the secrets that are missing, and a release is refused for them', async () => {
    const toml = shop('', '[services.web.secrets]\nTOKEN = { ref = "token" }\n');
    const planned = must(await api.operations.plan(LOCAL, { project: 'acme', environment: 'production', toml }, INFO));
    expect(planned).toMatchObject({ required_secrets: ['token'], missing_secrets: ['token'] });
    expect(codeOf(await api.deploy(toml))).toBe('missing_secrets');
    api.world.secrets.add('token');
    expect(codeOf(await api.deploy(toml))).toBe('ok');
  });

  it('needs exactly one of spec and toml', async () => {
    const both = { project: 'acme', environment: 'production', toml: shop(), spec: {} };
    expect(codeOf(await api.operations.plan(LOCAL, both, INFO))).toBe('invalid_spec');
    const none = { project: 'acme', environment: 'production' };
    expect(codeOf(await api.operations.plan(LOCAL, none, INFO))).toBe('invalid_spec');
  });

  it('keeps sensitive entries of env files as secrets, and their values out of its answer', async () => {
    const request = {
      project: 'acme',
      environment: 'production',
      toml: `${shop('env_file = "web.env"')}`,
      env_files: { 'web.env': 'LEVEL=info\nAPI_TOKEN=canary-value\n' },
    };
    const planned = must(await api.operations.plan(LOCAL, request, INFO));
    expect(JSON.stringify(planned)).not.toContain('canary-value');
    expect([...api.world.imported.values()]).toEqual(['canary-value']);
    const spec = { project: 'acme', environment: 'production', spec: planned.spec };
    const created = await api.operations.create(
      LOCAL,
      { ...spec, expected_revision: 0, idempotency_key: 'from-the-plan' },
      INFO,
    );
    expect(codeOf(created)).toBe('ok');
  });
});

describe('accepting a release', () => {
  it('makes the application, takes the revision and queues the reconcile', async () => {
    const release = must(await api.deploy(shop()));
    expect(release).toMatchObject({ id: 'acme.production.shop.1', revision: 1, status: 'queued', origin: 'api' });
    expect(api.world.jobs).toContainEqual({ queue: 'reconcile', application: 'acme.production.shop' });
    const application = api.world.applications.items.get('acme.production.shop');
    expect(application?.status).toMatchObject({ acceptedRevision: 1, phase: 'queued' });
    expect(api.audited).toMatchObject([
      { action: 'project.create', identity: 'local', resource: { project: 'acme' } },
      { action: 'deployment.accept', identity: 'local' },
    ]);
  });

  it('lets one of fifty requests with one expected revision through', async () => {
    must(await api.deploy(shop()));
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => api.deploy(shop(`replicas = ${(i % 19) + 2}`), { expected: 1 })),
    );
    const codes = all.map(codeOf).sort();
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(codes.filter((code) => code === 'conflict')).toHaveLength(49);
    expect(api.world.releases.items.size).toBe(2);
  });

  it('makes one release of one key used fifty times at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, () => api.deploy(shop(), { key: 'the-same-key', expected: 0 })),
    );
    expect(new Set(all.map((one) => must(one).id))).toEqual(new Set(['acme.production.shop.1']));
    expect(api.audited.map(({ action }) => action)).toEqual(['project.create', 'deployment.accept']);
  });

  it('answers a repeated request again, and refuses its key for another one', async () => {
    const first = must(await api.deploy(shop(), { key: 'the-same-key', expected: 0 }));
    must(await api.deploy(shop('replicas = 2')));
    expect(must(await api.deploy(shop(), { key: 'the-same-key', expected: 0 })).id).toBe(first.id);
    const other = await api.deploy(shop('replicas = 3'), { key: 'the-same-key', expected: 0 });
    expect(codeOf(other)).toBe('conflict');
    expect(must(await api.operations.byIdempotencyKey(LOCAL, { key: 'the-same-key' }, INFO)).id).toBe(first.id);
  });

  it('keeps one person’s keys apart from another’s', async () => {
    must(await api.deploy(shop(), { key: 'the-same-key' }));
    const theirs = await api.operations.byIdempotencyKey(keyed(['admin']), { key: 'the-same-key' }, INFO);
    expect(codeOf(theirs)).toBe('not_found');
  });

  it('refuses a stale revision', async () => {
    must(await api.deploy(shop()));
    expect(codeOf(await api.deploy(shop('replicas = 2'), { expected: 0 }))).toBe('conflict');
    expect(codeOf(await api.deploy(shop('replicas = 2'), { expected: 7 }))).toBe('conflict');
  });

  it('refuses more waiting releases than fit the queue', async () => {
    for (let n = 1; n <= LIMITS.pendingReleases; n += 1) must(await api.deploy(shop(`replicas = ${n}`)));
    expect(codeOf(await api.deploy(shop()))).toBe('queue_full');
    await api.end('acme.production.shop.1', 'succeeded');
    expect(codeOf(await api.deploy(shop()))).toBe('ok');
  });

  it('refuses a new application where the environment is full', async () => {
    const full = await releaseApi();
    Object.assign(full.deps.limits, { applicationsPerEnvironment: 1 });
    must(await full.deploy(shop()));
    expect(codeOf(await full.deploy(shop().replace('shop', 'other')))).toBe('application_limit');
    expect(full.world.applications.items.has('acme.production.other')).toBe(false);
  });

  it('needs an environment, which an administrator’s first release makes', async () => {
    const writer = keyed(['deployments:write']);
    expect(codeOf(await api.deploy(shop(), { principal: writer }))).toBe('not_found');
    expect(api.world.applications.items.has('acme.production.shop')).toBe(false);
    must(await api.deploy(shop()));
    expect(codeOf(await api.deploy(shop('replicas = 2'), { principal: writer }))).toBe('ok');
  });

  it('refuses who may not, before it says anything about the application', async () => {
    must(await api.deploy(shop()));
    const reader = keyed(['deployments:read']);
    expect(codeOf(await api.deploy(shop(), { principal: reader, expected: 1 }))).toBe('permission_denied');
    const elsewhere = keyed(['deployments:write'], { project: 'other' });
    expect(codeOf(await api.deploy(shop(), { principal: elsewhere, expected: 1 }))).toBe('permission_denied');
  });

  it('refuses an image that only a push can build', async () => {
    const built = 'name = "shop"\n[services.web.build]\ncontext = "."\n';
    expect(codeOf(await api.deploy(built))).toBe('build_registry_required');
  });

  it('is found whole by a worker that starts over after the revision was taken', async () => {
    const { create } = api.world.deps.store.releases;
    Object.assign(api.deps.store.releases, { create: async () => Promise.reject(new Error('cut off')) });
    await expect(api.deploy(shop())).rejects.toThrow('cut off');
    Object.assign(api.deps.store.releases, { create });
    expect(api.world.applications.items.get('acme.production.shop')?.status.acceptedRevision).toBe(1);
    expect(must(await api.deploy(shop())).id).toBe('acme.production.shop.2');
  });
});

describe('env files', () => {
  const withEnv = (toml: string, revision: number) => ({
    project: 'acme',
    environment: 'production',
    toml,
    env_files: { 'web.env': 'API_TOKEN=canary-value\n' },
    expected_revision: revision,
    idempotency_key: `with-env-file-${revision}`,
  });

  it('become secrets with the release that is accepted, and not with one that is refused', async () => {
    const missing = shop('env_file = "web.env"', '[services.web.secrets]\nOTHER = { ref = "other" }\n');
    expect(codeOf(await api.operations.create(LOCAL, withEnv(missing, 0), INFO))).toBe('missing_secrets');
    expect(codeOf(await api.operations.create(LOCAL, withEnv(shop('env_file = "web.env"'), 7), INFO))).toBe('conflict');
    expect([...api.world.imported]).toEqual([]);
    must(await api.operations.create(LOCAL, withEnv(shop('env_file = "web.env"'), 0), INFO));
    expect([...api.world.imported.values()]).toEqual(['canary-value']);
  });
});

describe('Kubernetes patches', () => {
  it('need the setting and the permission to be added or changed, and neither to be kept or removed', async () => {
    must(await api.deploy(shop()));
    const writer = keyed(['deployments:write']);
    const patcher = keyed(['deployments:write', 'kubernetes:patch']);
    const wildcard = keyed(['admin']);
    expect(codeOf(await api.deploy(PATCHED, { principal: patcher }))).toBe('kubernetes_patches_disabled');
    api.patchesEnabled = true;
    expect(codeOf(await api.deploy(PATCHED, { principal: writer, expected: 1 }))).toBe('permission_denied');
    expect(codeOf(await api.deploy(PATCHED, { principal: wildcard, expected: 1 }))).toBe('permission_denied');
    must(await api.deploy(PATCHED, { principal: patcher }));
    api.patchesEnabled = false;
    must(await api.deploy(PATCHED.replace('nginx:1', 'nginx:2'), { principal: writer }));
    const otherByte = PATCHED.replace('spec: {}', 'spec: {} ');
    expect(codeOf(await api.deploy(otherByte, { principal: writer, expected: 3 }))).toBe('kubernetes_patches_disabled');
    must(await api.deploy(shop(), { principal: writer }));
  });

  it('are not brought back by a rollback without them', async () => {
    api.patchesEnabled = true;
    must(await api.deploy(PATCHED));
    await api.end('acme.production.shop.1', 'succeeded', { web: DIGEST });
    must(await api.deploy(shop()));
    api.patchesEnabled = false;
    const rollback = { id: appId(), revision: 1, expected_revision: 2, idempotency_key: 'rollback-key' };
    expect(codeOf(await api.operations.rollback(LOCAL, rollback, INFO))).toBe('kubernetes_patches_disabled');
    api.patchesEnabled = true;
    expect(codeOf(await api.operations.rollback(LOCAL, rollback, INFO))).toBe('ok');
  });
});

describe('a release of some services', () => {
  it('keeps the others as they run', async () => {
    must(await api.deploy(TWO));
    await api.end('acme.production.shop.1', 'succeeded', { web: DIGEST, db: OTHER });
    const wanted = TWO.replace('nginx:1', 'nginx:2').replace('postgres:18', 'postgres:19');
    const release = must(await api.deploy(wanted, { services: ['web'] }));
    const spec = release.spec as { services: Record<string, { image: string }> };
    expect([spec.services.web?.image, spec.services.db?.image]).toEqual(['nginx:2', 'postgres:18']);
    expect(api.release(release.id)?.spec.images).toEqual({ db: OTHER });
  });

  it.each([
    ['a service that is not there', TWO, ['cache'], 'invalid_service'],
    ['a service named twice', TWO, ['web', 'web'], 'invalid_service'],
    ['what all share', `${TWO}\n[env]\nA = "b"\n`, ['web'], 'shared_configuration'],
  ])('refuses %s', async (_, toml, services, code) => {
    must(await api.deploy(TWO));
    await api.end('acme.production.shop.1', 'succeeded', { web: DIGEST, db: OTHER });
    expect(codeOf(await api.deploy(toml, { services, expected: 1 }))).toBe(code);
  });

  it('waits for the digests of the others', async () => {
    must(await api.deploy(TWO));
    expect(codeOf(await api.deploy(TWO, { services: ['web'], expected: 1 }))).toBe('unresolved_base');
  });

  it('can not be the first', async () => {
    expect(codeOf(await api.deploy(TWO, { services: ['web'], expected: 0 }))).toBe('invalid_service');
  });
});
