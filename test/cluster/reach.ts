import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCluster } from '../../src/adapters/kubernetes/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { serviceLabels } from '../../src/render/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { connectReal, memoryLog, realClock } from '../support/kubernetes.ts';
import { pushBusybox } from '../support/real-pods.ts';
import { until } from '../support/world.ts';
import {
  type Environment,
  type HakopodOptions,
  type Process,
  type Running,
  spawnHakopod,
  spawnOnTerminal,
  startHakopod,
} from './hakopod-process.ts';
import { applicationNamespace, install, removeNow } from './installation.ts';

/** How long the service `web` writes nothing after its first line. */
export const QUIET_SECONDS = 62;

/** An installation with one application whose pods run, and the ways people get at it. */
export type Reach = {
  readonly url: string;
  /** A key that may do everything, commands in containers among it. */
  readonly key: string;
  readonly admin: Cluster;
  /** Of the application. */
  readonly namespace: string;
  /** A namespace at the level baseline, the only one besides applications' in which the server may operate. */
  readonly tools: string;
  readonly id: string;
  readonly image: string;
  /** When the application was there, in the time of `performance.now`. */
  readonly startedAt: number;
  /** `hakopod` with the key, at the server. */
  start(args: readonly string[], more?: Partial<HakopodOptions>): Running;
  spawn(args: readonly string[]): Process;
  spawnOnTerminal(args: readonly string[], size: { readonly rows: number; readonly columns: number }): Process;
  /** `hakopod` with the administrator's kubeconfig and no server. */
  startLocal(args: readonly string[], env?: Environment): Running;
  labelsOf(service: string): Readonly<Record<string, string>>;
  /** Changes the Pod Security level of the application's namespace. */
  label(level: string): Promise<void>;
  /** What the server and the worker logged. */
  lines(): string;
  stop(): Promise<void>;
};

/** Ends within a moment when it is told to, as the program of a container has no default for that. */
const IDLE = 'while :; do sleep 3600 & wait $!; done';
const SCRIPTS = {
  web: `echo first; sleep ${QUIET_SECONDS} & wait $!; echo second`,
  lines: 'seq 1 20000',
  bytes: 'head -c 6000000 /dev/zero | tr "\\0" x | fold -w 999',
};

function file(image: string): string {
  const services = Object.entries(SCRIPTS).map(
    ([name, script]) =>
      `[services.${name}]\nimage = "${image}"\ncommand = ["sh", "-c", '''trap "exit 0" TERM; ${script}; ${IDLE}''']\n`,
  );
  return `name = "shop"\n\n${services.join('\n')}`;
}

export async function startReach(options: {
  readonly kubeconfig: string;
  readonly registry: string;
  readonly rig: string;
}): Promise<Reach> {
  const { kubeconfig, registry, rig } = options;
  const control = `hakopod-reach-${randomBytes(4).toString('hex')}`;
  const tools = `tools-${control.slice(-8)}`;
  const madeTools = await makeNamespace(kubeconfig, tools);
  const there = await install({
    ...{ kubeconfig, namespace: control, registry },
    values: ['server.operations=all', `config.operationNamespaces={${tools}}`],
    settings: { HAKOPOD_OPERATION_NAMESPACES: tools },
  }).catch(async (error: unknown) => {
    await madeTools.remove();
    throw error;
  });
  const { admin, url } = there;
  let namespace: string | undefined;
  const stop = async (): Promise<void> => {
    if (namespace !== undefined) await removeNow(admin, { apiVersion: 'v1', kind: 'Namespace', name: namespace });
    await madeTools.remove();
    await there.stop();
  };
  try {
    const image = await pushBusybox({ registry, storage: rig });
    const base = { ...there.settings, PATH: process.env.PATH ?? '' };
    const first = { ...base, HAKOPOD_API_URL: url, HAKOPOD_API_KEY: await firstKey(admin, control) };
    const everything = ['--permission', 'admin,pods:exec', '--unscoped'];
    const made = await outOf(startHakopod(['keys', 'create', 'reach', ...everything, '-o', 'json'], { env: first }));
    const { key } = JSON.parse(made) as { readonly key: string };
    const env = { ...first, HAKOPOD_API_KEY: key };
    const path = join(there.work, 'shop.toml');
    await writeFile(path, file(image));
    const deploy = ['deploy', path, '--project', 'acme', '--environment', 'production', '--wait'];
    await outOf(startHakopod(deploy, { env })).catch((error: Error) => {
      throw new Error(`${error.message}\n${there.lines.slice(-20).join('')}`);
    });
    namespace = await applicationNamespace(there);
    const id = namespace.slice('hp-'.length);
    const own = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
    return {
      ...{ url, key, admin, namespace, tools, id, image, startedAt: performance.now(), stop },
      start: (args, { env: other = {}, ...more } = {}) => startHakopod(args, { env: { ...env, ...other }, ...more }),
      spawn: (args) => spawnHakopod(args, env),
      spawnOnTerminal: (args, size) => spawnOnTerminal(args, { env, ...size }),
      startLocal: (args, more = {}) =>
        startHakopod(['--kubeconfig', kubeconfig, ...args], { env: { ...base, ...more } }),
      labelsOf: (service) => serviceLabels(id, service),
      label: async (level) => {
        const labels = { 'pod-security.kubernetes.io/enforce': level };
        must(await admin.mergePatch(own, { metadata: { labels } }));
      },
      lines: () => there.lines.join(''),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A namespace at the level baseline. */
async function makeNamespace(kubeconfig: string, name: string): Promise<{ remove(): Promise<void> }> {
  const connection = connectReal(kubeconfig);
  const admin = createCluster(connection, { clock: realClock, log: memoryLog(), userAgent: 'hakopod-test' });
  const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
  must(await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }));
  return {
    remove: async () => {
      await removeNow(admin, { apiVersion: 'v1', kind: 'Namespace', name });
      await connection.close();
    },
  };
}

/** What a command printed that ended well. */
async function outOf(running: Running): Promise<string> {
  const { code, out, err } = await running.ended;
  if (code !== 0) throw new Error(`hakopod ended with ${code}: ${out}${err}`);
  return out;
}

/** The first administrator's key. */
async function firstKey(admin: Cluster, namespace: string): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'hakopod-admin-key' };
  const secret = await until('the first key is there', async () => must(await admin.get(ref)));
  const { key = '' } = secret.data as Readonly<Record<string, string>>;
  return Buffer.from(key, 'base64').toString();
}
