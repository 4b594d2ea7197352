import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { connect, createCluster, type KubeConnection } from '../../src/adapters/kubernetes/index.ts';
import { startPrivateRedis } from '../../src/adapters/redis/index.ts';
import { ensureCrds } from '../../src/adapters/store/index.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import { createBareRepository, startGitServer } from '../../src/demo/git-server.ts';
import { openWorkTree, type WorkTree } from '../../src/demo/repository.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { memoryLog, realClock } from '../support/kubernetes.ts';
import { until } from '../support/world.ts';
import { renderChart } from './chart.ts';
import { run } from './rig/cache.ts';
import { freePorts } from './rig/processes.ts';

/**
 * Hakopod on a real cluster: server and worker as processes of their own, each with a token of the service account the chart made for it.
 * Git, Redis and the forge are real or recording ones on loopback; people's commands run as the cluster's administrator.
 */
export type Installation = {
  readonly namespace: string;
  /** The administrator's view of the cluster. */
  readonly admin: Cluster;
  readonly forge: ForgeRecorder;
  readonly tree: WorkTree;
  /** Where the work tree's files are. */
  readonly work: string;
  readonly gitUrl: string;
  /** Base URL of the receiver. */
  readonly url: string;
  /** What the processes logged. */
  readonly lines: string[];
  /** The environment of both processes, without what tells them apart. */
  readonly settings: Readonly<Record<string, string>>;
  cli(args: readonly string[], input?: string): Promise<string>;
  /** GET below the API server as the administrator, such as a pod's page through its proxy. */
  raw(path: string): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<void>;
};

export type InstallationOptions = {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly registry: string;
  /** Another registry on loopback that images come from, in plain http. */
  readonly otherRegistry?: string;
  /** More HAKOPOD_ variables, which win. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Of the chart whose roles are taken, as on helm's command line after `--set`. */
  readonly values?: readonly string[];
};

export const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const RBAC = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

/** Installs into a new namespace, which goes with `stop` together with everything cluster-wide. */
export async function install(options: InstallationOptions): Promise<Installation> {
  const { kubeconfig, namespace, registry } = options;
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-install-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  const stop = async (): Promise<void> => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    return await build();
  } catch (error) {
    await stop();
    throw error;
  }

  async function build(): Promise<Installation> {
    const connection = connect({ kubeconfig });
    if (!connection.ok) throw new Error(connection.problem.message);
    stops.push(() => connection.value.close());
    const admin = createCluster(connection.value, { clock: realClock, log: memoryLog(), userAgent: 'hakopod-test' });
    must(await ensureCrds(admin, realClock));
    await applyRbac(admin, options, stops);

    const redis = must(await startPrivateRedis());
    const forge = await startForgeRecorder();
    const [root, work] = [join(folder, 'git'), join(folder, 'work')];
    await mkdir(root);
    await mkdir(work);
    await createBareRepository(root, 'shop.git');
    const git = await startGitServer({ root });
    stops.push(
      () => redis.stop(),
      () => forge.stop(),
      () => git.stop(),
    );
    const gitUrl = `${git.url}/shop.git`;
    const [port = 0, adminPort = 0, workerPort = 0] = await freePorts(3);
    const settings = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      TMPDIR: folder,
      HAKOPOD_NAMESPACE: namespace,
      HAKOPOD_REDIS_URL: redis.url,
      HAKOPOD_APP_DOMAIN: 'apps.example.test',
      HAKOPOD_PUBLIC_URL: `http://127.0.0.1:${port}`,
      HAKOPOD_GITHUB_API_URL: forge.githubApiUrl,
      HAKOPOD_LOCAL_REGISTRIES: [registry, options.otherRegistry]
        .flatMap((host) => (host === undefined ? [] : [`http://${host}`]))
        .join(','),
      HAKOPOD_BUILD_REGISTRY: `${registry}/built`,
      HAKOPOD_LOCAL_REPOSITORIES: 'true',
      HAKOPOD_MENTION_GRACE_SECONDS: '1',
      HAKOPOD_RESYNC_SECONDS: '2',
      HAKOPOD_DRIFT_SECONDS: '2',
      HAKOPOD_LOG_LEVEL: 'debug',
      ...options.settings,
    };
    const lines: string[] = [];
    const serve = async (role: 'server' | 'worker', listen: Readonly<Record<string, string>>): Promise<void> => {
      const path = join(folder, `${role}.kubeconfig`);
      const token = await tokenOf(connection.value, namespace, `hakopod-${role}`);
      await writeFile(path, withToken(await readFile(kubeconfig, 'utf8'), token), { mode: 0o600 });
      const env = { ...settings, ...listen, HAKOPOD_KUBECONFIG: path, HAKOPOD_ROLES: role };
      stops.push(await startServe(env, lines));
    };
    await serve('server', {
      HAKOPOD_LISTEN: `127.0.0.1:${port}`,
      HAKOPOD_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
    });
    await serve('worker', { HAKOPOD_ADMIN_LISTEN: `127.0.0.1:${workerPort}` });
    const tree = await openWorkTree({ url: gitUrl, folder: work, environment: { PATH: process.env.PATH ?? '' } });
    return {
      ...{ namespace, admin, forge, tree, work, gitUrl, lines, settings, stop },
      url: `http://127.0.0.1:${port}`,
      cli: (args, input = '') =>
        run(process.execPath, [MAIN, '--kubeconfig', kubeconfig, ...args], {
          env: { ...settings, KUBECONFIG: '', HAKOPOD_TEST_RIG: '' },
          input,
        }),
      raw: (path) => raw(connection.value, 'GET', path),
    };
  }
}

