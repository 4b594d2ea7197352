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

/** Nothing runs here, so there is room for as many applications as anybody tries. */
const ROOM = { cpu: '10k', memory: '100Ti', 'ephemeral-storage': '100Ti', pods: '100k' };

const NODE_STATUS = {
  capacity: ROOM,
  allocatable: ROOM,
  conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'simulated' }],
  nodeInfo: { architecture: 'amd64', operatingSystem: 'linux', kubeletVersion: 'v1.35.4' },
};

const DEFAULT_CLASS: Manifest = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'embedded', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'embedded.hakopod.io/volumes',
};

/** What a new cluster has: its own namespaces, one node and a default storage class. What is there already stays. */
export function bootstrap(machine: Machine): void {
  const options = { dryRun: false, manager: 'embedded', validation: 'Ignore', subresource: undefined } as const;
  const namespaces = builtIn('namespaces');
  for (const name of NAMESPACES) {
    if (machine.store.get(namespaces, undefined, name) !== undefined) continue;
    const body: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    create(machine, { info: namespaces, namespace: undefined }, { body, options, managed: [] });
  }
  const classes = builtIn('storageclasses');
  if (machine.store.get(classes, undefined, DEFAULT_CLASS.metadata.name) === undefined)
    create(machine, { info: classes, namespace: undefined }, { body: DEFAULT_CLASS, options, managed: [] });
  const nodes = builtIn('nodes');
  if (machine.store.get(nodes, undefined, NODE.metadata.name) !== undefined) return;
  const node = create(machine, { info: nodes, namespace: undefined }, { body: NODE, options, managed: [] });
  machine.store.put(nodes, { ...node, status: NODE_STATUS });
}
