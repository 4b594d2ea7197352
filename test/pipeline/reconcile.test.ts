import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const IMAGE = 'registry.example.test/shop:1';
const web = (extra = ''): string => `[services.web]\nimage = "${IMAGE}"\nport = 8080\n${extra}`;
const api = (extra = ''): string => `[services.api]\nimage = "${IMAGE}"\nport = 8080\n${extra}`;
const migrate = `[services.migrate]\nimage = "${IMAGE}"\ncommand = ["/migrate"]\njob = { timeout_seconds = 10 }\n`;
const file = (...services: string[]): string => `name = "shop"\n${services.join('')}`;

function names(kind: string): string[] {
  return world.embedded
    .objects()
    .filter((object) => object.kind === kind && object.metadata.namespace === NAMESPACE)
    .map((object) => object.metadata.name)
    .sort();
}

function find(kind: string, name: string): Manifest | undefined {
  return world.embedded
    .objects()
    .find((object) => object.kind === kind && object.metadata.namespace === NAMESPACE && object.metadata.name === name);
}

/** Writes to the application's namespace since the last reset. */
function namespaceWrites(): number {
  const by = world.embedded.requests().by;
  return Object.entries(by)
    .filter(([key]) =>
      /^(create|update|patch|delete) (namespaces|networkpolicies|resourcequotas|services|secrets|deployments|jobs|ingresses)/.test(
        key,
      ),
    )
    .reduce((total, [, count]) => total + count, 0);
}

