import { afterEach, describe, expect, it } from 'vitest';
import type { Application } from '../../src/ports/index.ts';
import { commentWith, ownComments, type PullWorld, planWhen, startPullWorld } from '../support/pull-request.ts';
import { until } from '../support/world.ts';

let world: PullWorld;
afterEach(() => world.stop());

const PREVIEW = /^acme\.production\.preview-[0-9a-f]{32}$/;
const SECRET = 'correct horse';

function preview(): Application | undefined {
  return world.store.applications.all().find(({ spec }) => spec.preview !== undefined);
}

async function wantPreviews(ttlHours: number): Promise<void> {
  await world.store.sources.update('acme.production.shop', ({ spec }) => ({
    spec: { ...spec, previewEnvironments: { ttlHours } },
  }));
}

/** A small shop with a volume: what a preview may be. */
function small(image: string): string {
  return [
    'name = "shop"',
    '[services.web]',
    `image = "${world.registry.host}/${image}"`,
    'port = 8080',
    'public = true',
    'env = { BUILD = "1" }',
    'secrets = { DB_PASSWORD = { ref = "db-password" } }',
    'volume = { mount_path = "/data", size_gib = 1 }',
    '',
  ].join('\n');
}

describe('a preview environment', () => {
  it('is there with its address, follows the head, and goes with its namespace and claims when the request is closed', async () => {
    world = await startPullWorld();
    await wantPreviews(24);
    const first = await world.show({ text: small('shop/web:2.0') });
    await world.deliverPull(first, 'opened');
    const plan = await planWhen(world, ({ environment }) => environment?.state === 'ready', 20_000);
    const { environment } = plan.status;
    expect(environment?.application).toMatch(PREVIEW);
    expect(environment).toMatchObject({ commit: first, revision: 1 });
    const url = environment?.url ?? '';
    expect(url).toMatch(/^http/);
    expect((await commentWith(world, `is deployed at <${url}>`)).body).toContain(first);
    const application = preview();
    const namespace = `hp-${application?.spec.id}`;
    expect(application?.spec).toMatchObject({ project: 'acme', environment: 'production' });
    const claims = await world.api.list({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace });
    expect(claims).toMatchObject({ ok: true, value: [{ kind: 'PersistentVolumeClaim' }] });
    const parent = world.store.applications.cached('acme.production.shop')?.spec.id;
    expect(application?.spec.id).not.toBe(parent);

    const second = await world.show({ text: small('shop/web:2.0').replace('BUILD = "1"', 'BUILD = "2"') });
    await world.deliverPull(second);
    await planWhen(world, (s) => s.environment?.state === 'ready' && s.environment.commit === second, 20_000);
    expect(preview()?.status.revision).toBe(2);
    await commentWith(world, `commit ${second} is deployed at <${url}>`);
    expect(ownComments(world)).toHaveLength(1);
    for (const text of [...world.lines, ...ownComments(world).map(({ body }) => body)])
      expect(text).not.toContain(SECRET);

    world.forge.putPull({ ...world.pull(second), state: 'closed' });
    await world.deliverPull(second, 'closed');
    await until(
      'the plan and the environment are gone',
      () => world.store.plans.all().length === 0 && !preview(),
      20_000,
    );
    const gone = await world.api.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    expect(gone).toEqual({ ok: true, value: undefined });
    const left = await world.api.list({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace });
    expect(left).toEqual({ ok: true, value: [] });
    // Nothing of the application itself was touched.
    const shop = await world.api.get({ apiVersion: 'v1', kind: 'Namespace', name: `hp-${parent}` });
    expect(shop.ok && shop.value !== undefined).toBe(true);
    const source = world.store.sources.cached('acme.production.shop');
    expect(source?.status.reports?.map(({ commit }) => commit)).toEqual([world.main]);
    expect(await world.secrets.list({ project: 'acme', environment: 'production', name: 'shop' })).toMatchObject({
      ok: true,
      value: [{ name: 'db-password' }],
    });
  });
});
