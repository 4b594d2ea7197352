import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLEANUP_FINALIZER } from '../../src/ports/index.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

const web = (replicas: number): string =>
  `name = "shop"\n[services.web]\nimage = "registry.example.test/web:1"\nreplicas = ${replicas}\n`;
const migrate = 'name = "shop"\n[services.migrate]\nimage = "registry.example.test/web:1"\n[services.migrate.job]\n';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const find = (kind: string, name: string) =>
  world.embedded.objects().find((object) => object.kind === kind && object.metadata.name === name);
const stateOf = async (name: string) => (await world.release(name)).status.state;

describe('releases that wait', () => {
  it('are carried out one after another when people asked for them', async () => {
    const names = [await world.accept(web(1), { api: true }), await world.accept(web(2), { api: true })];
    expect((await world.run()).ok).toBe(true);
    expect(await Promise.all(names.map(stateOf))).toEqual(['succeeded', 'succeeded']);
    expect(find('Deployment', 'web')).toMatchObject({ spec: { replicas: 2 } });
    expect(world.deps.store.applications.cached(APP)?.status).toMatchObject({ phase: 'healthy', revision: 2 });
  });

  it('are passed over by a newer push when a push made them, and by nothing else', async () => {
    const first = await world.accept(web(1));
    const byHand = await world.accept(web(2), { api: true });
    const second = await world.accept(web(3));
    expect((await world.run()).ok).toBe(true);
    expect(await Promise.all([first, byHand, second].map(stateOf))).toEqual(['superseded', 'succeeded', 'succeeded']);
    expect(await world.said(first)).toMatch(/^superseded: /);
  });

  it('let a push that runs come to its end before what people asked for', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const push = await world.accept(migrate);
    const running = world.run();
    await until('the job runs', () => find('Job', 'migrate-job') !== undefined);
    const byHand = await world.accept(web(1), { api: true });
    expect(await stateOf(push)).toBe('running');
    await world.deps.store.applications.updateStatus(APP, ({ status }) => ({ ...status, cancelled: [1] }));
    expect((await running).ok).toBe(true);
    expect((await world.release(push)).status).toMatchObject({ state: 'cancelled', code: 'cancelled' });
    expect(await world.said(push)).toBe('cancelled: cancelled');
    expect(await stateOf(byHand)).toBe('succeeded');
    expect(world.deps.store.applications.cached(APP)?.status.cancelled ?? []).toEqual([]);
  });

  it('are still waited for when a newer one was cancelled, and so is their own cancellation', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const older = await world.accept(migrate, { api: true });
    const newer = await world.accept(web(1), { api: true });
    await world.deps.store.releases.updateStatus(newer, ({ status }) => ({ ...status, state: 'cancelled' }));
    const running = world.run();
    await until('the job runs', () => find('Job', 'migrate-job') !== undefined);
    const phase = () => world.deps.store.applications.cached(APP)?.status.phase;
    expect(phase()).toBe('queued');
    await world.deps.store.applications.updateStatus(APP, ({ status }) => ({ ...status, cancelled: [1] }));
    expect((await running).ok).toBe(true);
    expect(await stateOf(older)).toBe('cancelled');
    expect(phase()).toBe('cancelled');
  });

  it('stay cancelled while they ran on a worker that died, although a newer one was cancelled too', async () => {
    const older = await world.accept(web(1), { api: true });
    const newer = await world.accept(web(2), { api: true });
    await world.deps.store.releases.updateStatus(older, ({ status }) => ({ ...status, state: 'running' }));
    await world.deps.store.releases.updateStatus(newer, ({ status }) => ({ ...status, state: 'cancelled' }));
    await world.deps.store.applications.updateStatus(APP, ({ status }) => ({ ...status, cancelled: [1] }));
    expect((await world.run()).ok).toBe(true);
    expect(await stateOf(older)).toBe('cancelled');
    expect(find('Deployment', 'web')).toBeUndefined();
  });

  it('stay cancelled when they were cancelled before they began', async () => {
    const name = await world.accept(web(1), { api: true });
    await world.deps.store.releases.updateStatus(name, ({ status }) => ({ ...status, state: 'cancelled' }));
    expect((await world.run()).ok).toBe(true);
    expect(await stateOf(name)).toBe('cancelled');
    expect(world.embedded.objects().filter(({ metadata }) => metadata.namespace === NAMESPACE)).toEqual([]);
    expect(world.deps.store.applications.cached(APP)?.status.phase).toBe('cancelled');
  });

  it('are waited for a while after the API took a revision, then given up', async () => {
    const at = (ms: number): string => new Date(world.deps.clock.now().getTime() - ms).toISOString();
    const take = (ms: number) =>
      world.deps.store.applications.updateStatus(APP, ({ status }) => ({
        ...status,
        acceptedRevision: 1,
        acceptedAt: at(ms),
        phase: 'queued',
      }));
    await take(1_000);
    await world.run();
    const phase = async () => {
      const read = await world.deps.store.applications.get(APP);
      return read.ok ? read.value?.status.phase : undefined;
    };
    expect(await phase()).toBe('queued');
    await take(120_000);
    await world.run();
    expect(await phase()).toBe('cancelled');
  });

  it('leave the application as it was when they never came, so that it is still kept', async () => {
    await world.accept(web(1), { api: true });
    await world.run();
    await world.deps.store.applications.updateStatus(APP, ({ status }) => ({
      ...status,
      acceptedRevision: 2,
      acceptedAt: new Date(world.deps.clock.now().getTime() - 120_000).toISOString(),
      phase: 'queued',
    }));
    await until('the cache knows', () => world.deps.store.applications.cached(APP)?.status.acceptedRevision === 2);
    expect((await world.run()).ok).toBe(true);
    expect(await world.deps.store.applications.get(APP)).toMatchObject({ value: { status: { phase: 'healthy' } } });
  });
});