describe('a release', () => {
  it('that succeeds is recorded on the release, the application, the source and in the report queue', async () => {
    const name = await world.accept(file(migrate, web('depends_on = ["migrate"]\n')));
    expect(await world.run()).toEqual({ ok: true, value: undefined });
    const release = await world.release(name);
    expect(release.status).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(release.status.steps?.map(({ name: step, state }) => `${step} ${state}`)).toEqual([
      'secrets done',
      'images done',
      'foundation done',
      'service:migrate done',
      'service:web done',
      'prune done',
    ]);
    const application = await world.deps.store.applications.get(APP);
    expect(application).toMatchObject({
      value: { status: { phase: 'healthy', revision: 1, conditions: [{ type: 'Ready', status: 'True' }] } },
    });
    expect(await world.said(name)).toBe('success: released revision 1');
    expect(world.jobs).toContainEqual({ queue: 'report', source: APP, commit: release.spec.origin.commit });
  });

  it('run again writes nothing to the cluster', async () => {
    await world.accept(file(migrate, web('depends_on = ["migrate"]\n')));
    await world.run();
    world.embedded.resetRequests();
    await world.run();
    expect(namespaceWrites()).toBe(0);
  });

  it('with a failed job blocks what depends on it, and nothing else', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'fail', reason: 'Error', exitCode: 3 } });
    const name = await world.accept(file(migrate, web('depends_on = ["migrate"]\n'), api()));
    await world.run();
    const release = await world.release(name);
    expect(release.status).toMatchObject({ state: 'failed', code: 'job_failed', at: 'services.migrate.job' });
    expect(release.status.steps?.find((step) => step.name === 'service:web')).toMatchObject({
      state: 'skipped',
      code: 'dependency_failed',
    });
    expect(names('Deployment')).toEqual(['api']);
    expect(await world.said(name)).toContain('services.migrate.job');
    expect(await world.said(name)).toContain('3');
    // The same revision keeps its failure; only a new one runs the job again.
    world.embedded.setBehaviour({});
    await world.run();
    expect((await world.release(name)).status.state).toBe('failed');
    const next = await world.accept(file(migrate, web('depends_on = ["migrate"]\nenv = { A = "2" }\n'), api()));
    await world.run();
    expect((await world.release(next)).status.state).toBe('succeeded');
  });

  it('does not run a job again that completed and was removed by hand', async () => {
    await world.accept(file(migrate, web('depends_on = ["migrate"]\n')));
    await world.run();
    const job = find('Job', 'migrate-job');
    await world.cluster.delete(
      { apiVersion: 'batch/v1', kind: 'Job', namespace: NAMESPACE, name: 'migrate-job' },
      { uid: job?.metadata.uid ?? '', propagation: 'Background' },
    );
    await until('it is gone', () => find('Job', 'migrate-job') === undefined);
    await world.run();
    expect(find('Job', 'migrate-job')).toBeUndefined();
  });

  it('prunes what it no longer wants, after what it wants is there', async () => {
    await world.accept(file(web('public = true\n'), api()));
    await world.run();
    expect(names('Ingress')).toEqual(['web']);
    await world.accept(file(web()));
    await world.run();
    expect([names('Ingress'), names('Deployment'), names('Service')]).toEqual([[], ['web'], ['web']]);
    expect(names('NetworkPolicy')).toEqual(['hakopod-default-deny', 'hakopod-service-web']);
    expect(
      world.embedded.objects().some((object) => object.kind === 'Namespace' && object.metadata.name === NAMESPACE),
    ).toBe(true);
  });

  it('never touches what is not ours, and says so', async () => {
    await world.accept(file(web()));
    await world.run();
    const foreign = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'api', namespace: NAMESPACE },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'x', image: 'x' }] } },
      },
    };
    const created = await world.cluster.create(foreign);
    expect(created.ok).toBe(true);
    const before = JSON.stringify(find('Deployment', 'api')?.spec);
    const name = await world.accept(file(web(), api()));
    await world.run();
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'not_owned' });
    expect(JSON.stringify(find('Deployment', 'api')?.spec)).toBe(before);
  });

  it('reads every secret before it writes anything', async () => {
    const name = await world.accept(file(web('secrets = { A = { ref = "gone" } }\n')));
    world.embedded.resetRequests();
    await world.run();
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'missing_secrets' });
    expect(namespaceWrites()).toBe(0);
  });

  it.each([
    ['an API server that answers 500', { status: 500 }],
    ['a connection cut before the write', { reset: true }],
    ['a connection cut after the write', { lost: true }],
  ] as const)('survives %s at each of its writes, and does nothing twice', async (_what, fault) => {
    const name = await world.accept(file(migrate, web('depends_on = ["migrate"]\npublic = true\n')));
    let nth = 0;
    let target = 1;
    let hits = 0;
    for (; target < 60; target += 1) {
      nth = 0;
      let hit = false;
      world.embedded.fault((request) => {
        const isWrite =
          ['create', 'update', 'patch', 'delete'].includes(request.verb) && request.namespace === NAMESPACE;
        if (isWrite) nth += 1;
        if (!isWrite || hit || nth !== 1) return undefined;
        hit = true;
        hits += 1;
        return fault;
      });
      const done = await world.run();
      if (done.ok) break;
      expect(done.problem.kind).not.toBe('rejected');
    }
    world.embedded.fault(undefined);
    expect(hits).toBeGreaterThan(3);
    if ((await world.release(name)).status.state !== 'succeeded') await world.run();
    expect((await world.release(name)).status.state).toBe('succeeded');
    expect(find('Deployment', 'web')?.metadata.generation).toBe(1);
    expect(find('Job', 'migrate-job')?.metadata.generation).toBe(1);
    expect(await world.said(name)).toBe('success: released revision 1');
  });

  it('names the verb when the cluster does not permit it', async () => {
    world.embedded.setDenied([{ verb: 'create', resource: 'jobs' }]);
    const name = await world.accept(file(migrate));
    await world.run();
    expect((await world.release(name)).status).toMatchObject({
      state: 'failed',
      code: 'forbidden',
      message: expect.stringContaining('create'),
    });
    expect(await world.said(name)).toContain('create');
  });

  it('gives way to a newer one in the middle of its wait', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const first = await world.accept(file(migrate, web('depends_on = ["migrate"]\n')));
    const running = world.run();
    await until('the job runs', () => find('Job', 'migrate-job') !== undefined);
    const second = await world.accept(file(web()));
    expect((await running).ok).toBe(true);
    expect((await world.release(first)).status.state).toBe('superseded');
    expect((await world.release(second)).status.state).toBe('succeeded');
    expect(await world.said(first)).toBe('superseded: superseded by 0000000');
    expect(names('Job')).toEqual([]);
  });

  it('ends when its grant is taken away in the middle', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const name = await world.accept(file(migrate, web('depends_on = ["migrate"]\n')));
    const running = world.run();
    await until('the job runs', () => find('Job', 'migrate-job') !== undefined);
    await world.deps.store.sources.update(APP, (current) => ({
      spec: { ...current.spec, grant: { ...current.spec.grant, revision: 2, permissions: [] } },
    }));
    expect((await running).ok).toBe(true);
    expect((await world.release(name)).status).toMatchObject({ state: 'cancelled', code: 'grant_refused' });
    expect(await world.said(name)).toBe('cancelled: cancelled');
    expect(names('Deployment')).toEqual([]);
  });

  it('is left for another worker when this one stops', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const name = await world.accept(file(migrate));
    const stopping = new AbortController();
    const running = world.run(stopping.signal);
    await until('the job runs', () => find('Job', 'migrate-job') !== undefined);
    const job = find('Job', 'migrate-job')?.metadata.uid;
    stopping.abort();
    expect(await running).toMatchObject({ ok: false, problem: { kind: 'waiting', code: 'worker_stopping' } });
    expect((await world.release(name)).status.state).toBe('running');
    world.embedded.setBehaviour({ migrate: 'ready' });
    const pod = world.embedded.objects().find((object) => object.kind === 'Pod');
    await world.cluster.delete(
      { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE, name: pod?.metadata.name ?? '' },
      { uid: pod?.metadata.uid ?? '', propagation: 'Background' },
    );
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(name)).status).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(find('Job', 'migrate-job')?.metadata.uid).toBe(job);
  });

  it('that nobody came back to before its deadline is lost', async () => {
    const name = await world.accept(file(web()));
    await world.deps.store.releases.updateStatus(name, (current) => ({
      ...current.status,
      state: 'running',
      attempts: 1,
      startedAt: '2026-01-01T00:00:00Z',
      deadline: '2026-01-01T00:10:00Z',
    }));
    await world.run();
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'release_deadline', lost: true });
    expect(await world.said(name)).toMatch(/^lost: /);
  });

  it('keeps a history of ten and the last good one', async () => {
    await world.accept(file(web()));
    await world.run();
    for (let n = 2; n <= 13; n += 1) await world.accept(file(web(`secrets = { A${n} = { ref = "gone" } }\n`)));
    await world.run();
    const last = await world.accept(file(web('secrets = { B = { ref = "gone" } }\n')));
    await world.run();
    const releases = await world.deps.store.releases.ofApplication(APP);
    const revisions = releases.ok ? releases.value.map((release) => release.spec.revision) : [];
    expect(revisions).toHaveLength(11);
    expect(revisions).toContain(1);
    expect(revisions[0]).toBe(Number(last.split('.').at(-1)));
  });
});

