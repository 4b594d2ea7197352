import { copyFile, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { run } from './cache.ts';
import type { ControlPlane } from './control-plane.ts';
import { freePorts, type Processes } from './processes.ts';

/** Addresses and names that no other rig on this machine uses. */
export type Network = { readonly nodeAddress: string; readonly podRange: string; readonly bridge: string };

/** A node whose pods really run. */
export type Node = {
  /** Ends every pod, then the node, and takes back what it changed on the machine. */
  stop(): Promise<void>;
};

export type NodeOptions = {
  readonly folder: string;
  readonly binary: string;
  readonly processes: Processes;
  readonly plane: ControlPlane;
  readonly network: Network;
  /** `host:port` of the registry pods may pull from in plain http. */
  readonly registry: string;
};

/** The image of every pod's sandbox. Never pulled: it is made here. */
const PAUSE = 'hakopod.test/pause:1';
/** Debian's place for the plugins of containernetworking-plugins. */
const CNI_PLUGINS = '/usr/lib/cni';

/** Picks a part of 10.250.0.0/16 that is free on this machine. */
export function pickNetwork(): Network {
  const taken = new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)));
  const start = process.pid % 200;
  for (let n = start; n < start + 200; n += 1) {
    const part = (n % 200) + 1;
    const nodeAddress = `10.250.${part}.1`;
    if (!taken.has(nodeAddress) && !taken.has(`10.251.${part}.1`))
      return { nodeAddress, podRange: `10.251.${part}.0/24`, bridge: `hakopod${part}` };
  }
  throw new Error('no free part of 10.250.0.0/16 for the node');
}

