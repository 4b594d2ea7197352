import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createStore, ensureCrds } from '../../src/adapters/store/index.ts';
import { GROUP_VERSION, type Store } from '../../src/ports/index.ts';
import { type ClusterUnderTest, eventually, memoryLog, realClock } from '../support/kubernetes.ts';
import { newApplication, newBuildRun, newPlan, newRelease, newRepository, newSource } from '../support/resources.ts';
import { must, type Skips, testsWith } from './cluster.contract.ts';

/** What the store promises over any cluster. */
export function describeStoreContract(
  name: string,
  factory: () => Promise<ClusterUnderTest>,
  options: Skips = {},
): void {
  const test = testsWith(options);
  describe(`store contract: ${name}`, () => {
    let under: ClusterUnderTest;
    let store: Store;
    const log = memoryLog();
    beforeAll(async () => {
      under = await factory();
      must(await ensureCrds(under.cluster, realClock));
      store = createStore({ cluster: under.cluster, namespace: under.namespace, log });
      await store.start();
    });
    afterAll(async () => {
      await store.stop();
      await under.close();
    });

    const raw = (kind: string, objectName: string) => ({
      apiVersion: GROUP_VERSION,
      kind,
      namespace: under.namespace,
      name: objectName,
    });

    test('creates, reads, caches and deletes at the uid', async () => {
      const changed: string[] = [];
      const off = store.applications.onChange((changedName) => changed.push(changedName));
      const made = must(await store.applications.create({ ...newApplication('a.b.c'), annotations: { note: 'x' } }));
      expect(made).toMatchObject({
        name: 'a.b.c',
        generation: 1,
        deleting: false,
        status: {},
        annotations: { note: 'x' },
      });
      const again = await store.applications.create(newApplication('a.b.c'));
      expect(again.ok ? 'ok' : again.problem.code).toBe('already_exists');
      expect(must(await store.applications.get('a.b.c'))).toEqual(made);
      expect(must(await store.applications.get('a.b.d'))).toBeUndefined();
      await eventually(() => store.applications.cached('a.b.c') !== undefined);
      expect(store.applications.all().map((a) => a.name)).toContain('a.b.c');
      expect(changed).toContain('a.b.c');
      // What had this uid is gone; what has the name now stays.
      must(await store.applications.delete('a.b.c', '00000000-0000-0000-0000-000000000000'));
      expect(must(await store.applications.get('a.b.c'))).toEqual(made);
      must(await store.applications.delete('a.b.c', made.uid));
      must(await store.applications.delete('a.b.c', made.uid));
      await eventually(() => store.applications.cached('a.b.c') === undefined);
      off();
    });

    test('updateStatus loses no change among concurrent writers, and leaves the spec alone', async () => {
      must(await store.applications.create(newApplication('race.b.c')));
      const add = () =>
        store.applications.updateStatus('race.b.c', (current) => ({
          ...current.status,
          revision: (current.status.revision ?? 0) + 1,
        }));
      for (const result of await Promise.all([add(), add(), add(), add(), add()])) must(result);
      const after = must(await store.applications.get('race.b.c'))!;
      expect(after.status.revision).toBe(5);
      expect(after.generation).toBe(1);
    });

    test('a change that answers undefined writes nothing', async () => {
      const made = must(await store.applications.create(newApplication('nothing.b.c')));
      const same = must(await store.applications.updateStatus('nothing.b.c', () => undefined));
      expect(same.resourceVersion).toBe(made.resourceVersion);
      const absent = await store.applications.updateStatus('absent.b.c', () => ({}));
      expect(absent.ok ? 'ok' : absent.problem.code).toBe('not_found');
    });

    test('update changes spec, annotations and finalizers, and keeps labels and status', async () => {
      must(await store.sources.create(newSource('upd.b.c', 'shop', 'refs/heads/main')));
      must(await store.sources.updateStatus('upd.b.c', () => ({ released: { commit: 'c', revision: 1 } })));
      const updated = must(
        await store.sources.update('upd.b.c', (current) => ({
          spec: { ...current.spec, suspended: true },
          annotations: { ...current.annotations, 'hakopod.io/requested-at': 'now' },
          finalizers: ['hakopod.io/reports'],
        })),
      );
      expect(updated).toMatchObject({ generation: 2, spec: { suspended: true }, finalizers: ['hakopod.io/reports'] });
      expect(updated.status.released?.commit).toBe('c');
      const live = must(await under.cluster.get(raw('GitSource', 'upd.b.c')))!;
      expect(live.metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'hakopod' });
      must(await store.sources.delete('upd.b.c', updated.uid));
      await eventually(() => store.sources.cached('upd.b.c')?.deleting === true, 'the deletion');
      must(await store.sources.update('upd.b.c', () => ({ finalizers: [] })));
      await eventually(() => store.sources.cached('upd.b.c') === undefined, 'the end of the finalizer');
    });

    test('the fence of an application never falls', async () => {
      must(await store.applications.create(newApplication('fence.b.c')));
      must(await store.applications.updateStatus('fence.b.c', () => ({ fence: 3 })));
      const lower = await store.applications.updateStatus('fence.b.c', () => ({ fence: 2 }));
      expect(lower.ok ? 'ok' : lower.problem.code).toBe('lease_lost');
      const silent = must(await store.applications.updateStatus('fence.b.c', () => ({ revision: 1 })));
      expect(silent.status).toEqual({ revision: 1, fence: 3 });
    });

    test('the API server itself refuses a falling or vanishing fence, and a new id', async () => {
      must(await store.applications.create(newApplication('cel.b.c')));
      must(await store.applications.updateStatus('cel.b.c', () => ({ fence: 3 })));
      const ref = raw('Application', 'cel.b.c');
      for (const status of [{ fence: 2 }, { fence: null }, null]) {
        const result = await under.cluster.mergePatch(ref, { status }, 'status');
        expect(result.ok ? 'ok' : result.problem.code).toBe('invalid_object');
      }
      must(await under.cluster.mergePatch(ref, { status: { fence: 4 } }, 'status'));
      const renamed = await under.cluster.mergePatch(ref, { spec: { id: 'b'.repeat(32) } });
      expect(renamed.ok ? 'ok' : renamed.problem.code).toBe('invalid_object');
    });

    test('lists the previews of one project, and what an application is a preview of is immutable', async () => {
      const preview = {
        ...{ source: 'p.q.shop', sourceUid: 'u', repository: 'github-1', number: 7, parent: 'p.q.shop' },
        expiresAt: '2026-01-01T00:00:00Z',
      };
      const specOf = (project: string, id: string) => ({ id: id.repeat(32), project, environment: 'q', name: 'shop' });
      must(await store.applications.create({ name: 'p.q.shop', spec: specOf('p', '1') }));
      must(await store.applications.create({ name: 'p.q.one', spec: { ...specOf('p', '2'), preview } }));
      must(await store.applications.create({ name: 'pp.q.one', spec: { ...specOf('pp', '3'), preview } }));
      const names = async (project: string) => must(await store.previewsOf(project)).map(({ name }) => name);
      expect(await names('p')).toEqual(['p.q.one']);
      expect(await names('none')).toEqual([]);
      const expiresAt = '2026-02-01T00:00:00Z';
      const moved = must(
        await store.applications.update('p.q.one', ({ spec }) => ({
          spec: { ...spec, preview: { ...preview, expiresAt } },
        })),
      );
      expect(moved.spec.preview?.expiresAt).toBe(expiresAt);
      for (const [name, change] of [
        ['p.q.one', { ...preview, number: 8 }],
        ['p.q.one', undefined],
        ['p.q.shop', preview],
      ] as const) {
        const current = must(await store.applications.get(name));
        if (current === undefined) throw new Error(`${name} is not there`);
        const { preview: _, ...spec } = current.spec;
        const written = await store.applications.update(name, () => ({
          spec: change === undefined ? spec : { ...spec, preview: change },
        }));
        expect(written.ok ? 'ok' : written.problem.code, name).toBe('invalid_object');
      }
    });

    test('the API server itself keeps a release immutable but for its status', async () => {
      must(await store.releases.create(newRelease('immutable.b.c', 1)));
      const ref = raw('Release', 'immutable.b.c.1');
      const result = await under.cluster.mergePatch(ref, { spec: { spec: 'other' } });
      expect(result.ok ? 'ok' : result.problem.code).toBe('invalid_object');
      const status = { state: 'running' as const, resolved: { web: `sha256:${'0'.repeat(64)}` } };
      expect(must(await store.releases.updateStatus('immutable.b.c.1', () => status)).status).toEqual(status);
    });

    test('lists the releases of one application, newest first', async () => {
      for (const revision of [1, 2, 10]) must(await store.releases.create(newRelease('many.b.c', revision)));
      must(await store.releases.create(newRelease('many.b.cd', 5)));
      const taken = await store.releases.create(newRelease('many.b.c', 2));
      expect(taken.ok ? 'ok' : taken.problem.code).toBe('already_exists');
      const listed = must(await store.releases.ofApplication('many.b.c'));
      expect(listed.map((release) => release.spec.revision)).toEqual([10, 2, 1]);
      expect(must(await store.releases.ofApplication('none.b.c'))).toEqual([]);
    });

    test('keeps builds, whose commit and configuration never change', async () => {
      const made = must(await store.builds.create(newBuildRun('built.b.c', 'built.b.c.1')));
      const taken = await store.builds.create(newBuildRun('built.b.c', 'built.b.c.1'));
      expect(taken.ok ? 'ok' : taken.problem.code).toBe('already_exists');
      must(await store.builds.create(newBuildRun('built.b.cd', 'built.b.cd.1')));
      const status = {
        state: 'succeeded' as const,
        attempts: 2,
        fence: 3,
        image: `registry.example.com/web@sha256:${'d'.repeat(64)}`,
        log: `${'ü'.repeat(16_000)}\n`,
      };
      must(await store.builds.updateStatus('built.b.c.1', () => status));
      expect(must(await store.builds.ofApplication('built.b.c'))).toMatchObject([{ name: 'built.b.c.1', status }]);
      const moved = await under.cluster.mergePatch(raw('BuildRun', 'built.b.c.1'), {
        spec: { commit: 'e'.repeat(40) },
      });
      expect(moved.ok ? 'ok' : moved.problem.code).toBe('invalid_object');
      must(await store.builds.delete('built.b.c.1', made.uid));
      expect(must(await store.builds.get('built.b.c.1'))).toBeUndefined();
    });

    test('keeps plans of pull requests, whose request and source never change', async () => {
      must(await store.plans.create(newPlan('plan.b.c', 7)));
      const taken = await store.plans.create(newPlan('plan.b.c', 7));
      expect(taken.ok ? 'ok' : taken.problem.code).toBe('already_exists');
      const report = { outcome: 'success' as const, description: 'plan: 1 service to change' };
      const status = {
        ...{ head: 'c'.repeat(40), headRef: 'refs/pull/7/head', base: { ref: 'refs/heads/main' }, fork: true },
        ...{ outcome: 'planned' as const, summary: '1 service to change', grantRevision: 1, sourceGeneration: 1 },
        comment: { desired: 'sha256:0', id: '12' },
        reports: [{ commit: 'c'.repeat(40), desired: report, at: '2026-01-01T00:00:00.000Z' }],
      };
      const written = must(await store.plans.updateStatus('plan.b.c.7', () => status));
      expect(written.status).toEqual(status);
      await eventually(() => store.plans.cached('plan.b.c.7')?.status.head !== undefined);
      const moved = await under.cluster.mergePatch(raw('Plan', 'plan.b.c.7'), { spec: { number: 8 } });
      expect(moved.ok ? 'ok' : moved.problem.code).toBe('invalid_object');
      must(await store.plans.delete('plan.b.c.7', written.uid));
      await eventually(() => store.plans.cached('plan.b.c.7') === undefined);
    });

    test('indexes sources by repository and ref, also when a binding moves', async () => {
      must(await store.sources.create(newSource('s1.b.c', 'shop', 'refs/heads/main')));
      must(await store.sources.create(newSource('s2.b.c', 'shop', 'refs/heads/main')));
      must(await store.sources.create(newSource('s3.b.c', 'shop', 'refs/heads/next')));
      must(await store.sources.create(newSource('s4.b.c', 'other', 'refs/heads/main')));
      const names = (repository: string, ref: string) =>
        store
          .sourcesOf(repository, ref)
          .map((s) => s.name)
          .sort();
      await eventually(() => store.sources.cached('s4.b.c') !== undefined);
      expect(names('shop', 'refs/heads/main')).toEqual(['s1.b.c', 's2.b.c']);
      expect([...store.repositoryRefs('shop')].sort()).toEqual(['refs/heads/main', 'refs/heads/next']);
      expect(store.repositoryRefs('none')).toEqual([]);
      const move = (current: { spec: ReturnType<typeof newSource>['spec'] }) => ({
        spec: { ...current.spec, ref: 'refs/heads/main' },
      });
      const moved = must(await store.sources.update('s3.b.c', move));
      await eventually(() => names('shop', 'refs/heads/main').includes('s3.b.c'));
      expect(store.repositoryRefs('shop')).toEqual(['refs/heads/main']);
      must(await store.sources.delete('s3.b.c', moved.uid));
      await eventually(() => !names('shop', 'refs/heads/main').includes('s3.b.c'));
    });

    test('keeps repositories with a status', async () => {
      must(await store.repositories.create(newRepository('shop')));
      const refs = [{ name: 'refs/heads/main', commit: 'c'.repeat(40), syncedAt: '2026-01-01T00:00:00.000Z' }];
      must(await store.repositories.updateStatus('shop', () => ({ refs })));
      await eventually(() => store.repositories.cached('shop')?.status.refs !== undefined);
      expect(store.repositories.all()[0]?.status.refs).toEqual(refs);
    });
  });
}