describe('a release that runs an earlier revision again', () => {
  it('resolves no image it was given', async () => {
    const first = await world.accept(web(1), { api: true });
    await world.run();
    const resolved = (await world.release(first)).status.resolved ?? {};
    const digest = `registry.example.test/web@sha256:${'9'.repeat(64)}`;
    expect(resolved.web).not.toBe(digest);
    const again = await world.accept(web(2), { api: true, images: { web: digest } });
    await world.run();
    expect((await world.release(again)).status.resolved).toEqual({ web: digest });
  });
});

it('a release of an earlier application of the same name is never carried out', async () => {
  const name = await world.accept(web(1), { api: true });
  const own = await world.release(name);
  const later = `${APP}.7`;
  const spec = { ...own.spec, revision: 7, applicationId: '9'.repeat(32) };
  expect((await world.deps.store.releases.create({ name: later, spec })).ok).toBe(true);
  expect((await world.run()).ok).toBe(true);
  expect(await stateOf(name)).toBe('succeeded');
  expect(await world.deps.store.releases.get(later)).toEqual({ ok: true, value: undefined });
});

describe('an application somebody removes', () => {
  const remove = async (): Promise<void> => {
    await world.deps.store.applications.update(APP, () => ({ finalizers: [CLEANUP_FINALIZER] }));
    const { uid = '' } = world.deps.store.applications.cached(APP) ?? {};
    await world.deps.store.applications.delete(APP, uid);
  };
  const inNamespace = (): string[] =>
    world.embedded
      .objects()
      .filter(({ metadata }) => metadata.namespace === NAMESPACE)
      .map(({ kind, metadata }) => `${kind}/${metadata.name}`);

  it('goes with everything it runs and remembers', async () => {
    await world.accept(web(1), { api: true });
    await world.run();
    await remove();
    expect((await world.run()).ok).toBe(true);
    await until('the namespace is gone', () => find('Namespace', NAMESPACE) === undefined);
    const left = world.embedded.objects().filter(({ kind }) => ['Application', 'Release'].includes(kind));
    expect(left).toEqual([]);
  });

  it('leaves its claims, and their namespace', async () => {
    await world.accept(`${web(1)}[services.web.volume]\nmount_path = "/data"\nsize_gib = 1\n`, { api: true });
    await world.run();
    await remove();
    expect((await world.run()).ok).toBe(true);
    await until('the pods are gone', () => inNamespace().every((name) => !name.startsWith('Pod/')));
    const mine = inNamespace().filter((name) => !/^(?:ServiceAccount|ConfigMap\/kube-root)/.test(name));
    expect(mine.sort()).toEqual(['PersistentVolumeClaim/web-data', 'ResourceQuota/hakopod-budget']);
    expect(find('Application', APP)).toBeUndefined();
  });

  it('ends a release that runs and those behind it, and writes nothing more', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const first = await world.accept(migrate, { api: true });
    const second = await world.accept(web(1), { api: true });
    const running = world.run();
    await until('the job runs', () => find('Job', 'migrate-job') !== undefined);
    const ends = new Map<string, string | undefined>();
    const stops = [first, second].map((name) =>
      world.deps.store.releases.watch(name, ({ status }) => ends.set(name, status.state)),
    );
    await remove();
    expect((await running).ok).toBe(true);
    expect(find('Deployment', 'web')).toBeUndefined();
    await world.run();
    await until('both ends were seen', () => [first, second].every((name) => ends.get(name) === 'cancelled'));
    for (const stop of stops) stop();
    expect(find('Application', APP)).toBeUndefined();
  });

  it('ends a release that still waits', async () => {
    const name = await world.accept(web(1), { api: true });
    const seen: (string | undefined)[] = [];
    const stop = world.deps.store.releases.watch(name, ({ status }) => seen.push(status.state));
    await remove();
    await world.run();
    await until('its end was seen', () => seen.includes('cancelled'));
    stop();
    expect(inNamespace()).toEqual([]);
  });
});
