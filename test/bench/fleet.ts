import { digestOf, sha256 } from '../../src/kernel/index.ts';
import { packSpec } from '../../src/pipeline/release-body.ts';
import { parseSpec } from '../../src/spec/index.ts';
import { startChild } from '../support/child.ts';
import { startWorld, until, type World } from '../support/world.ts';
import { memoryMib } from './process.ts';

const SIZE = 50;
/** How often the worker compares what rests; longer than the releases take. */
const DRIFT_SECONDS = 20;

/**
 * Applications released at once on the embedded cluster, by one worker: until all are healthy, in wall time, requests to the API server per
 * application and the worker's memory. The peer in the same run is one application by itself (`ratio_50_to_1` in time per run). Then one
 * comparison of all of them with the cluster, unchanged, which writes nothing (`resync_writes`).
 */
export async function runFleetBench(options: { readonly smoke?: boolean } = {}): Promise<Record<string, number>> {
  const size = options.smoke === true ? 5 : SIZE;
  const world = await startWorld();
  try {
    const worker = await startChild(world, 'worker', {
      HAKOPOD_LOG_LEVEL: 'warn',
      HAKOPOD_RESYNC_SECONDS: '600',
      HAKOPOD_LEASE_SECONDS: '15',
      HAKOPOD_DRIFT_SECONDS: String(DRIFT_SECONDS),
    });
    // The first release of a process compiles and connects; it is not what is measured.
    await release(world, ['warm-up']);
    const alone = await measured(world, ['alone']);
    const names = Array.from({ length: size }, (_, index) => `app-${String(index).padStart(4, '0')}`);
    const all = await measured(world, names);
    const pid = worker.process.pid;
    const figures = {
      alone_ms: alone.ms,
      alone_api_calls: alone.calls,
      [`n${size}_ms`]: all.ms,
      [`n${size}_api_calls_per_application`]: Math.round(all.calls / size),
      [`n${size}_api_writes_per_application`]: Math.round(all.writes / size),
      applications_per_second: Number((size / (all.ms / 1000)).toFixed(2)),
      [`ratio_${size}_to_1`]: Number((all.ms / alone.ms).toFixed(2)),
      worker_rss_mib: memoryMib(pid, 'VmRSS'),
      worker_peak_mib: memoryMib(pid, 'VmHWM'),
      ...(await resynced(world, size)),
    };
    console.log(
      `${size} applications at once: ${all.ms} ms (one alone ${alone.ms} ms), ${Math.round(all.calls / size)} API calls each, worker ${figures.worker_peak_mib} MiB at most; an unchanged comparison of all wrote ${figures.resync_writes} times`,
    );
    return figures;
  } finally {
    await world.stop();
  }
}

type Measured = { readonly ms: number; readonly calls: number; readonly writes: number };

async function measured(world: World, names: readonly string[]): Promise<Measured> {
  world.cluster.resetRequests();
  const began = performance.now();
  await release(world, names);
  const ms = Math.round(performance.now() - began);
  const { total, writes } = world.cluster.requests();
  return { ms, calls: total, writes };
}

/** Accepts a first release of each, as the API does, and waits until all are healthy. */
async function release(world: World, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => accept(world, name)));
  await until(
    'all are healthy',
    () => names.every((name) => world.store.applications.cached(`acme.production.${name}`)?.status.phase === 'healthy'),
    300_000,
  );
}

async function accept(world: World, app: string): Promise<void> {
  const { store } = world;
  const name = `acme.production.${app}`;
  const id = sha256(`${world.folder}/${app}`).slice(0, 32);
  const parsed = parseSpec(specOf(world, app));
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const { application } = parsed;
  const key = { project: 'acme', environment: 'production', name: app };
  const steps = [
    () => store.applications.create({ name, spec: { id, ...key } }),
    () =>
      store.releases.create({
        name: `${name}.1`,
        spec: {
          application: name,
          applicationId: id,
          revision: 1,
          specDigest: digestOf(application),
          spec: packSpec(application),
          origin: { kind: 'api', actor: 'local', identity: 'local', via: 'local' },
        },
      }),
    () => store.applications.updateStatus(name, (live) => ({ ...live.status, acceptedRevision: 1, phase: 'queued' })),
  ];
  for (const step of steps) {
    const done = await step();
    if (!done.ok) throw new Error(`${done.problem.code}: ${done.problem.message}`);
  }
}

/** A job, a private service and a public one, as in the demo. */
function specOf(world: World, app: string): string {
  const image = `${world.registry.host}/shop`;
  return `name = "${app}"
[services.migrate]
image = "${image}/api:1.4"
job = { timeout_seconds = 60 }
[services.api]
image = "${image}/api:1.4"
port = 8080
depends_on = ["migrate"]
[services.web]
image = "${image}/web:2.0"
port = 8080
public = true
depends_on = ["api"]
`;
}

/** One whole comparison of the fleet: from a reset until every application's objects were read again. */
async function resynced(world: World, size: number): Promise<Record<string, number>> {
  const looked = (): number => world.cluster.requests().by['list deployments'] ?? 0;
  // The leases of the last releases are given back a moment after everybody is healthy.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  world.cluster.resetRequests();
  const began = performance.now();
  await until('the worker compares all', () => looked() >= size + 2, 3 * DRIFT_SECONDS * 1000 + 60_000);
  const ms = Math.round(performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { total, writes, by } = world.cluster.requests();
  const kinds = Object.entries(by).filter(([key]) => /^(create|update|patch|delete)/.test(key));
  if (writes > 0) console.log(`writes: ${kinds.map(([key, count]) => `${key} ${count}`).join(', ')}`);
  // The worker keeps the identity of the installation under a lease of its own, whatever else it does.
  const leases = by['update leases'] ?? 0;
  return {
    resync_writes: writes - leases,
    resync_lease_writes: leases,
    resync_api_calls_per_application: Math.round(total / (size + 2)),
    resync_wait_ms: ms,
  };
}
