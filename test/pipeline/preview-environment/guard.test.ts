import { beforeEach, describe, expect, it } from 'vitest';
import { fail, ok, problem } from '../../../src/kernel/index.ts';
import { planName } from '../../../src/pipeline/preview/plans.ts';
import { missingSecrets, snapshotSecrets } from '../../../src/pipeline/preview-environment/index.ts';
import { checkGrant } from '../../../src/pipeline/release/guard.ts';
import { isPassedOver } from '../../../src/pipeline/release/order.ts';
import { unpackSpec } from '../../../src/pipeline/release-body.ts';
import type { Release } from '../../../src/ports/index.ts';
import { SOURCE } from '../../support/memory.ts';
import { type EnvironmentWorld, environmentWorld, fileOf } from '../../support/preview-environment.ts';

let world: EnvironmentWorld;

beforeEach(async () => {
  world = await environmentWorld();
  await world.look();
});

function newest(): Release {
  const release = world.carried().at(-1);
  if (release === undefined) throw new Error('there is no release');
  return release;
}

/** What the guard says right before a step. */
function check(): string {
  const release = newest();
  const desired = unpackSpec(release.spec.spec);
  if (!desired.ok) throw new Error('a broken release');
  const checked = checkGrant(world.deps, { release, desired: desired.value, previous: undefined });
  return checked.ok ? 'ok' : checked.problem.code;
}

describe('the guard of a preview’s release', () => {
  it('lets it go on while nothing has changed', () => {
    expect(check()).toBe('ok');
  });

  it('stops it when somebody made it for an application that is no preview', async () => {
    const { application } = newest().spec;
    const made = world.applications.items.get(application);
    if (made === undefined) throw new Error('there is no application');
    world.applications.items.set(application, { ...made, spec: { ...made.spec, name: 'shop' } });
    expect(check()).toBe('grant_refused');
  });

  it('stops it when the source wants no environments any more', async () => {
    await world.want(undefined);
    expect(check()).toBe('grant_refused');
  });

  it.each([
    ['plans no requests any more', { pullRequests: 'none' as const }, 'grant_refused'],
    ['deploys no more', { permissions: ['deployments:read' as const] }, 'grant_refused'],
    ['has expired', { expiresAt: '2026-01-01T00:00:00Z' }, 'grant_expired'],
    ['allows no such registry', { registries: ['ghcr.io'] }, 'grant_refused'],
  ])('stops it when the grant %s', async (_why, change, code) => {
    await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, grant: { ...spec.grant, ...change } } }));
    expect(check()).toBe(code);
  });

  it('stops it when the source was removed, or is another', async () => {
    const source = world.sources.items.get(SOURCE);
    if (source === undefined) throw new Error('there is no source');
    world.sources.items.set(SOURCE, { ...source, uid: 'another' });
    expect(check()).toBe('grant_refused');
    world.sources.items.set(SOURCE, { ...source, deleting: true });
    expect(check()).toBe('grant_refused');
    world.sources.items.delete(SOURCE);
    expect(check()).toBe('grant_refused');
  });

  it('stops it when the request was closed or is a fork’s', async () => {
    const name = planName(SOURCE, 7);
    await world.plans.updateStatus(name, ({ status }) => ({ ...status, fork: true }));
    expect(check()).toBe('cancelled');
    await world.plans.updateStatus(name, ({ status }) => ({ ...status, fork: false, closed: true }));
    expect(check()).toBe('cancelled');
  });

  it('waits for a cache that does not know the plan yet', () => {
    world.plans.items.clear();
    expect(check()).toBe('cluster_unavailable');
  });
});

describe('releases of previews', () => {
  it('pass over older heads of the same request, and nothing somebody asked for over the API', async () => {
    const first = newest();
    world.show(3);
    await world.look();
    const second = newest();
    const asked: Release = { ...first, spec: { ...first.spec, origin: { kind: 'api', actor: 'ada' } } };
    expect(isPassedOver([second, first], first)).toBe(true);
    expect(isPassedOver([second, first], second)).toBe(false);
    expect(isPassedOver([second, asked], asked)).toBe(false);
    expect(isPassedOver([asked, first], first)).toBe(false);
  });
});

describe('the secrets of a preview', () => {
  const stores: Record<string, Record<string, string>> = {};

  beforeEach(() => {
    const key = world.previews()[0]?.spec.name ?? '';
    for (const name of Object.keys(stores)) delete stores[name];
    Object.assign(stores, {
      shop: { db: 'parent', both: 'parent' },
      [key]: { both: 'own' },
      other: { db2: 'strange' },
    });
    Object.assign(world.deps.secrets, {
      missing: async ({ name }: { name: string }, names: readonly string[]) =>
        ok(names.filter((one) => stores[name]?.[one] === undefined)),
      snapshot: async ({ name }: { name: string }, names: readonly string[]) => {
        const absent = names.filter((one) => stores[name]?.[one] === undefined);
        if (absent.length > 0) return fail(problem('missing_secrets'));
        return ok(new Map(names.map((one) => [one, stores[name]?.[one] ?? ''])));
      },
    });
  });

  it('are its own and its application’s, and nobody else’s', async () => {
    const [application] = world.previews();
    if (application === undefined) throw new Error('there is none');
    expect(await snapshotSecrets(world.deps, application, ['db', 'both'])).toEqual(
      ok(
        new Map([
          ['db', 'parent'],
          ['both', 'own'],
        ]),
      ),
    );
    expect(await snapshotSecrets(world.deps, application, ['db2'])).toMatchObject({
      ok: false,
      problem: { code: 'missing_secrets' },
    });
    const { project, environment, name } = application.spec;
    const of = { key: { project, environment, name }, parent: SOURCE };
    expect(await missingSecrets(world.deps, of, ['db', 'both', 'db2'])).toEqual(ok(['db2']));
    const parent = world.applications.items.get(SOURCE);
    if (parent === undefined) throw new Error('there is none');
    expect(await snapshotSecrets(world.deps, parent, ['both'])).toEqual(ok(new Map([['both', 'parent']])));
  });

  it('that its env files bring are its own, and no value is on record anywhere', async () => {
    const key = world.previews()[0]?.spec.name ?? '';
    const kept: [string, readonly { ref: string; value: string }[]][] = [];
    Object.assign(world.deps.secrets, {
      missing: async () => ok([]),
      addImported: async ({ name }: { name: string }, entries: readonly { ref: string; value: string }[]) => {
        kept.push([name, entries]);
        return ok(undefined);
      },
    });
    world.show(4, { text: fileOf('4', 'env_file = "web.env"\n') });
    world.files.set(`${'4'.padStart(40, '0')}:web.env`, 'API_TOKEN=canary-value-7\n');
    await world.look();
    expect(world.environment()).toMatchObject({ state: 'deploying' });
    expect(kept.map(([name]) => name)).toEqual([key]);
    expect(kept[0]?.[1]).toMatchObject([{ value: 'canary-value-7' }]);
    const said = JSON.stringify([
      ...world.plans.items.values(),
      ...world.applications.items.values(),
      ...world.carried(),
      world.comments,
      world.posted,
    ]);
    expect(said).not.toContain('canary-value-7');
  });
});
