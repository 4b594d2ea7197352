import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { MARKET } from '../render/market.ts';
import { addCapacity, MARKET_CAPACITY } from '../support/capacity.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

/* Claims, files, bindings, autoscalers and schedules: written in order, kept, and pruned when nobody reads them. */

const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const IMAGE = 'registry.example.test/shop:1';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
  await addCapacity(world.cluster, MARKET_CAPACITY);
  for (const name of ['app-key', 'db-password', 'front-credentials']) await secret(name, `${name} 1`);
});
afterEach(() => world.stop());

async function secret(name: string, value: string): Promise<void> {
  expect(await world.deps.secrets.set(KEY, name, value)).toMatchObject({ ok: true });
}

const file = (...parts: string[]): string => `schema_version = 1\nname = "shop"\n${parts.join('\n')}`;
const service = (name: string, ...more: string[]): string =>
  `[services.${name}]\nimage = "${IMAGE}"\n${more.join('\n')}\n`;

function objects(kind: string): readonly Manifest[] {
  return world.embedded.objects().filter((o) => o.kind === kind && o.metadata.namespace === NAMESPACE);
}
const names = (kind: string): string[] =>
  objects(kind)
    .map(({ metadata }) => metadata.name)
    .sort();
// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
function find(kind: string, name: string): any {
  return objects(kind).find(({ metadata }) => metadata.name === name);
}

/** What was written in the application's namespace since the last reset, as `verb resource`. */
function writes(): readonly string[] {
  const { by } = world.embedded.requests();
  return Object.keys(by).filter((key) =>
    /^(create|update|patch|delete) (?!leases|applications|releases|git)/.test(key),
  );
}

async function release(toml: string): Promise<Awaited<ReturnType<ReleaseWorld['release']>>> {
  const name = await world.accept(toml);
  expect(await world.run()).toMatchObject({ ok: true });
  return world.release(name);
}
async function released(toml: string): Promise<void> {
  expect((await release(toml)).status).toMatchObject({ state: 'succeeded' });
}

describe('an application with everything', () => {
  it('is released whole, and at rest nothing is written', async () => {
    const done = await release(MARKET);
    expect(done.status).toMatchObject({ state: 'succeeded' });
    expect(done.status.steps?.at(-1)).toMatchObject({ name: 'schedules', state: 'done' });
    expect(names('PersistentVolumeClaim')).toEqual(['hakopod-volume-media', 'hakopod-volume-pool', 'pg-data']);
    expect(names('HorizontalPodAutoscaler')).toEqual(['front']);
    expect(names('CronJob')).toEqual(['nightly-cron']);
    expect(names('ConfigMap')).toHaveLength(2);
    expect(find('CronJob', 'nightly-cron').spec.suspend).toBe(false);
    await until('the claims are bound', () => objects('PersistentVolumeClaim').every(isBound));
    await world.run();
    world.embedded.resetRequests();
    await world.run();
    expect(writes()).toEqual([]);
    const application = await world.deps.store.applications.get(APP);
    const services = application.ok ? (application.value?.status.services ?? []) : [];
    expect(Object.fromEntries(services.map(({ name, status }) => [name, status]))).toMatchObject({
      front: 'ready',
      nightly: 'scheduled',
      parked: 'stopped',
      setup: 'completed',
    });
  });

  it('reads every secret before it writes anything', async () => {
    for (const name of ['app-key', 'db-password', 'front-credentials']) {
      await world.deps.secrets.delete(KEY, name);
      world.embedded.resetRequests();
      expect((await release(MARKET)).status).toMatchObject({ state: 'failed', code: 'missing_secrets' });
      expect(writes()).toEqual([]);
      await secret(name, 'back');
    }
  });

  it('takes back what was changed by hand', async () => {
    await released(MARKET);
    const changes: readonly (readonly [string, string, string, (live: Manifest) => void])[] = [
      ['autoscaling/v2', 'HorizontalPodAutoscaler', 'front', (live) => Object.assign(live.spec!, { maxReplicas: 50 })],
      ['batch/v1', 'CronJob', 'nightly-cron', (live) => Object.assign(live.spec!, { schedule: '* * * * *' })],
      ['v1', 'PersistentVolumeClaim', 'pg-data', (live) => Object.assign(live.metadata, { annotations: {} })],
    ];
    for (const [apiVersion, kind, name, change] of changes) {
      const live = structuredClone(find(kind, name) as Manifest);
      change(live);
      expect(await world.cluster.replace({ ...live, apiVersion })).toMatchObject({ ok: true });
    }
    const config = objects('ConfigMap')[0]!;
    await world.cluster.delete(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: config.metadata.name },
      { uid: config.metadata.uid!, propagation: 'Background' },
    );
    await world.run();
    expect(find('HorizontalPodAutoscaler', 'front').spec.maxReplicas).toBe(5);
    expect(find('CronJob', 'nightly-cron').spec.schedule).toBe('30 2 * * *');
    expect(find('PersistentVolumeClaim', 'pg-data').metadata.annotations['hakopod.io/retain-data']).toBe('true');
    expect(find('ConfigMap', config.metadata.name).data).toEqual(config.data);
  });
});

