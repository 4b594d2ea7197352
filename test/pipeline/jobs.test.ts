import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

/* Deployment jobs while their releases are cancelled, repeated, rolled back and cleaned up after (facts 3.6 and 6.7). */

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const IMAGE = 'registry.example.test/shop:1';
const job = (name: string, more = ''): string =>
  `[services.${name}]\nimage = "${IMAGE}"\ncommand = ["/${name}"]\n${more}job = { timeout_seconds = 60 }\n`;
const web = (more = ''): string => `[services.web]\nimage = "${IMAGE}"\nport = 8080\n${more}`;
const file = (...services: string[]): string => `name = "shop"\n${services.join('')}`;
const SHOP = file(job('migrate'), web('depends_on = ["migrate"]\n'));

function jobOf(service: string): Manifest | undefined {
  return world.embedded
    .objects()
    .find(
      ({ kind, metadata }) => kind === 'Job' && metadata.name === `${service}-job` && metadata.namespace === NAMESPACE,
    );
}
const names = (kind: string): string[] =>
  world.embedded
    .objects()
    .filter((object) => object.kind === kind && object.metadata.namespace === NAMESPACE)
    .map(({ metadata }) => metadata.name)
    .sort();

async function cancel(revision: number): Promise<void> {
  await world.deps.store.applications.updateStatus(APP, ({ status }) => ({ ...status, cancelled: [revision] }));
}
function runs(service: string): Promise<unknown> {
  return until(`${service} runs`, () => (jobOf(service)?.status as { active?: number } | undefined)?.active === 1);
}
function gone(service: string): Promise<unknown> {
  return until(`${service} is gone`, () => jobOf(service) === undefined);
}
async function recorded(): Promise<readonly { service: string; revision: number; result: string }[]> {
  const application = await world.deps.store.applications.get(APP);
  return (application.ok ? application.value?.status.jobs : undefined) ?? [];
}
async function remove(service: string): Promise<void> {
  const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: NAMESPACE, name: `${service}-job` };
  await world.cluster.delete(ref, { uid: jobOf(service)?.metadata.uid ?? '', propagation: 'Background' });
  await gone(service);
}

describe('a cancellation', () => {
  it('stops the job that runs, leaves what was applied, and lets the next release run it anew', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const name = await world.accept(SHOP);
    const running = world.run();
    await runs('migrate');
    await cancel(1);
    expect((await running).ok).toBe(true);
    expect((await world.release(name)).status).toMatchObject({ state: 'cancelled', code: 'cancelled' });
    await gone('migrate');
    expect([names('Deployment'), names('Service')]).toEqual([[], ['web']]);
    expect(names('Pod')).toEqual([]);
    expect(await recorded()).toEqual([]);
    const application = await world.deps.store.applications.get(APP);
    const inventory = application.ok ? (application.value?.status.inventory ?? []) : [];
    expect(inventory.map(({ kind }) => kind)).not.toContain('Job');
    world.embedded.setBehaviour({});
    const next = await world.accept(SHOP);
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(next)).status.state).toBe('succeeded');
  });

  it('keeps a job that has finished, with its logs', async () => {
    world.embedded.setBehaviour({ web: { kind: 'hang' } });
    await world.accept(SHOP);
    const running = world.run();
    await until('the web is deployed', () => names('Deployment').length === 1);
    const uid = jobOf('migrate')?.metadata.uid;
    await cancel(1);
    expect((await running).ok).toBe(true);
    expect(jobOf('migrate')?.metadata.uid).toBe(uid);
    expect(jobOf('migrate')?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('that a worker did not live to carry out stops the job when the next one comes', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const name = await world.accept(SHOP);
    const stopping = new AbortController();
    const running = world.run(stopping.signal);
    await runs('migrate');
    stopping.abort();
    await running;
    expect(jobOf('migrate')).toBeDefined();
    await cancel(1);
    await until('the cache knows', () => world.deps.store.applications.cached(APP)?.status.cancelled?.[0] === 1);
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(name)).status.state).toBe('cancelled');
    await gone('migrate');
  });

  it('is tried again while the cluster does not answer, and ends all the same when it never permits it', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const name = await world.accept(SHOP);
    const running = world.run();
    await runs('migrate');
    world.embedded.fault(({ verb, resource }) =>
      verb === 'delete' && resource === 'jobs' ? { status: 503 } : undefined,
    );
    await cancel(1);
    expect(await running).toMatchObject({ ok: false, problem: { code: 'cluster_unavailable' } });
    expect((await world.release(name)).status.state).toBe('running');
    world.embedded.fault(undefined);
    world.embedded.setDenied([{ verb: 'delete', resource: 'jobs' }]);
    expect((await world.run()).ok).toBe(true);
    expect((await world.release(name)).status.state).toBe('cancelled');
  });

  it('stops what its grant no longer allows', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    await world.accept(SHOP);
    const running = world.run();
    await runs('migrate');
    await world.deps.store.sources.update(APP, ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, revision: 2, permissions: [] } },
    }));
    expect((await running).ok).toBe(true);
    await gone('migrate');
  });
});

