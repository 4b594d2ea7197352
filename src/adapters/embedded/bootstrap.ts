import type { Manifest } from '../../kernel/index.ts';
import type { Machine } from './machine.ts';
import { builtIn } from './resources.ts';
import { create } from './write.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const NODE: Manifest = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'embedded',
    labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'embedded' },
  },
  spec: {},
};

const NODE_STATUS = {
  capacity: { cpu: '16', memory: '64Gi', 'ephemeral-storage': '200Gi', pods: '1000' },
  allocatable: { cpu: '16', memory: '64Gi', 'ephemeral-storage': '200Gi', pods: '1000' },
  conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'simulated' }],
  nodeInfo: { architecture: 'amd64', operatingSystem: 'linux', kubeletVersion: 'v1.35.4' },
};

/** What a new cluster has: its own namespaces and one node. What is there already stays. */
export function bootstrap(machine: Machine): void {
  const options = { dryRun: false, manager: 'embedded', validation: 'Ignore', subresource: undefined } as const;
  const namespaces = builtIn('namespaces');
  for (const name of NAMESPACES) {
    if (machine.store.get(namespaces, undefined, name) !== undefined) continue;
    const body: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    create(machine, { info: namespaces, namespace: undefined }, { body, options, managed: [] });
  }
  const nodes = builtIn('nodes');
  if (machine.store.get(nodes, undefined, NODE.metadata.name) !== undefined) return;
  const node = create(machine, { info: nodes, namespace: undefined }, { body: NODE, options, managed: [] });
  machine.store.put(nodes, { ...node, status: NODE_STATUS });
}