function isBound({ status }: Manifest): boolean {
  return (status as { phase?: string } | undefined)?.phase === 'Bound';
}

describe('claims', () => {
  const kept = file(
    '[volumes.media]\nsize_gib = 1\n',
    service('a', '[[services.a.mounts]]\nvolume = "media"\nmount_path = "/m"'),
  );

  it('stay when their service and volume go, and are found again', async () => {
    await released(kept);
    const before = find('PersistentVolumeClaim', 'hakopod-volume-media').metadata.uid;
    await released(file(service('b')));
    expect(names('Deployment')).toEqual(['b']);
    expect(find('PersistentVolumeClaim', 'hakopod-volume-media').metadata.uid).toBe(before);
    await released(kept);
    expect(find('PersistentVolumeClaim', 'hakopod-volume-media').metadata.uid).toBe(before);
  });

  it.each([
    ['size', 'size_gib = 1', 'size_gib = 2'],
    ['class', 'size_gib = 1', 'size_gib = 1\nstorage_class = "fast"'],
    ['access mode', 'size_gib = 1', 'size_gib = 1\nstorage_class = "fast"\naccess_mode = "ReadWriteMany"'],
  ])('refuse another %s before anything is written', async (_what, from, to) => {
    await released(kept);
    await until('the claim is bound', () => objects('PersistentVolumeClaim').every(isBound));
    world.embedded.resetRequests();
    // The same release would write a Service, which comes before any workload.
    const next = await release(kept.replace(from, to).replace(`image = "${IMAGE}"`, `image = "${IMAGE}"\nport = 80`));
    expect(next.status).toMatchObject({
      state: 'failed',
      code: 'volume_change',
      at: expect.stringMatching(/^volumes.media\./),
    });
    expect(writes()).toEqual([]);
  });
});

describe('files', () => {
  const withFile = (content: string): string =>
    file(service('web', `[services.web.files.settings]\nmount_path = "/etc/web/s"\ncontent = "${content}"`));

  it('are new snapshots when they change, and old ones go when nobody reads them', async () => {
    await released(withFile('one'));
    const [first] = names('ConfigMap');
    await released(withFile('two'));
    await until('the first pods are gone', () => objects('Pod').every((pod) => !JSON.stringify(pod).includes(first!)));
    await world.run();
    expect(names('ConfigMap')).toHaveLength(1);
    expect(names('ConfigMap')).not.toContain(first);
    expect(JSON.stringify(find('Deployment', 'web'))).toContain(names('ConfigMap')[0]);
  });

  it('stay for a kept job that read them', async () => {
    const job =
      'command = ["/go"]\n[services.setup.job]\n[services.setup.files.plan]\nmount_path = "/plan"\ncontent = "p"';
    await released(file(service('web'), service('setup', job)));
    const kept = names('ConfigMap');
    expect(kept).toHaveLength(1);
    await world.run();
    expect(names('ConfigMap')).toEqual(kept);
    await released(file(service('web')));
    expect([names('Job'), names('ConfigMap')]).toEqual([[], []]);
  });
});

describe('a binding', () => {
  const bound = file(
    service('db', 'port = 5432'),
    service(
      'web',
      '[services.web.bindings.DATABASE_URL]\nservice = "db"\nprotocol = "postgres"',
      'username = "app"\ndatabase = "app"\npassword = { ref = "db-password" }',
    ),
  );
  const url = (): string => {
    const env = find('Deployment', 'web').spec.template.spec.containers[0].env;
    const { name, key } = env[0].valueFrom.secretKeyRef as { name: string; key: string };
    return Buffer.from(find('Secret', name).data[key], 'base64').toString();
  };

  it('is built when it is deployed, follows the password with the next release, and not before', async () => {
    await secret('db-password', 'p@ss/1');
    await released(bound);
    expect(url()).toBe('postgres://app:p%40ss%2F1@db:5432/app');
    await secret('db-password', 'two');
    await world.run();
    expect(url()).toBe('postgres://app:p%40ss%2F1@db:5432/app');
    await released(bound);
    expect(url()).toBe('postgres://app:two@db:5432/app');
    const stored = world.embedded.objects().filter(({ kind }) => kind !== 'Secret');
    expect(JSON.stringify(stored)).not.toContain('p%40ss');
  });
});

