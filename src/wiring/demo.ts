import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { buildahAvailable } from '../adapters/buildah/index.ts';
import { startEmbeddedCluster } from '../adapters/embedded/index.ts';
import { connect, createCluster } from '../adapters/kubernetes/index.ts';
import { createLog } from '../adapters/log/index.ts';
import { startPrivateRedis } from '../adapters/redis/index.ts';
import { ensureCrds, transitionRules } from '../adapters/store/index.ts';
import { createRandom, createSystemClock } from '../adapters/system/index.ts';
import { type Runtime, runCli, type Terminal } from '../cli/index.ts';
import { loadConfig, plainEnvironment } from '../config.ts';
import { startBuildRegistry } from '../demo/build-registry.ts';
import { runDemo } from '../demo/demo.ts';
import { freePort } from '../demo/free-port.ts';
import type { DemoParts } from '../demo/world.ts';
import { describe, fail, type Manifest, ok, type Result } from '../kernel/index.ts';
import type { Cluster } from '../ports/index.ts';
import { RENDERED_KINDS } from '../render/index.ts';

type Outside = {
  readonly main: string;
  readonly terminal: Terminal;
  readonly runtime: () => Runtime;
  readonly stopRequested: () => Promise<void>;
};

const READY_MS = 60_000;

/** `hakopod demo`: hands the demo real parts. The embedded cluster is started here and in tests, nowhere else. */
export async function runDemoCommand(flags: Readonly<Record<string, unknown>>, outside: Outside): Promise<number> {
  const config = loadConfig(flags);
  if (!config.ok) {
    outside.terminal.err(`error: ${describe(config.problem)} [${config.problem.code}]`);
    return 2;
  }
  const clock = createSystemClock();
  const random = createRandom();
  // Only a kubeconfig somebody asked for by name: a KUBECONFIG that happens to be set is not to be played with.
  const chosen = typeof flags.kubeconfig === 'string' ? flags.kubeconfig : undefined;
  const parts: DemoParts = {
    startCluster: () => startCluster(chosen, config.value.namespace),
    startRedis: async () => {
      const { redisUrl } = config.value;
      return redisUrl === undefined ? startPrivateRedis() : ok({ url: redisUrl, stop: async () => undefined });
    },
    startServe: (settings) =>
      startServe(outside.main, {
        HAKOPOD_QUEUE_PREFIX: `demo-${process.pid}`,
        HAKOPOD_NAMESPACE: config.value.namespace,
        ...settings,
      }),
    cli: (args, input) => capture(outside.runtime(), args, input),
    startBuildRegistry: async (folder) => {
      if (chosen !== undefined || (await buildahAvailable()) === undefined) return undefined;
      const { PATH = '' } = plainEnvironment();
      return startBuildRegistry({ folder, port: await freePort(), path: PATH, sleep: (ms) => clock.sleep(ms) });
    },
    objects: listObjects,
    print: (line) => outside.terminal.out(line),
    now: () => clock.now().getTime(),
    sleep: (ms) => clock.sleep(ms),
    hex: (bytes) => random.hex(bytes),
    environment: plainEnvironment(),
    keep: flags.keep === true,
    untilStopped: outside.stopRequested,
  };
  return runDemo(parts);
}

async function startCluster(kubeconfig: string | undefined, namespace: string): ReturnType<DemoParts['startCluster']> {
  const embedded = kubeconfig === undefined ? await startEmbeddedCluster({ validators: transitionRules() }) : undefined;
  const text = embedded?.kubeconfig ?? readFileSync(kubeconfig ?? '', 'utf8');
  const done = await withCluster(text, async (cluster) => {
    const crds = await ensureCrds(cluster, createSystemClock());
    return crds.ok ? cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }) : crds;
  });
  if (!done.ok) {
    await embedded?.stop();
    throw new Error(`preparing the cluster: ${describe(done.problem)}`);
  }
  return {
    kubeconfig: text,
    kubectlConfig: embedded?.kubectlConfig ?? text,
    embedded: embedded !== undefined,
    stop: async () => embedded?.stop(),
  };
}

async function withCluster<T>(
  kubeconfigText: string,
  use: (cluster: Cluster) => Promise<Result<T>>,
): Promise<Result<T>> {
  const connection = connect({ kubeconfigText });
  if (!connection.ok) return connection;
  try {
    return await use(
      createCluster(connection.value, {
        clock: createSystemClock(),
        log: createLog('silent'),
        userAgent: 'hakopod-demo',
      }),
    );
  } finally {
    await connection.value.close();
  }
}

function listObjects(kubeconfigPath: string, namespace: string): Promise<Result<readonly Manifest[]>> {
  return withCluster(readFileSync(kubeconfigPath, 'utf8'), async (cluster) => {
    const lists = await Promise.all(
      RENDERED_KINDS.filter(({ kind }) => kind !== 'Namespace').map((kind) =>
        cluster.list({ ...kind, namespace, labelSelector: 'app.kubernetes.io/managed-by=hakopod' }),
      ),
    );
    const objects: Manifest[] = [];
    for (const list of lists) {
      if (!list.ok) return fail(list.problem);
      objects.push(...list.value);
    }
    return ok(objects);
  });
}

/** Starts `hakopod serve` as a child and waits for its /readyz. */
async function startServe(
  main: string,
  settings: Readonly<Record<string, string>>,
): ReturnType<DemoParts['startServe']> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { ...plainEnvironment(), ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
  };
  const clock = createSystemClock();
  const deadline = clock.now().getTime() + READY_MS;
  const url = `http://${settings.HAKOPOD_ADMIN_LISTEN}/readyz`;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return { stop };
    if (child.exitCode !== null || clock.now().getTime() > deadline) {
      await stop();
      throw new Error('hakopod serve did not become ready');
    }
    await clock.sleep(50);
  }
}

/** Runs one command of the command line in this process. */
async function capture(
  runtime: Runtime,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly out: string }> {
  const lines: string[] = [];
  const terminal: Terminal = {
    out: (line) => lines.push(line),
    err: (line) => lines.push(line),
    readInput: async () => input,
  };
  const code = await runCli(runtime, terminal, args);
  return { code, out: lines.join('\n') };
}
