import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/access/index.ts';
import { holdOf } from '../../../src/pipeline/hold.ts';
import { plan } from '../../../src/pipeline/index.ts';
import { followReleases } from '../../../src/pipeline/operations/deployments/follow.ts';
import type { Deployment } from '../../../src/ports/api/index.ts';
import { RESUMED_REVISION } from '../../../src/ports/index.ts';
import { SHA, SOURCE } from '../../support/memory.ts';
import { codeOf, INFO, keyed, must, type ReleaseApi, releaseApi } from '../../support/release-api.ts';

const DIGEST = (n: number): string => `registry.example.test/web@sha256:${String(n).repeat(64)}`;
const shop = (lines = ''): string => `name = "shop"\n[services.web]\nimage = "nginx:1"\n${lines}\n`;
const run = { signal: new AbortController().signal };

let api: ReleaseApi;
let keys = 0;
beforeEach(async () => {
  api = await releaseApi({ source: true });
});

/** What every change of a service is asked with. */
const order = (expected: number, key?: string) => {
  keys += 1;
  return {
    id: api.world.applications.items.get(SOURCE)?.spec.id ?? '',
    service: 'web',
    expected_revision: expected,
    idempotency_key: key ?? `order-number-${keys}`,
  };
};
async function released(lines = '', digest = 1): Promise<void> {
  const release = must(await api.deploy(shop(lines)));
  await api.end(release.id, 'succeeded', { web: DIGEST(digest) });
}
/** Runs the plan job as a push that shows this commit would. */
async function push(n: number, toml: string): Promise<void> {
  api.world.files.set(SHA(n), toml);
  await api.world.deps.store.sources.updateStatus(SOURCE, (current) => ({
    ...current.status,
    seen: {
      commit: SHA(n),
      generation: current.generation,
      request: current.annotations['hakopod.io/requested-at'],
      at: api.world.now.toISOString(),
    },
  }));
  must(await plan(api.world.deps, { source: SOURCE }, run));
}
const planned = () => api.world.sources.items.get(SOURCE)?.status.planned;

describe('a rollback', () => {
  it('runs the digests of the earlier revision again, as a new revision', async () => {
    await released('', 1);
    await released('replicas = 2', 2);
    const { service: _, ...rollback } = { ...order(2), revision: 1 };
    const release = must(await api.operations.rollback(LOCAL, rollback, INFO));
    expect(release).toMatchObject({ revision: 3, status: 'queued' });
    const stored = api.release(release.id)?.spec;
    expect(stored?.images).toEqual({ web: DIGEST(1) });
    expect(stored?.specDigest).toBe(api.release(`${SOURCE}.1`)?.spec.specDigest);
    expect(api.audited.at(-1)).toMatchObject({ action: 'deployment.rollback' });
  });

  it('refuses a revision that failed, is not there, or was never resolved', async () => {
    await released();
    const failed = must(await api.deploy(shop('replicas = 2')));
    await api.end(failed.id, 'failed');
    const back = (revision: number) => ({ ...order(2), revision });
    expect(codeOf(await api.operations.rollback(LOCAL, back(2), INFO))).toBe('invalid_request');
    expect(codeOf(await api.operations.rollback(LOCAL, back(9), INFO))).toBe('not_found');
  });
});

describe('changing one service', () => {
  it('restarts with a nonce that follows from the key, so that asking twice restarts once', async () => {
    await released();
    const asked = order(1, 'restart-me-once');
    const first = must(await api.operations.restart(LOCAL, asked, INFO));
    const again = must(await api.operations.restart(LOCAL, asked, INFO));
    expect(again.id).toBe(first.id);
    const spec = first.spec as { services: { web: { restart_nonce: string } } };
    expect(spec.services.web.restart_nonce).toMatch(/^[0-9a-f]{16}$/);
    expect(api.release(first.id)?.spec.images).toEqual({ web: DIGEST(1) });
  });

  it('scales, stops and resumes', async () => {
    await released();
    const scaled = must(await api.operations.scale(LOCAL, { ...order(1), replicas: 3 }, INFO));
    expect(scaled.spec).toMatchObject({ services: { web: { replicas: 3 } } });
    await api.end(scaled.id, 'succeeded', { web: DIGEST(1) });
    const stopped = must(await api.operations.stop(LOCAL, order(2), INFO));
    expect(stopped.spec).toMatchObject({ services: { web: { replicas: 3, suspended: true } } });
    await api.end(stopped.id, 'succeeded', { web: DIGEST(1) });
    const resumed = must(await api.operations.resume(LOCAL, order(3), INFO));
    expect(resumed.spec).toMatchObject({ services: { web: { suspended: false } } });
  });

  it.each([
    [0, ''],
    [21, ''],
    [2, '[services.web.volume]\nmount_path = "/data"\nsize_gib = 1'],
    [2, '[services.web.autoscaling]\nmax_replicas = 3'],
    [2, '[services.web.job]'],
  ])('refuses %i replicas with %j', async (replicas, lines) => {
    await released(lines);
    expect(codeOf(await api.operations.scale(LOCAL, { ...order(1), replicas }, INFO))).toBe('invalid_request');
  });

  it('refuses an unknown service, and one whose digests are not known yet', async () => {
    must(await api.deploy(shop()));
    expect(codeOf(await api.operations.restart(LOCAL, { ...order(1), service: 'db' }, INFO))).toBe('not_found');
    expect(codeOf(await api.operations.restart(LOCAL, order(1), INFO))).toBe('unresolved_base');
  });

  it('tells whose application it is only to who may know', async () => {
    await released();
    const stranger = keyed(['deployments:write'], { project: 'other' });
    expect(codeOf(await api.operations.restart(stranger, order(1), INFO))).toBe('permission_denied');
    const nobody = { ...order(1), id: '9'.repeat(32) };
    expect(codeOf(await api.operations.restart(stranger, nobody, INFO))).toBe('not_found');
  });
});

