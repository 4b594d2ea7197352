import { readFileSync } from 'node:fs';
import { startChild } from '../support/child.ts';
import { addSources, HOOK, idOf, isReleased, pushVersion, type Version } from '../support/many-sources.ts';
import { deliver, startWorld, until, type World } from '../support/world.ts';
import { cpuMs, median } from './process.ts';

const REPEATS = 5;

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
    const hook = { url: `${server.url}${HOOK.path}`, secret: HOOK.secret };
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

/** Pushes one change, delivers its webhook, and measures until the API server has the Deployment of this version. */
async function push(
  world: World,
  hook: { readonly url: string; readonly secret: string },
  change: Version,
): Promise<number> {
  const commit = await pushVersion(world, change);
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
  await until('the release has ended', () => isReleased(world, change.index, commit), 60_000);
  return Math.round((ended as number) - began);
}
