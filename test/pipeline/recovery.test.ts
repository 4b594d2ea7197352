import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fail, type Manifest, problem } from '../../src/kernel/index.ts';
import type { Release } from '../../src/ports/index.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';

const BROKEN = 'registry.example.test/broken';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
  Object.assign(world.deps.options, { rolloutTimeoutSeconds: 1 });
  world.embedded.setBehaviour({
    [`${BROKEN}@sha256:${'a'.repeat(64)}`]: { kind: 'fail', reason: 'ImagePullBackOff' },
  });
});
afterEach(() => world.stop());

const service = (name: string, version: number, extra = '', image = 'registry.example.test/shop'): string =>
  `[services.${name}]\nimage = "${image}:1"\nport = 8080\nenv = { VERSION = "${version}" }\n${extra}`;
const file = (...services: string[]): string => `name = "shop"\n${services.join('')}`;
const good = (version: number, extra = ''): string => file(service('api', version), service('web', version, extra));
const bad = (version: number, extra = ''): string =>
  file(service('api', version), service('web', version, `depends_on = ["api"]\n${extra}`, BROKEN));

const find = (kind: string, name: string): Manifest | undefined =>
  world.embedded
    .objects()
    .find((o) => o.kind === kind && o.metadata.namespace === NAMESPACE && o.metadata.name === name);
const application = () => world.deps.store.applications.get(APP).then((read) => (read.ok ? read.value : undefined));
const recoveryOf = async (name: string): Promise<Release['status']['recovery']> =>
  (await world.release(name)).status.recovery;

function versionOf(name: string): string | undefined {
  return /"VERSION","value":"(\d+)"/.exec(JSON.stringify(find('Deployment', name)?.spec))?.[1];
}

/** Writes to what runs, since the last reset. */
function writes(): readonly string[] {
  const { by } = world.embedded.requests();
  return Object.keys(by).filter((key) =>
    /^(create|update|patch|delete) (deployments|services|secrets|networkp)/.test(key),
  );
}

describe('a release that fails', () => {
  it('puts the whole last good revision back, stays failed itself, and says so everywhere', async () => {
    await world.accept(good(1));
    await world.run();
    const name = await world.accept(bad(2));
    expect(await world.run()).toEqual({ ok: true, value: undefined });
    const { status } = await world.release(name);
    expect(status).toMatchObject({
      state: 'failed',
      code: 'rollout_timeout',
      at: 'services.web',
      recovery: { state: 'succeeded', revision: 1 },
    });
    expect([versionOf('api'), versionOf('web')]).toEqual(['1', '1']);
    expect(status.steps?.map((step) => `${step.name} ${step.state}`)).toEqual([
      'secrets done',
      'images done',
      'foundation done',
      'service:api done',
      'service:web timed_out',
      'recovery/secrets done',
      'recovery/images done',
      'recovery/foundation done',
      'recovery/service:api done',
      'recovery/service:web done',
      'recovery/prune done',
    ]);
    expect((await application())?.status).toMatchObject({
      phase: 'recovered',
      revision: 1,
      services: [
        { name: 'api', status: 'ready' },
        { name: 'web', status: 'ready' },
      ],
      conditions: [{ type: 'Ready', status: 'False', reason: 'RolloutTimeout' }],
    });
    expect(await world.said(name)).toMatch(/^failure: failed: services\.web: .*; revision 1 was put back$/);
  });

  it('is kept as it was put back: unchanged nothing is written, and what somebody changes by hand goes', async () => {
    await world.accept(good(1));
    await world.run();
    await world.accept(bad(2));
    await world.run();
    const before = await application();
    world.embedded.resetRequests();
    await world.run();
    expect(writes()).toEqual([]);
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name: 'web' };
    await world.cluster.mergePatch(ref, { spec: { replicas: 3 } });
    await world.run();
    expect(find('Deployment', 'web')).toMatchObject({ spec: { replicas: 1 } });
    expect((await application())?.status).toMatchObject({
      phase: 'recovered',
      conditions: before?.status.conditions ?? [],
    });
    // What comes next is compared with what was accepted, and goes back to what last succeeded.
    const third = await world.accept(bad(3));
    await world.run();
    expect(await recoveryOf(third)).toMatchObject({ state: 'succeeded', revision: 1 });
    const fourth = await world.accept(good(4));
    await world.run();
    expect((await world.release(fourth)).status.state).toBe('succeeded');
    expect((await application())?.status).toMatchObject({ phase: 'healthy', revision: 4 });
  });

  it('writes nothing while it goes back where it had not begun to write', async () => {
    await world.accept(good(1));
    await world.run();
    world.embedded.resetRequests();
    const name = await world.accept(good(2, 'secrets = { TOKEN = { ref = "absent" } }\n'));
    await world.run();
    expect((await world.release(name)).status).toMatchObject({
      state: 'failed',
      code: 'missing_secrets',
      recovery: { state: 'succeeded', revision: 1 },
    });
    expect(writes()).toEqual([]);
  });
});

