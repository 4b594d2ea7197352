import { at, count, isEligible, LIMITS, type ObservedNode } from '../../../kernel/index.ts';
import { type Client, call } from '../client.ts';
import { singleCollection } from '../kinds.ts';

/** Nodes asked at once. */
const TOGETHER = 8;
/** A kubelet that takes longer is left out: not knowing is a warning, waiting is not worth the plan's time. */
const KUBELET_MS = 3000;

/**
 * Free disk space by node, from kubelets' statistics (facts 11.3). Only nodes where pods are placed are asked, a few at a time, and none any
 * more once one has enough. What can not be read is left out: statistics need the right `get nodes/proxy`, which a cautious operator does
 * not give.
 */
export async function freeDisks(
  client: Client,
  nodes: readonly ObservedNode[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  const asked = nodes.filter(isEligible);
  const quick = { ...client, timeoutMs: KUBELET_MS };
  for (let first = 0; first < asked.length && !signal.aborted; first += TOGETHER) {
    const answers = await Promise.all(
      asked
        .slice(first, first + TOGETHER)
        .map(async ({ name }) => ({ name, free: await freeDisk(quick, name, signal) })),
    );
    for (const { name, free } of answers) if (typeof free === 'number') known.set(name, free);
    // The right is the same for every node.
    if (hasEnough(known) || answers.some(({ free }) => free === 'forbidden')) break;
  }
  return known;
}

function hasEnough(known: ReadonlyMap<string, number>): boolean {
  return [...known.values()].some((bytes) => bytes >= LIMITS.diskBytes);
}

/** Whether disks are known, and none of them has enough. */
export function isTooLittle(known: ReadonlyMap<string, number>): boolean {
  return known.size > 0 && !hasEnough(known);
}

/** Bytes, `forbidden`, or `undefined` when the node does not say. */
async function freeDisk(client: Client, node: string, signal: AbortSignal): Promise<number | 'forbidden' | undefined> {
  const target = singleCollection({ apiVersion: 'v1', kind: 'Node' });
  if (!target.ok) return undefined;
  const path = `${target.value.path}/${encodeURIComponent(node)}/proxy/stats/summary`;
  const answer = await call(client, { verb: 'get', target: target.value, method: 'GET', path, signal });
  if (!answer.ok) return answer.failure.status === 403 ? 'forbidden' : undefined;
  return freeBytes(answer.value);
}

/** The smaller of what is free for pods and for images; runtimes that keep both on one file system may name it once. */
export function freeBytes(summary: unknown): number | undefined {
  const own = count(at(summary, 'node', 'fs', 'availableBytes'));
  const images = count(at(summary, 'node', 'runtime', 'imageFs', 'availableBytes'));
  return own === undefined ? undefined : Math.min(own, images ?? own);
}