describe('a recorded end', () => {
  it('survives the Job: a removed one is not run again within its revision, and a rollback runs it again', async () => {
    const first = await world.accept(SHOP);
    await world.run();
    expect((await world.release(first)).status.state).toBe('succeeded');
    const uid = jobOf('migrate')?.metadata.uid;
    await remove('migrate');
    // The same revision once more, as when the worker died before it could tell the end.
    await world.deps.store.releases.updateStatus(first, ({ status }) => ({ ...status, state: 'running' }));
    await world.run();
    expect((await world.release(first)).status.state).toBe('succeeded');
    expect(jobOf('migrate')).toBeUndefined();
    expect(await recorded()).toMatchObject([{ service: 'migrate', revision: 1, result: 'succeeded', uid }]);
    const back = await world.accept(SHOP);
    await world.run();
    expect((await world.release(back)).status.state).toBe('succeeded');
    expect(jobOf('migrate')?.metadata.annotations?.['hakopod.io/job-revision']).toBe('2');
  });

  it('of a failure stands too, also when the Job is gone and would succeed now', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'fail', reason: 'Error', exitCode: 4 } });
    const name = await world.accept(SHOP);
    await world.run();
    await remove('migrate');
    world.embedded.setBehaviour({});
    await world.deps.store.releases.updateStatus(name, ({ status }) => ({ ...status, state: 'running' }));
    await world.run();
    expect((await world.release(name)).status).toMatchObject({
      state: 'failed',
      code: 'job_failed',
      message: expect.stringContaining('code 4'),
    });
    expect(jobOf('migrate')).toBeUndefined();
  });

  it('replaces the one before, and each service has one', async () => {
    const two = file(job('migrate'), job('seed', 'depends_on = ["migrate"]\n'));
    for (const _ of [1, 2, 3]) {
      await world.accept(two);
      await world.run();
    }
    expect((await recorded()).map(({ service, revision }) => `${service} ${revision}`).sort()).toEqual([
      'migrate 3',
      'seed 3',
    ]);
    expect(names('Job')).toEqual(['migrate-job', 'seed-job']);
    // Of a job that is gone nothing is kept.
    await world.accept(file(job('migrate')));
    await world.run();
    expect((await recorded()).map(({ service, revision }) => `${service} ${revision}`)).toEqual(['migrate 4']);
    expect(names('Job')).toEqual(['migrate-job']);
  });
});

describe('a job removed while it runs', () => {
  it('is created again by the release that waits for it, and its end is recorded', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'hang' } });
    const name = await world.accept(SHOP);
    const running = world.run();
    await runs('migrate');
    const first = jobOf('migrate')?.metadata.uid;
    world.embedded.setBehaviour({});
    await world.cluster.delete(
      { apiVersion: 'batch/v1', kind: 'Job', namespace: NAMESPACE, name: 'migrate-job' },
      { uid: first ?? '', propagation: 'Background' },
    );
    expect((await running).ok).toBe(true);
    expect((await world.release(name)).status.state).toBe('succeeded');
  });
});

describe('cleaning up', () => {
  it('is refused among more jobs than the application can have, and says so', async () => {
    await world.accept(file(web()));
    await world.run();
    const labels = jobLabels();
    for (let n = 0; n < 201; n += 1)
      await world.cluster.create({
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: `j${n}`, namespace: NAMESPACE, labels } },
        spec: {
          suspend: true,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } },
        },
      });
    const name = await world.accept(file(web('replicas = 2\n')));
    await world.run();
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'cleanup_limit' });
    expect(names('Job')).toHaveLength(201);
  });
});

function jobLabels(): Record<string, string> {
  return { 'app.kubernetes.io/managed-by': 'hakopod', 'hakopod.io/application-id': '1'.repeat(32) };
}
