import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { pushBusybox } from '../support/real-pods.ts';
import { until } from '../support/world.ts';
import { applicationNamespace, type Installation, install, removeNow } from './installation.ts';

/*
 * Deployment jobs and services that never become ready, with real pods, under the rights the chart gives (lifecycle page, facts 3.6).
 */
const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const isPossible = kubeconfig !== undefined && registry !== undefined && rig !== undefined;
if (!isPossible) console.warn('SKIPPED: jobs with real pods: there is no rig with a node');

const APPLICATION = 'acme/production/jobs';
const WEB = '["httpd", "-f", "-p", "8080", "-h", "/bin"]';
const LONG = 480_000;

type Release = { readonly state?: string; readonly code?: string; readonly message?: string; readonly at?: string };

describe.skipIf(!isPossible)('jobs in real pods', () => {
  const namespace = `hakopod-test-${randomBytes(4).toString('hex')}`;
  let there: Installation;
  let image: string;
  let revision = 0;

  beforeAll(async () => {
    there = await install({ kubeconfig: kubeconfig!, namespace, registry: registry! });
    image = await pushBusybox({ registry: registry!, storage: rig! });
  }, 2 * LONG);
  afterAll(async () => {
    if (there === undefined) return;
    const name = await applicationNamespace(there).catch(() => undefined);
    if (name !== undefined) await removeNow(there.admin, { apiVersion: 'v1', kind: 'Namespace', name });
    await there.stop();
  });

  /** A job that runs a script, a web that depends on it, and a schedule beside them. */
  function file(script: string, options: { job?: string; web?: string; note?: string; more?: string } = {}): string {
    const { job = 'timeout_seconds = 60', web = WEB, note = '', more = '' } = options;
    return `name = "jobs"

[services.migrate]
image = "${image}"
command = ["sh", "-c", ${JSON.stringify(script)}]
job = { ${job} }

[services.web]
image = "${image}"
command = ${web}
port = 8080
startup_timeout_seconds = 30
depends_on = ["migrate"]
env = { NOTE = "${note}" }
${more}`;
  }

  /** Releases a file; answers the release as it ended, and what the command said when that was no success. */
  async function deploy(
    text: string,
    flags: readonly string[] = ['--wait'],
  ): Promise<{ release: Release; said: string }> {
    const path = join(there.work, 'jobs.toml');
    await writeFile(path, text);
    const said = await there
      .cli(['deploy', path, '--project', 'acme', '--environment', 'production', ...flags])
      .catch((error: Error) => error.message);
    revision += 1;
    return { release: await releaseOf(revision), said };
  }

  const nameOf = (n: number): string => `acme.production.jobs.${n}`;
  async function releaseOf(n: number): Promise<Release> {
    const ref = { apiVersion: 'hakopod.io/v1', kind: 'Release', namespace, name: nameOf(n) };
    const found = must(await there.admin.get(ref)) as (Manifest & { status?: Release }) | undefined;
    if (found === undefined) throw new Error(`no release ${n}; ${there.lines.join('').slice(-3000)}`);
    return found.status ?? {};
  }
  async function all(kind: string, apiVersion: string, labelSelector?: string): Promise<readonly Manifest[]> {
    const own = await applicationNamespace(there);
    return must(await there.admin.list({ apiVersion, kind, namespace: own, ...(labelSelector && { labelSelector }) }));
  }
  const podsOf = (service: string) => all('Pod', 'v1', `hakopod.io/service=${service}`);
  async function job(): Promise<Manifest & { status?: { succeeded?: number; failed?: number } }> {
    const [only, ...others] = await all('Job', 'batch/v1', 'hakopod.io/service=migrate');
    expect(others).toEqual([]);
    return only!;
  }
  async function generation(service: string): Promise<number | undefined> {
    const found = (await all('Deployment', 'apps/v1')).find(({ metadata }) => metadata.name === service);
    return found?.metadata.generation;
  }
  const logs = (service: string): Promise<string> => there.cli(['logs', APPLICATION, service]);

  it(
    'complete before their dependents start, and their logs are kept',
    async () => {
      const { release, said } = await deploy(file('echo migrated the first time'));
      expect(release, said).toMatchObject({ state: 'succeeded' });
      const ran = await job();
      expect(ran.status).toMatchObject({ succeeded: 1 });
      expect(await podsOf('migrate')).toHaveLength(1);
      const { completionTime = '' } = (ran.status ?? {}) as { completionTime?: string };
      const web = (await all('Deployment', 'apps/v1'))[0]?.metadata.creationTimestamp ?? '';
      expect(Date.parse(web)).toBeGreaterThanOrEqual(Date.parse(completionTime));
      expect(await logs('migrate')).toContain('migrated the first time');
    },
    LONG,
  );

  it(
    'run once within a revision, whoever carries it out again, also when the Job is gone',
    async () => {
      const again = async (): Promise<void> => {
        const ref = { apiVersion: 'hakopod.io/v1', kind: 'Release', namespace, name: nameOf(1) };
        must(
          await there.admin.mergePatch(ref, { status: { state: 'running', finishedAt: null, steps: [] } }, 'status'),
        );
        await until('the release has ended again', async () => (await releaseOf(1)).state === 'succeeded', 180_000);
      };
      const { uid } = (await job()).metadata;
      await again();
      expect((await job()).metadata.uid).toBe(uid);
      const own = await applicationNamespace(there);
      await removeNow(there.admin, { apiVersion: 'batch/v1', kind: 'Job', namespace: own, name: 'migrate-job' });
      await until('the Job and its pods are gone', async () => (await podsOf('migrate')).length === 0, 180_000);
      await again();
      expect(await all('Job', 'batch/v1')).toEqual([]);
      expect(await podsOf('migrate')).toEqual([]);
    },
    LONG,
  );

  it(
    'that fail are bounded, say why, and leave their dependents as they were',
    async () => {
      const before = await generation('web');
      const failing = file('echo broken; exit 3', {
        job: 'timeout_seconds = 120, retries = 1',
        note: 'not to be seen',
      });
      const { release, said } = await deploy(failing);
      expect(release).toMatchObject({ state: 'failed', code: 'job_failed', at: 'services.migrate.job' });
      expect(release.message).toContain('exited with code 3');
      expect(said).toContain('exited with code 3');
      expect((await job()).status).toMatchObject({ failed: 2 });
      expect(await podsOf('migrate')).toHaveLength(2);
      expect(await generation('web')).toBe(before);
      expect(await logs('migrate')).toContain('broken');
    },
    LONG,
  );

  it(
    'recover with a new revision',
    async () => {
      const failed = (await job()).metadata.uid;
      const { release, said } = await deploy(file('echo mended', { note: 'seen' }));
      expect(release, said).toMatchObject({ state: 'succeeded' });
      expect((await job()).metadata.uid).not.toBe(failed);
      expect(await logs('migrate')).toContain('mended');
      expect(await logs('migrate')).not.toContain('broken');
    },
    LONG,
  );

  it(
    'run again when an earlier revision is put back',
    async () => {
      const before = (await job()).metadata.uid;
      await there.cli(['rollback', APPLICATION, '--revision', '1', '--wait']);
      revision += 1;
      expect(await releaseOf(revision)).toMatchObject({ state: 'succeeded' });
      const now = await job();
      expect(now.metadata.uid).not.toBe(before);
      expect(now.metadata.annotations?.['hakopod.io/job-revision']).toBe(String(revision));
      expect(await logs('migrate')).toContain('migrated the first time');
    },
    LONG,
  );

  it(
    'stop when their release is cancelled, and nothing else changes',
    async () => {
      const before = await generation('web');
      await deploy(
        file('trap "exit 0" TERM; echo begun; sleep 600 & wait', { job: 'timeout_seconds = 700', note: 'never' }),
        [],
      );
      await until(
        'the job runs',
        async () => {
          const [pod] = await podsOf('migrate');
          const isNew = (await job())?.metadata.annotations?.['hakopod.io/job-revision'] === String(revision);
          return isNew && (pod?.status as { phase?: string } | undefined)?.phase === 'Running';
        },
        180_000,
      );
      // A container runs a moment before its program has written anything.
      await until('it has begun', async () => (await logs('migrate')).includes('begun'), 60_000);
      await there.cli(['cancel', nameOf(revision)]);
      await until('the release is cancelled', async () => (await releaseOf(revision)).state === 'cancelled', 180_000);
      await until('the job is gone', async () => (await all('Job', 'batch/v1')).length === 0, 180_000);
      await until('its pod is gone', async () => (await podsOf('migrate')).length === 0, 180_000);
      expect(await generation('web')).toBe(before);
      // The one before it may still be on its way out.
      await until('web has its one pod', async () => (await podsOf('web')).length === 1, 60_000);
    },
    LONG,
  );

  it(
    'that run out of time say so',
    async () => {
      const { release } = await deploy(file('exec sleep 600', { job: 'timeout_seconds = 10' }));
      expect(release).toMatchObject({ state: 'failed', code: 'job_timeout', at: 'services.migrate.job' });
      expect(release.message).toContain('it did not finish before its deadline');
    },
    LONG,
  );

  it(
    'that are scheduled run only when the whole release is there, and show the log of their newest run',
    async () => {
      const nightly = `
[services.nightly]
image = "${image}"
command = ["sh", "-c", "echo good night $(date +%s%N)"]
job = { schedule = { cron = "0 3 1 1 *" } }
`;
      const suspended = async (): Promise<unknown> =>
        ((await all('CronJob', 'batch/v1'))[0]?.spec as { suspend?: boolean } | undefined)?.suspend;
      expect((await deploy(file('exit 4', { more: nightly }))).release.state).toBe('failed');
      expect(await suspended()).toBe(true);
      const { release, said } = await deploy(file('true', { more: nightly }));
      expect(release, said).toMatchObject({ state: 'succeeded' });
      expect(await suspended()).toBe(false);
      const [cron] = (await all('CronJob', 'batch/v1')) as readonly (Manifest & {
        spec: { jobTemplate: { metadata: object; spec: object } };
      })[];
      const seen: string[] = [];
      for (const run of ['one', 'two']) {
        const { namespace: own = '', name, uid } = cron!.metadata;
        const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }];
        const metadata = {
          ...cron!.spec.jobTemplate.metadata,
          name: `nightly-${run}`,
          namespace: own,
          ownerReferences,
        };
        must(
          await there.admin.create({
            apiVersion: 'batch/v1',
            kind: 'Job',
            metadata,
            spec: cron!.spec.jobTemplate.spec,
          }),
        );
        await until(
          `the run ${run} has ended`,
          async () => (await podsOf('nightly')).filter(ended).length === seen.length + 1,
          180_000,
        );
        seen.push(await logs('nightly'));
        // Creation times have whole seconds.
        await new Promise((done) => setTimeout(done, 1100));
      }
      expect(seen[0]).toContain('good night');
      expect(seen[1]).toContain('good night');
      expect(seen[1]).not.toBe(seen[0]);
    },
    LONG,
  );

  it.each([
    ['listens on another port', '["httpd", "-f", "-p", "9090", "-h", "/bin"]', 'does not listen on its port'],
    ['exits again and again', '["sh", "-c", "sleep 1; exit 7"]', 'exited with code 7'],
  ])(
    'block nothing but dependents: a service that %s fails with the reason',
    async (_what, web, reason) => {
      const behind = `\n[services.behind]\nimage = "${image}"\ncommand = ${WEB}\nport = 8080\ndepends_on = ["web"]\n`;
      const { release } = await deploy(file('true', { web, more: behind }));
      expect(release).toMatchObject({ state: 'failed', at: 'services.web' });
      expect(['rollout_failed', 'rollout_timeout']).toContain(release.code);
      expect(release.message).toContain(reason);
      expect(await generation('behind')).toBeUndefined();
    },
    LONG,
  );

  it(
    'go with their application',
    async () => {
      await there.cli(['apps', 'delete', APPLICATION, '--confirm', 'jobs']);
      await until(
        'the application is gone',
        async () => {
          const left = must(await there.admin.list({ apiVersion: 'hakopod.io/v1', kind: 'Application', namespace }));
          return left.length === 0;
        },
        180_000,
      );
    },
    LONG,
  );
});

function ended({ status }: Manifest): boolean {
  return ['Succeeded', 'Failed'].includes((status as { phase?: string } | undefined)?.phase ?? '');
}
