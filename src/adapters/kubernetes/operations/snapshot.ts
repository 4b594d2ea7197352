import type { Manifest } from '../../../kernel/index.ts';
import {
  OPERATION_LIMITS,
  SNAPSHOT_LISTS,
  type Snapshot,
  type TruncatedList,
} from '../../../ports/cluster-operations/index.ts';
import { clamp } from './clamp.ts';
import { clean } from './clean.ts';
import { openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';
import { containerCount } from './pod-containers.ts';
import {
  claimItem,
  namespaceItem,
  nodeItem,
  podItem,
  serviceItem,
  storageClassItem,
  workloadItem,
} from './snapshot-items.ts';

const LIMITS = OPERATION_LIMITS;
const { shortBytes } = LIMITS;

/**
 * The inventory of the cluster (cluster operations 14): nine lists and the version, all at once, each with 20 s of its own, so that a slow
 * API server costs the slowest list and not the sum. Never fails: a list that can not be read is empty and named in `truncated`.
 */
export async function snapshot(
  deps: Pick<OperationDeps, 'api' | 'clock' | 'log'>,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const truncated = new Set<TruncatedList>();
  const list = async (
    kind: string,
    named: { readonly list: TruncatedList; readonly cap: number; readonly apiVersion?: string },
  ): Promise<readonly Manifest[]> => {
    const context = openContext(deps.clock, LIMITS.callMs, signal);
    const query = { apiVersion: named.apiVersion ?? 'v1', kind, stopAfter: named.cap };
    const answer = await deps.api.list(query, context.signal);
    context.end();
    if (answer.ok) return answer.value.items;
    truncated.add(named.list);
    deps.log.warn('a list of the inventory could not be read', { kind, status: answer.failure.status });
    return [];
  };
  const workloads = { list: 'workloads', cap: LIMITS.workloads, apiVersion: 'apps/v1' } as const;
  const storage = { list: 'storage_classes', cap: LIMITS.storageClasses, apiVersion: 'storage.k8s.io/v1' } as const;
  const [engine, nodes, namespaces, deployments, statefulSets, daemonSets, pods, services, claims, classes] =
    await Promise.all([
      engineOf(deps, signal),
      list('Node', { list: 'nodes', cap: LIMITS.nodes }),
      list('Namespace', { list: 'namespaces', cap: LIMITS.namespaces }),
      list('Deployment', workloads),
      list('StatefulSet', workloads),
      list('DaemonSet', workloads),
      list('Pod', { list: 'pods', cap: LIMITS.pods }),
      list('Service', { list: 'services', cap: LIMITS.snapshotServices }),
      list('PersistentVolumeClaim', { list: 'claims', cap: LIMITS.snapshotClaims }),
      list('StorageClass', storage),
    ]);
  if (pods.some((pod) => containerCount(pod) > LIMITS.podContainers)) truncated.add('pods');
  return clamp({
    engine,
    nodes: sorted(nodes.map(nodeItem)),
    namespaces: sorted(namespaces.map(namespaceItem)),
    workloads: sorted([
      ...deployments.map((one) => workloadItem('Deployment', one)),
      ...statefulSets.map((one) => workloadItem('StatefulSet', one)),
      ...daemonSets.map((one) => workloadItem('DaemonSet', one)),
    ]),
    pods: sorted(pods.map(podItem)),
    services: sorted(services.map(serviceItem)),
    claims: sorted(claims.map(claimItem)),
    storageClasses: sorted(classes.map(storageClassItem)),
    truncated: SNAPSHOT_LISTS.filter((name) => truncated.has(name)),
  });
}

async function engineOf(deps: Pick<OperationDeps, 'api' | 'clock'>, signal?: AbortSignal): Promise<Snapshot['engine']> {
  const context = openContext(deps.clock, LIMITS.callMs, signal);
  const answer = await deps.api.version(context.signal);
  context.end();
  if (!answer.ok) return { runtime: 'kubernetes' };
  const { gitVersion, major, minor, platform } = answer.value;
  const [os = '', arch = ''] = clean(platform, shortBytes).split('/');
  return {
    runtime: 'kubernetes',
    version: clean(gitVersion, shortBytes),
    apiVersion: clean(`${String(major)}.${String(minor)}`, shortBytes),
    os,
    arch,
  };
}

type Named = { readonly namespace?: string; readonly name: string; readonly kind?: string };

/** By namespace, name and kind, in the order of their code units. */
function sorted<T extends Named>(items: readonly T[]): readonly T[] {
  const keys: readonly (keyof Named)[] = ['namespace', 'name', 'kind'];
  return [...items].sort((a, b) => {
    for (const key of keys) {
      const [left = '', right = ''] = [a[key], b[key]];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  });
}