describe('cancelling', () => {
  it('ends a release that waits, at once', async () => {
    const release = must(await api.deploy(shop()));
    must(await api.operations.cancel(LOCAL, { id: release.id }, INFO));
    expect(api.release(release.id)?.status).toMatchObject({ state: 'cancelled', code: 'cancelled' });
    expect(codeOf(await api.operations.cancel(LOCAL, { id: release.id }, INFO))).toBe('terminal_operation');
  });

  it('asks a release that runs to stop, and shows that', async () => {
    const release = must(await api.deploy(shop()));
    await api.world.deps.store.releases.updateStatus(release.id, ({ status }) => ({ ...status, state: 'running' }));
    must(await api.operations.cancel(LOCAL, { id: release.id }, INFO));
    must(await api.operations.cancel(LOCAL, { id: release.id }, INFO));
    expect(api.world.applications.items.get(SOURCE)?.status.cancelled).toEqual([1]);
    const shown = must(await api.operations.show(LOCAL, { id: release.id }, INFO));
    expect(shown).toMatchObject({ status: 'running', cancel_requested: true });
  });
});

describe('a source whose application people deployed', () => {
  it('is held at the commit it has seen, whatever asks for a plan', async () => {
    await push(1, shop());
    await api.end(`${SOURCE}.1`, 'succeeded', { web: DIGEST(1) });
    const release = must(await api.deploy(shop('replicas = 2')));
    expect(release.held_source).toBe(SOURCE);
    const source = api.world.sources.items.get(SOURCE)!;
    expect(holdOf(source, api.release(release.id))?.name).toBe(release.id);
    await api.world.deps.store.sources.update(SOURCE, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, revision: 2 } },
    }));
    await push(1, shop());
    expect(planned()).toMatchObject({ outcome: 'held' });
    expect(api.world.releases.items.size).toBe(2);
    const ready = api.world.sources.items.get(SOURCE)?.status.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain('revision 2 was deployed by hand');
  });

  it('goes on with a new commit', async () => {
    await push(1, shop());
    await api.end(`${SOURCE}.1`, 'succeeded', { web: DIGEST(1) });
    must(await api.deploy(shop('replicas = 2')));
    await push(2, shop('replicas = 3'));
    expect(planned()).toMatchObject({ outcome: 'accepted' });
    expect(api.release(`${SOURCE}.3`)?.spec.origin).toMatchObject({ kind: 'git', commit: SHA(2) });
  });

  it('goes on when somebody resumes it', async () => {
    await push(1, shop());
    await api.end(`${SOURCE}.1`, 'succeeded', { web: DIGEST(1) });
    must(await api.deploy(shop('replicas = 2')));
    await api.world.deps.store.sources.update(SOURCE, ({ annotations }) => ({
      annotations: { ...annotations, [RESUMED_REVISION]: '2', 'hakopod.io/requested-at': 'now' },
    }));
    await push(1, shop());
    expect(planned()).toMatchObject({ outcome: 'accepted' });
    expect(api.world.releases.items.size).toBe(3);
  });
});

describe('following a release', () => {
  it('watches it once for any number of readers, and not at all after the last', async () => {
    const release = must(await api.deploy(shop()));
    const { releases } = api.world.deps.store;
    let watches = 0;
    const watch: typeof releases.watch = (name, listener) => {
      watches += 1;
      const stop = releases.watch(name, listener);
      return () => {
        watches -= 1;
        stop();
      };
    };
    const store = { ...api.world.deps.store, releases: { ...releases, watch } };
    const follower = followReleases({ store });
    const seen: Deployment[] = [];
    const readers = Array.from({ length: 500 }, () => follower.follow(release.id, (state) => seen.push(state)));
    expect(watches).toBe(1);
    expect(seen).toHaveLength(500);
    await api.end(release.id, 'succeeded');
    expect(seen).toHaveLength(1000);
    expect(new Set(seen.slice(500)).size).toBe(1);
    for (const reader of readers) reader.stop();
    expect(watches).toBe(0);
  });
});