describe('an autoscaler', () => {
  const scaled = (more = ''): string =>
    file(service('web', 'port = 80', more, '[services.web.autoscaling]\nmin_replicas = 2\nmax_replicas = 6'));
  const replicas = (): number => find('Deployment', 'web').spec.replicas;
  const scale = async (to: number): Promise<void> => {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name: 'web' };
    expect(await world.cluster.mergePatch(ref, { spec: { replicas: to } })).toMatchObject({ ok: true });
    await until('the pods are there', () => find('Deployment', 'web').status?.readyReplicas === to);
  };

  it('owns the replicas from the start of the second release on', async () => {
    await released(scaled());
    expect(replicas()).toBe(2);
    await scale(4);
    await world.run();
    expect(replicas()).toBe(4);
    await released(scaled('working_dir = "/srv"'));
    expect(replicas()).toBe(4);
  });

  it('goes before a person takes the replicas over', async () => {
    await released(scaled());
    await scale(5);
    const order: string[] = [];
    const seen = (): void => {
      const hasAutoscaler = names('HorizontalPodAutoscaler').length > 0;
      order.push(`${hasAutoscaler ? 'scaled' : 'manual'} ${replicas()}`);
    };
    world.embedded.setAdmission((request: { object?: Manifest }) => {
      if (request.object?.kind === 'Deployment') seen();
      return undefined;
    });
    await released(file(service('web', 'port = 80', 'replicas = 3')));
    expect(order).toContain('manual 5');
    expect(order.filter((entry) => entry.startsWith('scaled'))).toEqual([]);
    expect([replicas(), names('HorizontalPodAutoscaler')]).toEqual([3, []]);
  });

  it('goes when the service is stopped', async () => {
    await released(scaled());
    await released(scaled('suspended = true'));
    expect([replicas(), names('HorizontalPodAutoscaler')]).toEqual([0, []]);
    await released(scaled());
    expect([replicas(), names('HorizontalPodAutoscaler')]).toEqual([2, ['web']]);
  });
});

describe('a schedule', () => {
  const cron = (more = ''): string =>
    service('nightly', 'command = ["/go"]', more, '[services.nightly.job.schedule]\ncron = "0 3 * * *"');
  const suspended = (): boolean => find('CronJob', 'nightly-cron').spec.suspend;

  it('is held back until the whole release is there, in later releases too', async () => {
    const held: boolean[] = [];
    world.embedded.setAdmission((request: { object?: Manifest }) => {
      const { object } = request;
      if (object?.kind === 'CronJob') held.push((object.spec as { suspend: boolean }).suspend);
      return undefined;
    });
    await released(file(service('web', 'port = 80'), cron()));
    expect(held).toEqual([true, false]);
    await released(file(service('web', 'port = 80'), cron('working_dir = "/srv"')));
    expect(held).toEqual([true, false, true, false]);
    expect(suspended()).toBe(false);
  });

  it('stays held back when the release fails', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'fail', reason: 'Error', exitCode: 1 } });
    const job = service('migrate', 'command = ["/m"]', '[services.migrate.job]\ntimeout_seconds = 10');
    expect((await release(file(cron(), job))).status.state).toBe('failed');
    expect(suspended()).toBe(true);
    world.embedded.setBehaviour({});
    await released(file(cron(), job));
    expect(suspended()).toBe(false);
  });

  it('is suspended when the file says so', async () => {
    await released(file(cron('suspended = true')));
    expect(suspended()).toBe(true);
  });

  it.each([
    ['a service', service('nightly', 'port = 80')],
    ['a deployment job', service('nightly', 'command = ["/go"]', '[services.nightly.job]')],
  ])('becomes %s only after it was removed', async (_what, other) => {
    await released(file(service('web'), cron()));
    expect((await release(file(service('web'), other))).status).toMatchObject({ state: 'failed', code: 'kind_change' });
    await released(file(service('web')));
    expect(names('CronJob')).toEqual([]);
    await released(file(service('web'), other));
    expect((await release(file(service('web'), cron()))).status).toMatchObject({ code: 'kind_change' });
  });
});