describe('a recovery', () => {
  const volume = 'volume = { size_gib = 1, mount_path = "/data" }\n';
  const cases: readonly (readonly [what: string, before: string | undefined, after: string, message: string])[] = [
    ['the first release', undefined, bad(2), 'no release has succeeded before'],
    [
      'a file that switches it off',
      good(1),
      `${bad(2)}[recovery]\non_failure = "disabled"\n`,
      'recovery.on_failure: is disabled',
    ],
    ['other services', file(service('api', 1)), bad(2), 'services: the services are not the same as before'],
    ['a volume', good(1, volume), bad(2, volume), 'services.web.volume: volumes keep what was written'],
    ['a new volume', good(1), bad(2, volume), 'services.web.volume: volumes keep what was written'],
  ];
  for (const [what, before, after, message] of cases) {
    it(`is skipped, with the reason, for ${what}`, async () => {
      if (before !== undefined) {
        await world.accept(before);
        await world.run();
      }
      const name = await world.accept(after);
      await world.run();
      expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'rollout_timeout' });
      expect(await recoveryOf(name)).toMatchObject({ state: 'skipped', message });
      expect((await application())?.status.phase).toBe('failed');
      expect(versionOf('web')).toBe('2');
    });
  }

  it('that fails says why, and the application has failed', async () => {
    await world.accept(good(1));
    await world.run();
    world.embedded.setBehaviour({ web: { kind: 'fail', reason: 'ImagePullBackOff' } });
    const name = await world.accept(bad(2));
    await world.run();
    expect((await world.release(name)).status).toMatchObject({
      state: 'failed',
      code: 'rollout_timeout',
      recovery: { state: 'failed', revision: 1, code: 'rollout_timeout' },
    });
    expect((await recoveryOf(name))?.message).toMatch(/^services\.web: /);
    expect((await application())?.status.phase).toBe('failed');
    expect(await world.said(name)).not.toContain('put back');
  });

  it('that a stopping worker leaves is taken up by the next, which does not try the release again', async () => {
    await world.accept(good(1));
    await world.run();
    const name = await world.accept(bad(2));
    const stopping = new AbortController();
    // Nothing of the first revision gets ready while it is put back, until the worker has stopped.
    world.embedded.setBehaviour({ web: { kind: 'hang' } });
    const first = world.run(stopping.signal);
    await expect.poll(async () => (await recoveryOf(name))?.state, { timeout: 20_000 }).toBe('running');
    stopping.abort();
    expect(await first).toMatchObject({ ok: false, problem: { code: 'worker_stopping' } });
    const left = await world.release(name);
    expect(left.status).toMatchObject({ state: 'running', code: 'rollout_timeout' });
    world.embedded.setBehaviour({});
    expect(await world.run()).toEqual({ ok: true, value: undefined });
    const { status } = await world.release(name);
    expect(status).toMatchObject({ state: 'failed', code: 'rollout_timeout', recovery: { state: 'succeeded' } });
    expect(status.recovery?.deadline).toBe(left.status.recovery?.deadline);
    expect(status.steps?.filter((step) => step.name === 'service:web')).toMatchObject([{ state: 'timed_out' }]);
    expect(versionOf('web')).toBe('1');
  });

  it.each([
    ['succeeded', bad(2), '1'],
    ['skipped', `${bad(2)}[recovery]\non_failure = "disabled"\n`, '2'],
  ])('that has %s when its worker dies is not done again, nor is the release', async (state, text, left) => {
    await world.accept(good(1));
    await world.run();
    const name = await world.accept(text);
    const { releases } = world.deps.store;
    const write = releases.updateStatus;
    // Dies between the end of the recovery and the end of the release.
    const dying = vi.spyOn(releases, 'updateStatus').mockImplementation(async (of, change) => {
      const { status } = await world.release(name);
      const isOver = status.recovery !== undefined && status.recovery.state !== 'running';
      return isOver ? fail(problem('cluster_unavailable')) : write.call(releases, of, change);
    });
    expect((await world.run()).ok).toBe(false);
    dying.mockRestore();
    expect((await world.release(name)).status).toMatchObject({ state: 'running', recovery: { state } });
    const before = await recoveryOf(name);
    world.embedded.setBehaviour({});
    world.embedded.resetRequests();
    expect(await world.run()).toEqual({ ok: true, value: undefined });
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'rollout_timeout', attempts: 2 });
    expect(await recoveryOf(name)).toEqual(before);
    expect([versionOf('web'), writes()]).toEqual([left, []]);
  });

  it('has half the time of its release and fails when nobody took it up before', async () => {
    await world.accept(good(1));
    await world.run();
    const name = await world.accept(bad(2));
    await world.deps.store.releases.updateStatus(name, ({ status }) => ({
      ...status,
      state: 'running',
      code: 'rollout_timeout',
      message: 'it was not ready',
      recovery: { state: 'running', revision: 1, startedAt: '2020-01-01T00:00:00Z', deadline: '2020-01-01T00:05:00Z' },
    }));
    await world.run();
    expect(await recoveryOf(name)).toMatchObject({ state: 'failed', code: 'release_deadline' });
    const next = await world.accept(bad(3));
    await world.run();
    const { status } = await world.release(next);
    const span = (from = '', to = ''): number => Math.round((Date.parse(to) - Date.parse(from)) / 1000);
    expect(span(status.recovery?.startedAt, status.recovery?.deadline)).toBe(
      span(status.startedAt, status.deadline) / 2,
    );
  });

  it('gives way to a newer commit', async () => {
    await world.accept(good(1));
    await world.run();
    const name = await world.accept(bad(2));
    world.embedded.setBehaviour({ web: { kind: 'hang' } });
    const running = world.run();
    await expect.poll(async () => (await recoveryOf(name))?.state, { timeout: 20_000 }).toBe('running');
    world.embedded.setBehaviour({});
    const next = await world.accept(good(3));
    await running;
    await world.run();
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'rollout_timeout' });
    expect((await world.release(next)).status.state).toBe('succeeded');
    expect((await application())?.status.phase).toBe('healthy');
  });
});
