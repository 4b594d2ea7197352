import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReleaseStep, releaseSteps } from '../../src/reconcile/index.ts';
import { parseSpec } from '../../src/spec/index.ts';
import { type Child, startChild } from '../support/child.ts';
import { essences, type Moment, momentOf, type Sight, type When } from '../support/kill-moments.ts';
import { startWorld, until, type World } from '../support/world.ts';

/*
 * `kill -9` of the worker at the steps of a release with two jobs and three services: before and after each step that writes, reads or
 * waits, and while it waits for a workload. Whatever the moment, the next worker brings the application to the very same cluster, and no
 * job runs twice within a revision. The matrix comes from the steps of the release, so a new step is in it by itself.
 */

/** Of whatever is waited for; a busy machine takes its time. */
const PATIENCE_MS = 60_000;
const BOUNDS = { rolloutTimeoutSeconds: 180 };

function fileOf(name: string, registry: string, more = ''): string {
  const job = (service: string, extra: string): string =>
    `[services.${service}]\nimage = "${registry}/shop/api:1.4"\ncommand = ["/${service}"]\n${extra}job = { timeout_seconds = 60 }\n`;
  return `name = "${name}"

[volumes.kept]
size_gib = 1

${job('setup', '')}
${job('migrate', 'depends_on = ["setup", "db"]\nsecrets = { PASSWORD = { ref = "password" } }\n')}
[services.nightly]
image = "${registry}/shop/api:1.4"
command = ["/nightly"]
job = { schedule = { cron = "0 3 * * *" } }

[services.db]
image = "${registry}/shop/api:1.4"
port = 5432
mounts = [{ volume = "kept", mount_path = "/data" }]

[services.api]
image = "${registry}/shop/api:1.4"
port = 8080
replicas = 2
depends_on = ["migrate"]
files = { note = { mount_path = "/etc/note", content = "a note" } }

[services.web]
image = "${registry}/shop/web:2.0"
port = 3000
public = true
depends_on = ["api"]
${more}`;
}

const parsed = parseSpec(fileOf('shop', 'registry.example.test'));
if (!parsed.ok) throw new Error(parsed.problems.map((p) => `${p.at}: ${p.message}`).join('; '));
const STEPS = releaseSteps(parsed.application, BOUNDS);

/** Workloads are waited for, so there is a moment in between. */
function whens(step: ReleaseStep): readonly When[] {
  return step.kind === 'service' || step.kind === 'job' ? ['before', 'during', 'after'] : ['before', 'after'];
}
const MATRIX = STEPS.flatMap((step, index) =>
  whens(step).map((when) => ({ step, when, title: `${when} ${step.name}`, name: `a${index}-${when}` })),
);