/** The chart's service accounts and roles, and nothing else of it. */
async function applyRbac(
  admin: Cluster,
  { namespace, values = [] }: InstallationOptions,
  stops: (() => Promise<unknown>)[],
): Promise<void> {
  must(await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  stops.push(() => removeNow(admin, { apiVersion: 'v1', kind: 'Namespace', name: namespace }));
  for (const object of (await renderChart(namespace, values)).filter(({ kind }) => RBAC.includes(kind))) {
    must(await admin.apply(object));
    const { apiVersion, kind, metadata } = object;
    if (metadata.namespace === undefined) stops.push(() => removeNow(admin, { apiVersion, kind, name: metadata.name }));
  }
}

/** Deletes an object whatever its uid, and the namespaces of applications without waiting for their end. */
export async function removeNow(admin: Cluster, ref: Parameters<Cluster['get']>[0]): Promise<void> {
  const live = must(await admin.get(ref));
  if (live !== undefined) must(await admin.delete(ref, { uid: live.metadata.uid ?? '', propagation: 'Background' }));
}

/** The same cluster with another user. */
function withToken(kubeconfig: string, token: string): string {
  const config = parse(kubeconfig) as { users: { user: unknown }[] };
  return JSON.stringify({ ...config, users: config.users.map((user) => ({ ...user, user: { token } })) });
}

/** A token of a service account, as a pod would get it. */
async function tokenOf(connection: KubeConnection, namespace: string, account: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } };
  const answer = await raw(connection, 'POST', path, body);
  if (answer.status !== 201) throw new Error(`no token for ${account}: ${answer.status} ${answer.text}`);
  return (JSON.parse(answer.text) as { status: { token: string } }).status.token;
}

async function raw(connection: KubeConnection, method: 'GET' | 'POST', path: string, body?: object) {
  const answer = await connection.send({
    method,
    path,
    accept: '*/*',
    userAgent: 'hakopod-test',
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body), contentType: 'application/json' }),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk as Buffer);
  return { status: answer.status, text: Buffer.concat(chunks).toString('utf8') };
}

/** A machine that also runs a cluster takes its time. */
const READY_MS = 120_000;

/** Starts one role and resolves with the way to stop it once it is ready. */
async function startServe(env: Readonly<Record<string, string>>, lines: string[]): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<void>((done) => {
    child.once('exit', () => done());
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => lines.push(chunk.toString('utf8')));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
  };
  try {
    await until(
      `hakopod serve --roles ${env.HAKOPOD_ROLES} is ready`,
      async () => {
        if (child.exitCode !== null) throw new Error(`hakopod serve ended: ${lines.slice(-5).join('')}`);
        const answer = await fetch(`http://${env.HAKOPOD_ADMIN_LISTEN}/readyz`).catch(() => undefined);
        return answer?.status === 200;
      },
      READY_MS,
    );
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${lines.slice(-15).join('')}`);
  }
  return stop;
}

/** The namespace of the one application of an installation, as a manifest. */
export async function applicationNamespace(installation: Installation): Promise<string> {
  const query = { apiVersion: 'hakopod.io/v1', kind: 'Application', namespace: installation.namespace };
  const [application] = must(await installation.admin.list(query)) as readonly (Manifest & { spec: { id: string } })[];
  if (application === undefined) throw new Error('there is no application');
  return `hp-${application.spec.id}`;
}
