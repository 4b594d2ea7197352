import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defaultGrant } from '../../src/grant/index.ts';
import { type RefName, type RepoPath, sha256 } from '../../src/kernel/index.ts';
import { startChild } from '../support/child.ts';
import { deliver, startWorld, until, type World } from '../support/world.ts';

const REPEATS = 5;
const MAIN = 'refs/heads/main' as RefName;

/**
 * From push to applied objects with 10, 100 and 1,000 sources on one repository, one commit touching one application. The peer in the same
 * run is the smallest size: the figure of merit is that the time does not grow with the number of sources (`ratio_1000_to_10`).
 * `cpu_ms` is the worker's CPU time for one push at the largest size; `api_calls` are its requests to the API server.
 */
export async function runPushBench(
  options: { readonly smoke?: boolean; readonly kubeconfig?: string } = {},
): Promise<Record<string, number>> {
  const sizes = options.smoke === true ? [3, 10] : [10, 100, 1000];
  const figures: Record<string, number> = {};
  for (const size of sizes) {
    const measured = await measure(size, options);
    figures[`n${size}_ms`] = measured.pushMs;
    // Only the embedded server counts its requests; the client sends the same ones to a real cluster.
    if (options.kubeconfig === undefined) figures[`n${size}_api_calls`] = measured.calls;
    figures.cpu_ms = measured.cpuMs;
    console.log(
      `${size} sources: push to applied ${measured.pushMs} ms (median of ${REPEATS}), worker CPU ${measured.cpuMs} ms${options.kubeconfig === undefined ? `, ${measured.calls} API calls` : ''}`,
    );
  }
  const [first = 0, last = 0] = [sizes[0], sizes.at(-1)];
  figures[`ratio_${last}_to_${first}`] = Number(
    ((figures[`n${last}_ms`] ?? 0) / (figures[`n${first}_ms`] ?? 1)).toFixed(2),
  );
  return figures;
}

type Measured = { readonly pushMs: number; readonly cpuMs: number; readonly calls: number };

async function measure(
  size: number,
  options: { readonly smoke?: boolean; readonly kubeconfig?: string },
): Promise<Measured> {
  const world = await startWorld(
    options.kubeconfig === undefined ? {} : { kubeconfig: readFileSync(options.kubeconfig, 'utf8') },
  );
  try {
    await addSources(world, size);
    const quiet = { HAKOPOD_LOG_LEVEL: 'warn', HAKOPOD_RESYNC_SECONDS: '600', HAKOPOD_LEASE_SECONDS: '15' };
    const worker = await startChild(world, 'worker', quiet);
    const server = await startChild(world, 'server', quiet);
    const hook = { url: `${server.url}/hooks/${'0'.repeat(32)}`, secret: 'bench-secret' };
    // The first push releases one application only; its own first release is not what is measured.
    await push(world, hook, { index: 0, version: 1 });
    const times: number[] = [];
    const cpu: number[] = [];
    let calls = 0;
    for (let version = 2; version < 2 + REPEATS; version += 1) {
      world.embedded?.resetRequests();
      const before = cpuMs(worker.process.pid);
      times.push(await push(world, hook, { index: 0, version }));
      cpu.push(cpuMs(worker.process.pid) - before);
      calls = world.embedded?.requests().total ?? 0;
    }
    return { pushMs: median(times), cpuMs: median(cpu), calls };
  } finally {
    await world.stop();
  }
}

