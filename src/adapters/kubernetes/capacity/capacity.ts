import {
  at,
  type ClusterObservation,
  fail,
  LIMITS,
  type Manifest,
  type ObservedNode,
  ok,
  type Problem,
  problem,
  type Result,
  text,
} from '../../../kernel/index.ts';
import type { Clock, Cluster, ClusterCapacity } from '../../../ports/index.ts';
import type { Client } from '../client.ts';
import type { KubeConnection } from '../connection.ts';
import { eachPage } from '../list.ts';
import { isDefaultClass } from '../operations/snapshot-items.ts';
import { readClaims } from './claims.ts';
import { freeDisks, isTooLittle } from './disks.ts';
import { nodeOf } from './nodes.ts';
import { PlacedSum } from './pod-requests.ts';

export type CapacityOptions = {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly cluster: Pick<Cluster, 'get' | 'list'>;
  /** Milliseconds one reading serves everybody who asks; 0 reads each time. */
  readonly keepMs?: number;
  /** The same for free disk space, which costs a request to a kubelet. */
  readonly keepDisksMs?: number;
  /** Milliseconds a reading may take in all (facts 11.1: 10 s). */
  readonly budgetMs?: number;
};

const KEEP_MS = 3000;
const KEEP_DISKS_MS = 60_000;
const ACTIVE = 'status.phase!=Succeeded,status.phase!=Failed';

/**
 * The `ClusterCapacity` port over one connection. Many releases at once share one reading, so a preflight costs a push a few calls at most.
 */
export function createClusterCapacity(connection: KubeConnection, options: CapacityOptions): ClusterCapacity {
  const { clock, userAgent, cluster, keepMs = KEEP_MS, keepDisksMs = KEEP_DISKS_MS } = options;
  const { budgetMs = LIMITS.preflightMs } = options;
  const client: Client = { connection, clock, userAgent, timeoutMs: budgetMs };
  let disks: { readonly at: number; readonly free: ReadonlyMap<string, number> } | undefined;
  let reading: { readonly at: number; readonly result: Promise<Result<ClusterObservation>> } | undefined;
  const read = async (): Promise<Result<ClusterObservation>> => {
    const signal = AbortSignal.timeout(budgetMs);
    const observed = await observe(client, signal, async (nodes) => {
      const now = clock.now().getTime();
      if (disks !== undefined && now - disks.at < keepDisksMs) return disks.free;
      const free = await freeDisks(client, nodes, signal);
      // Whoever makes room on a full disk wants to deploy at once.
      disks = isTooLittle(free) ? undefined : { at: now, free };
      return free;
    });
    // What failed is not worth keeping.
    if (!observed.ok) reading = undefined;
    return observed;
  };
  return {
    observe: () => {
      const now = clock.now().getTime();
      if (reading === undefined || now - reading.at >= keepMs) reading = { at: now, result: read() };
      return reading.result;
    },
    claims: (namespace, signal) => {
      const budget = AbortSignal.timeout(budgetMs);
      return readClaims(cluster, namespace, signal === undefined ? budget : AbortSignal.any([budget, signal]));
    },
  };
}

async function observe(
  client: Client,
  signal: AbortSignal,
  disksOf: (nodes: readonly ObservedNode[]) => Promise<ReadonlyMap<string, number>>,
): Promise<Result<ClusterObservation>> {
  const observedAt = client.clock.now();
  const nodes = await bounded(client, { kind: 'Node', most: LIMITS.preflightNodes, what: 'nodes', signal });
  if (!nodes.ok) return nodes;
  const observed = nodes.value.map(nodeOf);
  const [free, placed, classes] = await Promise.all([
    disksOf(observed),
    placedOn(client, signal),
    bounded(client, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      most: LIMITS.preflightStorageClasses,
      what: 'storage classes',
      signal,
    }),
  ]);
  if (!placed.ok) return placed;
  if (!classes.ok) return classes;
  return ok({
    observedAt,
    nodes: observed.map((node) => {
      const freeDiskBytes = free.get(node.name);
      return freeDiskBytes === undefined ? node : { ...node, freeDiskBytes };
    }),
    placed: placed.value,
    storageClasses: classes.value.map((one) => ({
      name: one.metadata.name,
      provisioner: text(at(one, 'provisioner')) ?? '',
      isDefault: isDefaultClass(one),
    })),
  });
}

function tooMany(what: string, most: number): Problem {
  return problem('delivery_unavailable', `the cluster has more than ${most} ${what}, which are too many to check`);
}

async function bounded(
  client: Client,
  list: {
    readonly apiVersion?: string;
    readonly kind: string;
    readonly most: number;
    readonly what: string;
    readonly signal: AbortSignal;
  },
): Promise<Result<readonly Manifest[]>> {
  const { apiVersion = 'v1', kind, most, what, signal } = list;
  const items: Manifest[] = [];
  const read = await eachPage(
    client,
    { apiVersion, kind },
    {
      signal,
      visit: (page) => {
        items.push(...page);
        return items.length > most ? 'stop' : undefined;
      },
    },
  );
  if (!read.ok) return read;
  return items.length > most ? fail(tooMany(what, most)) : ok(items);
}

async function placedOn(client: Client, signal: AbortSignal): Promise<Result<ClusterObservation['placed']>> {
  const sum = new PlacedSum();
  let pods = 0;
  const read = await eachPage(
    client,
    { apiVersion: 'v1', kind: 'Pod', fieldSelector: ACTIVE },
    {
      signal,
      visit: (page) => {
        pods += page.length;
        for (const pod of page) sum.add(pod);
        return pods > LIMITS.preflightPods ? 'stop' : undefined;
      },
    },
  );
  if (!read.ok) return read;
  return pods > LIMITS.preflightPods ? fail(tooMany('active pods', LIMITS.preflightPods)) : ok(sum.all());
}
