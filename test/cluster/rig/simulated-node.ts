import { connect, createCluster } from '../../../src/adapters/kubernetes/index.ts';
import { createLog } from '../../../src/adapters/log/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import type { Manifest } from '../../../src/kernel/index.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Node } from './node.ts';

const NAME = 'simulated';
/** Well below the 40 s after which a silent node counts as lost. */
const HEARTBEAT_MS = 10_000;
const ROOM = { cpu: '10k', memory: '100Ti', 'ephemeral-storage': '100Ti', pods: '100k' };

/**
 * A node that runs nothing and says it does, for measuring the control plane with more pods than a machine has room for: a pod of a Job has
 * succeeded and every other is ready at once. Needs no root.
 */
export async function startSimulatedNode(plane: ControlPlane): Promise<Node> {
  const connection = connect({ kubeconfig: plane.kubeconfig('admin') });
  if (!connection.ok) throw new Error(connection.problem.message);
  const clock = createSystemClock();
  const cluster = createCluster(connection.value, { clock, log: createLog('silent'), userAgent: 'simulated-node' });
  const made = await cluster.create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NAME, labels: { 'kubernetes.io/hostname': NAME, 'kubernetes.io/os': 'linux' } },
  });
  if (!made.ok) throw new Error(made.problem.message);
  const beat = (): Promise<unknown> =>
    cluster.mergePatch({ apiVersion: 'v1', kind: 'Node', name: NAME }, { status: nodeStatus(clock.now()) }, 'status');
  await beat();
  const beating = setInterval(() => void beat(), HEARTBEAT_MS);
  const pods = cluster.cache({ apiVersion: 'v1', kind: 'Pod', fieldSelector: `spec.nodeName=${NAME}` });
  const settle = async (pod: Manifest): Promise<void> => {
    const { name, namespace = '', deletionTimestamp } = pod.metadata;
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name };
    if (deletionTimestamp !== undefined)
      await plane.call('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`);
    else if ((pod.status as { phase?: string }).phase === 'Pending')
      await cluster.mergePatch(ref, { status: podStatus(pod, clock.now().toISOString()) }, 'status');
  };
  pods.onChange(({ type, object }) => {
    if (type !== 'deleted') void settle(object).catch(() => undefined);
  });
  return {
    stop: async () => {
      clearInterval(beating);
      await pods.stop();
      await connection.value.close();
    },
  };
}

function nodeStatus(now: Date): object {
  const at = now.toISOString();
  const condition = { type: 'Ready', status: 'True', reason: 'Simulated', lastHeartbeatTime: at };
  return { capacity: ROOM, allocatable: ROOM, conditions: [{ ...condition, lastTransitionTime: at }] };
}

function podStatus(pod: Manifest, at: string): object {
  const { containers } = pod.spec as {
    readonly containers: readonly { readonly name: string; readonly image: string }[];
  };
  const owners = (pod.metadata.ownerReferences ?? []) as readonly { readonly kind: string }[];
  const ends = owners.some(({ kind }) => kind === 'Job');
  const state = ends
    ? { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } }
    : { running: { startedAt: at } };
  return {
    phase: ends ? 'Succeeded' : 'Running',
    startTime: at,
    conditions: ['Initialized', 'PodScheduled', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: ends && type.endsWith('Ready') ? 'False' : 'True',
      lastTransitionTime: at,
    })),
    containerStatuses: containers.map(({ name, image }) => ({
      ...{ name, image, imageID: image, state },
      ...{ ready: !ends, started: !ends, restartCount: 0 },
    })),
  };
}