/** All applications' files in one commit, and their sources, which have all seen it already. */
async function addSources(world: World, size: number): Promise<void> {
  const { store } = world;
  const work = join(world.folder, 'work');
  for (let index = 0; index < size; index += 1) {
    const path = join(work, fileOf(index));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, specOf(world, index, 0));
  }
  const commit = await world.tree.pushAll('All applications');
  const at = new Date().toISOString();
  await world.saveHook('bench-secret');
  const repository = await store.repositories.create({
    name: 'github-4711',
    spec: {
      forge: 'github',
      url: world.gitUrl,
      repositoryId: '4711',
      project: 'acme/shop',
      local: true,
      credentialsSecret: 'github-4711-credentials',
      webhookSecret: 'github-4711-hook',
      webhookAuth: 'hmac',
      hookId: '0'.repeat(32),
      intervalSeconds: 3600,
    },
  });
  if (!repository.ok) throw new Error(repository.problem.message);
  await inBatches(size, async (index) => {
    const application = { project: 'acme', environment: 'production', name: nameOf(index) };
    const name = `acme.production.${nameOf(index)}`;
    const created = await store.applications.create({ name, spec: { id: idOf(world, index), ...application } });
    if (!created.ok) throw new Error(created.problem.message);
    const grant = defaultGrant({
      ref: MAIN,
      path: fileOf(index) as RepoPath,
      application,
      owner: 'bench',
      now: new Date(),
    });
    const source = await store.sources.create({
      name,
      spec: { repository: 'github-4711', ref: MAIN, path: fileOf(index), application, grant },
      finalizers: ['hakopod.io/reports'],
    });
    if (!source.ok) throw new Error(source.problem.message);
    await store.sources.updateStatus(name, () => ({
      seen: { commit, generation: source.value.generation, at },
      planned: { commit, generation: source.value.generation, grantRevision: 1, outcome: 'unchanged', at },
    }));
  });
  await store.repositories.updateStatus('github-4711', () => ({ refs: [{ name: MAIN, commit, syncedAt: at }] }));
}

async function inBatches(size: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < size; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, size - from) }, (_, offset) => work(from + offset)));
}

/** Distinct also between runs on one real cluster. */
function idOf(world: World, index: number): string {
  return sha256(`${world.settings.HAKOPOD_NAMESPACE}/${world.folder}/${index}`).slice(0, 32);
}

function nameOf(index: number): string {
  return `app-${index.toString().padStart(4, '0')}`;
}

function fileOf(index: number): string {
  return `apps/${nameOf(index)}/hakopod.toml`;
}

function specOf(world: World, index: number, version: number): string {
  return `name = "${nameOf(index)}"\n[services.web]\nimage = "${world.registry.host}/shop/web:2.0"\nport = 8080\nenv = { VERSION = "${version}" }\n`;
}

/** Pushes one change, delivers its webhook, and measures until the API server has the Deployment of this version. */
async function push(
  world: World,
  hook: { readonly url: string; readonly secret: string },
  change: { readonly index: number; readonly version: number },
): Promise<number> {
  const commit = await world.tree.push(
    fileOf(change.index),
    specOf(world, change.index, change.version),
    `Version ${change.version}`,
  );
  const wanted = `"name":"VERSION","value":"${change.version}"`;
  const namespace = `hp-${idOf(world, change.index)}`;
  const deployments = world.api.cache({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
  await deployments.whenSynced();
  const applied = new Promise<number>((resolve) => {
    deployments.onChange(({ object }) => {
      if (JSON.stringify(object.spec).includes(wanted)) resolve(performance.now());
    });
  });
  const began = performance.now();
  const answer = await deliver(hook, { commit });
  if (answer.status !== 202) throw new Error(`the delivery was answered ${answer.status}`);
  const ended = await Promise.race([applied, until('the change is applied', () => false, 60_000)]);
  await deployments.stop();
  // The release ends before the next push, so that each push is measured alone. Without a node no pod of a real cluster gets ready.
  if (world.embedded === undefined) return Math.round((ended as number) - began);
  await until(
    'the release has ended',
    async () => {
      const releases = await world.store.releases.ofApplication(`acme.production.${nameOf(change.index)}`);
      return (
        releases.ok &&
        releases.value[0]?.status.state === 'succeeded' &&
        releases.value[0].spec.origin.commit === commit
      );
    },
    60_000,
  );
  return Math.round((ended as number) - began);
}

function cpuMs(pid: number | undefined): number {
  // Linux only, like the rest of the bench: fields 14 and 15 are ticks of 10 ms.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
