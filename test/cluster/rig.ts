import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeBinary, onPath } from './rig/cache.ts';
import { startControlPlane } from './rig/control-plane.ts';
import { type Node, pickNetwork, startNode } from './rig/node.ts';
import { kubeconfigOf } from './rig/pki.ts';
import { Processes } from './rig/processes.ts';
import { startRegistry } from './rig/registry.ts';
import { startSimulatedNode } from './rig/simulated-node.ts';

/*
 * A real Kubernetes on this machine for tests: etcd, kube-apiserver, kube-controller-manager and kube-scheduler on loopback and,
 * as root, one node (containerd and kubelet) with a registry, whose pods really run. Everything it starts it stops, everything it
 * writes is in one private folder, and every port is a free one, so several rigs live side by side.
 */

/** A running rig. */
export type Rig = {
  /** Path of the cluster administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly server: string;
  readonly adminToken: string;
  /** Text of a kubeconfig for another token, such as a service account's. */
  kubeconfigFor(token: string): string;
  /** `host:port` of a registry the node pulls from; only with a node. */
  readonly registry: string | undefined;
  /** What service accounts asked, a JSON line each (audit.k8s.io/v1 Event, metadata only). */
  readonly auditLog: string;
  /** Private folder with logs and buildah's storage. */
  readonly folder: string;
  /** Stops everything; the folder goes too unless `keepLogs`. Safe to call twice. */
  stop(options?: { readonly keepLogs?: boolean }): Promise<void>;
};

const PLANE_TOOLS = { etcd: 'etcd-server', openssl: 'openssl' };
const NODE_TOOLS = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  ip: 'iproute2',
  buildah: 'buildah',
  'docker-registry': 'docker-registry',
  '/bin/busybox': 'busybox-static',
  '/usr/lib/cni/bridge': 'containernetworking-plugins',
};

/** Why a rig can not start here, in words for a skip; undefined when it can. */
export function whyNoRig(options: { readonly node: boolean }): string | undefined {
  if (process.platform !== 'linux') return 'the rig runs on Linux only';
  if (onPath('go') === undefined) return 'there is no Go to build Kubernetes with';
  const tools = Object.entries({ ...PLANE_TOOLS, ...(options.node ? NODE_TOOLS : {}) });
  const missing = tools.filter(([tool]) => onPath(tool) === undefined);
  if (missing.length > 0)
    return `missing ${[...new Set(missing.map(([, name]) => name))].join(', ')}; scripts/setup-cluster.sh installs it`;
  if (options.node && process.getuid?.() !== 0) return 'a node needs root';
  return undefined;
}

/**
 * Starts a rig without a node, with a real one, or with one that only says its pods run. Once the binary is built, a control plane alone is
 * ready within 10 s and a node within 20 s.
 */
export async function startRig(options: { readonly node: boolean | 'simulated' }): Promise<Rig> {
  const reason = whyNoRig({ node: options.node === true });
  const binary = reason === undefined ? await kubeBinary() : undefined;
  if (binary === undefined) throw new Error(reason ?? 'Kubernetes could not be built');
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-rig-'));
  for (const name of ['log', 'pki', 'run']) await mkdir(join(folder, name), { mode: 0o700 });
  const processes = new Processes(join(folder, 'log'));
  let node: Node | undefined;
  let isStopped = false;
  const stop = async ({ keepLogs = false } = {}): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await node?.stop();
    await processes.stop();
    if (keepLogs) console.error(`logs of the cluster: ${join(folder, 'log')}`);
    else await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const network = pickNetwork();
    const plane = await startControlPlane({ folder, binary, processes, address: network.nodeAddress });
    const registry = options.node === true ? await startRegistry(folder, processes) : undefined;
    if (registry !== undefined) node = await startNode({ folder, binary, processes, plane, network, registry });
    else if (options.node === 'simulated') node = await startSimulatedNode(plane);
    return {
      kubeconfig: plane.kubeconfig('admin'),
      server: plane.server,
      adminToken: plane.pki.token('admin'),
      kubeconfigFor: (token) => kubeconfigOf({ server: plane.server, caFile: plane.pki.ca, token }),
      registry,
      auditLog: plane.auditLog,
      folder,
      stop,
    };
  } catch (error) {
    await stop({ keepLogs: true });
    throw error;
  }
}