/** Starts containerd and a kubelet as root, with everything they keep in `folder`; resolves when the node is ready. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { folder, binary, processes, plane, network } = options;
  const socket = join(folder, 'run', 'containerd.sock');
  const ctr = (...args: string[]): Promise<string> => run('ctr', ['-a', socket, '-n', 'k8s.io', ...args]);
  await run('ip', ['address', 'add', `${network.nodeAddress}/32`, 'dev', 'lo']);
  const undo = (): Promise<void> => cleanUp(folder, network);
  try {
    await writeContainerd(options, socket);
    processes.start('containerd', 'containerd', ['--config', join(folder, 'containerd.toml')]);
    const pause = await makePause(folder);
    await processes.ready('containerd', 30_000, async () => (await ctr('images', 'import', pause)).includes(PAUSE));
    const config = await writeKubelet(options, socket);
    processes.start('kubelet', binary, [
      'kubelet',
      `--config=${config}`,
      `--kubeconfig=${plane.kubeconfig('node')}`,
      `--root-dir=${join(folder, 'kubelet')}`,
      `--cert-dir=${join(folder, 'kubelet-pki')}`,
      '--hostname-override=node1',
      `--node-ip=${network.nodeAddress}`,
    ]);
    await processes.ready('kubelet', 90_000, () => isReady(plane));
  } catch (error) {
    await processes.stop('kubelet');
    await processes.stop('containerd');
    await undo();
    throw error;
  }
  return {
    stop: async () => {
      // Without controllers nothing starts what the kubelet ends.
      await processes.stop('kube-controller-manager');
      await processes.stop('kube-scheduler');
      await endPods(plane, ctr).catch((error: unknown) => console.error('ending the pods of the rig:', error));
      await processes.stop('kubelet');
      await endContainers(ctr).catch((error: unknown) => console.error('ending the containers of the rig:', error));
      await processes.stop('containerd');
      await undo();
    },
  };
}

async function isReady(plane: ControlPlane): Promise<boolean> {
  const { body } = await plane.call('GET', '/api/v1/nodes/node1');
  const { status } = body as { status?: { conditions?: readonly { type: string; status: string }[] } };
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

type Ctr = (...args: string[]) => Promise<string>;

/** Lets the kubelet end all pods, as it alone gives back their networks. Their objects may stay: a Job's pods wait for its controller. */
async function endPods(plane: ControlPlane, ctr: Ctr): Promise<void> {
  type Pod = {
    readonly metadata: { readonly name: string; readonly namespace: string; readonly deletionTimestamp?: string };
  };
  const deadline = performance.now() + 30_000;
  for (;;) {
    const { body } = await plane.call('GET', '/api/v1/pods');
    const { items } = body as { readonly items: readonly Pod[] };
    const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const paths = living.map(({ metadata: { name, namespace } }) => `/api/v1/namespaces/${namespace}/pods/${name}`);
    await Promise.all(paths.map((path) => plane.call('DELETE', `${path}?gracePeriodSeconds=1`)));
    if (living.length === 0 && (await ctr('tasks', 'ls', '-q')).trim() === '') return;
    if (performance.now() > deadline) throw new Error(`${items.length} pods did not end`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** What the kubelet left: its shims would outlive containerd. */
async function endContainers(ctr: Ctr): Promise<void> {
  const ids = (text: string): string[] => text.split('\n').filter(Boolean);
  for (const id of ids(await ctr('tasks', 'ls', '-q'))) await ctr('tasks', 'rm', '--force', id).catch(() => '');
  for (const id of ids(await ctr('containers', 'ls', '-q'))) await ctr('containers', 'rm', id).catch(() => '');
}

async function cleanUp(folder: string, network: Network): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.toReversed()) await run('umount', ['--lazy', path]).catch(() => '');
  await run('ip', ['link', 'delete', network.bridge]).catch(() => '');
  await run('ip', ['address', 'delete', `${network.nodeAddress}/32`, 'dev', 'lo']).catch(() => '');
  // Empty once its containers are gone; a group somebody else still uses refuses to go.
  for (const controller of await readdir('/sys/fs/cgroup').catch(() => []))
    await rmdir(join('/sys/fs/cgroup', controller, 'k8s.io')).catch(() => undefined);
}

async function writeContainerd(options: NodeOptions, socket: string): Promise<void> {
  const { folder, network, registry } = options;
  const cni = join(folder, 'cni');
  const hosts = join(folder, 'registries', registry);
  await mkdir(cni, { recursive: true });
  await mkdir(hosts, { recursive: true });
  await writeFile(
    join(hosts, 'hosts.toml'),
    `server = "http://${registry}"\n[host."http://${registry}"]\n  capabilities = ["pull", "resolve"]\n`,
  );
  const bridge = {
    type: 'bridge',
    bridge: network.bridge,
    isGateway: true,
    ipMasq: false,
    ipam: {
      type: 'host-local',
      dataDir: join(folder, 'addresses'),
      ranges: [[{ subnet: network.podRange }]],
      routes: [{ dst: '0.0.0.0/0' }],
    },
  };
  await writeFile(
    join(cni, '10-bridge.conflist'),
    JSON.stringify({ cniVersion: '0.4.0', name: network.bridge, plugins: [bridge] }),
  );
  // restrict_oom_score_adj: inside many virtual machines nobody may lower a score, and no pod would start.
  await writeFile(
    join(folder, 'containerd.toml'),
    `version = 2
root = "${join(folder, 'containerd')}"
state = "${join(folder, 'run', 'containerd')}"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "${PAUSE}"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${join(folder, 'registries')}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${CNI_PLUGINS}"
    conf_dir = "${cni}"
`,
  );
}

async function writeKubelet(options: NodeOptions, socket: string): Promise<string> {
  const { folder, network, plane } = options;
  const [port = 0] = await freePorts(1);
  const path = join(folder, 'kubelet.json');
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: network.nodeAddress,
      port,
      healthzPort: 0,
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: plane.pki.ca },
      },
      authorization: { mode: 'Webhook' },
      containerRuntimeEndpoint: `unix://${socket}`,
      podLogsDir: join(folder, 'pod-logs'),
      cgroupDriver: 'cgroupfs',
      // No tree of groups of its own, which a second rig would take for an orphan and remove.
      cgroupsPerQOS: false,
      enforceNodeAllocatable: [],
      failCgroupV1: false,
      failSwapOn: false,
      makeIPTablesUtilChains: false,
      resolvConf: '',
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      // A machine that is nearly full is no reason to refuse a test's pod.
      imageGCHighThresholdPercent: 100,
      evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '0%', 'memory.available': '50Mi' },
    }),
  );
  return path;
}

/** An image that sleeps, as a file containerd can import. */
async function makePause(folder: string): Promise<string> {
  const context = join(folder, 'pause');
  const archive = join(folder, 'pause.tar');
  await mkdir(context);
  await copyFile('/bin/busybox', join(context, 'busybox'));
  await writeFile(
    join(context, 'Dockerfile'),
    'FROM scratch\nCOPY busybox /busybox\nENTRYPOINT ["/busybox", "sleep", "2147483647"]\n',
  );
  await buildah(folder, ['bud', '--isolation', 'chroot', '--tag', PAUSE, context]);
  await buildah(folder, ['push', PAUSE, `docker-archive:${archive}:${PAUSE}`]);
  return archive;
}

/** Runs buildah without a daemon, its storage inside the rig's folder. */
export function buildah(folder: string, args: readonly string[]): Promise<string> {
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'buildah'),
    '--runroot',
    join(folder, 'run', 'buildah'),
  ];
  return run('buildah', [...storage, ...args]);
}
