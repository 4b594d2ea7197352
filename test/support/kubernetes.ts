import { randomBytes } from 'node:crypto';
import { describe, it } from 'vitest';
import { connect, createCluster, type KubeConnection, type WatchTuning } from '../../src/adapters/kubernetes/index.ts';
import { createSystemClock } from '../../src/adapters/system/index.ts';
import type { Clock, Cluster, Log } from '../../src/ports/index.ts';

/** A log that keeps its lines for assertions. */
export function memoryLog(): Log & { readonly lines: { level: string; message: string; fields: object }[] } {
  const lines: { level: string; message: string; fields: object }[] = [];
  const make = (base: object): Log => ({
    debug: (message, fields) => void lines.push({ level: 'debug', message, fields: { ...base, ...fields } }),
    info: (message, fields) => void lines.push({ level: 'info', message, fields: { ...base, ...fields } }),
    warn: (message, fields) => void lines.push({ level: 'warn', message, fields: { ...base, ...fields } }),
    error: (message, fields) => void lines.push({ level: 'error', message, fields: { ...base, ...fields } }),
    with: (fields) => make({ ...base, ...fields }),
  });
  return { ...make({}), lines };
}

/** Real time. */
export const realClock: Clock = createSystemClock();

/** A cluster as the contracts want it: one namespace of its own. */
export type ClusterUnderTest = {
  readonly cluster: Cluster;
  readonly connection: KubeConnection;
  readonly namespace: string;
  readonly close: () => Promise<void>;
};

/** A client of the API server at this URL without credentials. */
export function clientOf(url: string, watch: Partial<WatchTuning> = {}, timeoutMs = 30_000) {
  const text = kubeconfigFor(url);
  const connection = connect({ kubeconfigText: text });
  if (!connection.ok) throw new Error(connection.problem.message);
  const log = memoryLog();
  const cluster = createCluster(connection.value, { clock: realClock, log, userAgent: 'test', watch, timeoutMs });
  return { connection: connection.value, cluster, log, close: () => connection.value.close() };
}

/** A kubeconfig without credentials. */
export function kubeconfigFor(url: string, user: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/** Wraps a connection with a new namespace that goes when the test does. */
export async function inNewNamespace(connection: KubeConnection): Promise<ClusterUnderTest> {
  const cluster = createCluster(connection, { clock: realClock, log: memoryLog(), userAgent: 'test' });
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  const made = await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  if (!made.ok) throw new Error(`${made.problem.code} ${JSON.stringify(made.problem.cause)}`);
  return {
    cluster,
    connection,
    namespace,
    close: async () => {
      const uid = made.value.metadata.uid ?? '';
      await cluster.delete(
        { apiVersion: 'v1', kind: 'Namespace', name: namespace },
        { uid, propagation: 'Background' },
      );
      await connection.close();
    },
  };
}

/** The real API server named by HAKOPOD_TEST_KUBECONFIG, or undefined with a loud line. */
export function realKubeconfig(suite: string): string | undefined {
  const kubeconfig = process.env.HAKOPOD_TEST_KUBECONFIG;
  if (kubeconfig === undefined)
    console.warn(`SKIPPED: ${suite} on a real API server; set HAKOPOD_TEST_KUBECONFIG to run it`);
  return kubeconfig;
}

/** Registers what runs on the real API server, or one skip. */
export function describeReal(suite: string, register: (kubeconfig: string) => void): void {
  const kubeconfig = realKubeconfig(suite);
  if (kubeconfig !== undefined) register(kubeconfig);
  // The reason was printed; the runner takes a file without any test for an error.
  else describe.skip('a real API server', () => it.todo(suite));
}

/** Opens the real API server. */
export function connectReal(kubeconfig: string): KubeConnection {
  const connection = connect({ kubeconfig });
  if (!connection.ok) throw new Error(connection.problem.message);
  return connection.value;
}

/** Polls until `check` answers true; fails loudly after ten seconds. */
export async function eventually(check: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`${what} did not happen within ten seconds`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