describe('kill -9 of the worker', () => {
  let world: World;
  let worker: Child;
  /** Uids of Jobs by application namespace, service and revision, and of pods by Job. */
  const jobs = new Map<string, Set<string>>();
  const pods = new Map<string, Set<string>>();
  let undisturbed: ReturnType<typeof essences>;

  beforeAll(async () => {
    world = await startWorld();
    watchRuns();
    worker = await start();
    undisturbed = await release('calm');
    // One that ends in peace leaves what it compiled to the others.
    await worker.kill('SIGTERM');
    worker = await start();
  }, 3 * PATIENCE_MS);
  afterAll(() => world?.stop());

  function start(): Promise<Child> {
    const NODE_COMPILE_CACHE = join(world.folder, 'compiled');
    return startChild(world, 'worker', { HAKOPOD_LEASE_SECONDS: '2', HAKOPOD_ROLES: 'worker', NODE_COMPILE_CACHE });
  }

  function watchRuns(): void {
    const add = (map: Map<string, Set<string>>, key: string, uid = ''): void => {
      map.set(key, (map.get(key) ?? new Set()).add(uid));
    };
    const jobCache = world.api.cache({ apiVersion: 'batch/v1', kind: 'Job' });
    jobCache.onChange(({ object: { metadata } }) => {
      const revision = metadata.annotations?.['hakopod.io/job-revision'];
      add(jobs, `${metadata.namespace} ${metadata.name} ${revision}`, metadata.uid);
    });
    const podCache = world.api.cache({ apiVersion: 'v1', kind: 'Pod' });
    podCache.onChange(({ object: { metadata } }) => {
      const job = metadata.labels?.['batch.kubernetes.io/job-name'] ?? metadata.labels?.['job-name'];
      if (job !== undefined) add(pods, `${metadata.namespace} ${job}`, metadata.uid);
    });
    world.defer(async () => {
      await jobCache.stop();
      await podCache.stop();
    });
  }

  async function deploy(name: string, text: string, wait: boolean): Promise<void> {
    const path = join(world.folder, `${name}.toml`);
    await writeFile(path, text);
    const flags = ['--project', 'acme', '--environment', 'production', ...(wait ? ['--wait'] : [])];
    const done = await world.cli(['deploy', path, ...flags]);
    if (done.code !== 0) throw new Error(done.out);
  }

  /** Releases an application, its worker killed at a moment, and answers what is in the cluster in the end. */
  async function release(name: string, moment?: Moment): Promise<ReturnType<typeof essences>> {
    await world.cli(['secrets', 'set', 'password', '--app', `acme/production/${name}`], 'correct horse\n');
    const isSecond = moment?.needsEarlierRelease === true;
    const old = `\n[services.old]\nimage = "${world.registry.host}/shop/api:1.4"\nport = 80\n`;
    if (isSecond) await deploy(name, fileOf(name, world.registry.host, old), true);
    const revision = isSecond ? 2 : 1;
    // It must not begin before everything watches for the moment.
    worker.process.kill('SIGSTOP');
    await deploy(name, fileOf(name, world.registry.host), false);
    const sight: Sight = {
      objects: () => world.cluster.objects(),
      namespace: `hp-${applicationOf(name).id}`,
      release: `acme.production.${name}.${revision}`,
    };
    const killed = moment === undefined ? undefined : killAt(moment, sight);
    worker.process.kill('SIGCONT');
    if (killed !== undefined) {
      await until(`the worker is killed ${moment?.title}`, () => killed.isDone(), PATIENCE_MS);
      await killed.stop();
      worker = await start();
    }
    await until(
      `${name} is released`,
      () => releaseOf(sight)?.state !== 'running' && releaseOf(sight)?.finishedAt,
      PATIENCE_MS,
    );
    expect(releaseOf(sight)).toMatchObject({ state: 'succeeded' });
    await until(`${name} is healthy`, () => applicationOf(name).phase === 'healthy', PATIENCE_MS);
    await expectOneRun(sight, revision);
    return essences(sight);
  }

  /** Two jobs in each revision, each with one Job and that with one pod, ever. */
  async function expectOneRun({ namespace }: Sight, revisions: number): Promise<void> {
    const wanted = ['setup-job', 'migrate-job'].flatMap((job) =>
      Array.from({ length: revisions }, (_, n) => [`${namespace} ${job} ${n + 1}`, 1] as const),
    );
    const counts = (): unknown => Object.fromEntries([...jobs].filter(isHere).map(([key, uids]) => [key, uids.size]));
    const podsOfJobs = (): readonly number[] => [...pods].filter(isHere).map(([, uids]) => uids.size);
    await until('the watches have seen the jobs', () => [...jobs].filter(isHere).length >= wanted.length);
    expect(counts()).toEqual(Object.fromEntries(wanted));
    expect(podsOfJobs()).toEqual([revisions, revisions]);

    function isHere([key]: [string, unknown]): boolean {
      return key.startsWith(`${namespace} `);
    }
  }

  /** Arms the kill: at the write itself, which then never happens, or at the first request after it. */
  function killAt(moment: Moment, sight: Sight): { isDone(): boolean; stop(): Promise<void> } {
    let dying: Promise<void> | undefined;
    const kill = (): void => {
      dying ??= worker.kill('SIGKILL');
    };
    world.cluster.setAdmission((admission) => {
      if (dying !== undefined || moment.atWrite?.(admission, sight) !== true) return undefined;
      kill();
      return 'the worker is gone';
    });
    world.cluster.fault((request) => {
      if (dying === undefined && moment.atRequest?.(request, sight) === true) kill();
      return dying === undefined ? undefined : { reset: true };
    });
    return {
      isDone: () => dying !== undefined,
      stop: async () => {
        await dying;
        world.cluster.fault(undefined);
        world.cluster.setAdmission(undefined);
      },
    };
  }

  type Status = { readonly state?: string; readonly finishedAt?: string };
  function releaseOf(sight: Sight): Status | undefined {
    const found = sight.objects().find(({ kind, metadata }) => kind === 'Release' && metadata.name === sight.release);
    return found?.status as Status | undefined;
  }
  function applicationOf(name: string): { readonly id: string; readonly phase: string | undefined } {
    const found = world.cluster
      .objects()
      .find(({ kind, metadata }) => kind === 'Application' && metadata.name === `acme.production.${name}`);
    if (found === undefined) throw new Error(`there is no application ${name}`);
    const { id } = found.spec as { id: string };
    return { id, phase: (found.status as { phase?: string } | undefined)?.phase };
  }

  it.each(MATRIX)(
    '$title',
    async ({ step, when, title, name }) => {
      const moment = momentOf(step, { when, title });
      expect(await release(name, moment)).toEqual(undisturbed);
    },
    3 * PATIENCE_MS,
  );
});