describe('a commit with two releases', () => {
  it('hears the end of the newer one, not of the older', async () => {
    const first = await world.accept(file(web()), { commit: '7'.repeat(40) });
    await world.run();
    expect(await world.said(first)).toBe('success: released revision 1');
    await world.accept(file(web('env = { A = "2" }\n')));
    await world.run();
    // The ref went back: the first commit is released again, and fails this time.
    const again = await world.accept(file(web('secrets = { A = { ref = "gone" } }\n')), { commit: '7'.repeat(40) });
    await world.run();
    expect((await world.release(again)).status.state).toBe('failed');
    expect(await world.said(again)).toMatch(/^failure: failed/);
  });

  it('hears nothing of an older one that a newer of the same commit passed over', async () => {
    await world.accept(file(web('secrets = { A = { ref = "gone" } }\n')), { commit: '7'.repeat(40) });
    const newer = await world.accept(file(web()), { commit: '7'.repeat(40) });
    await world.run();
    expect(await world.said(newer)).toBe('success: released revision 2');
  });
});

describe('a turn', () => {
  it('whose lease a newer turn took writes nothing any more', async () => {
    const name = await world.accept(file(web()));
    await world.deps.store.applications.updateStatus(APP, (current) => ({ ...current.status, fence: 1_000_000 }));
    expect(await world.run()).toMatchObject({ ok: false, problem: { code: 'lease_lost' } });
    expect((await world.release(name)).status.state).toBeUndefined();
    expect(names('Deployment')).toEqual([]);
  });
});
