import { type Manifest, quantityNumber } from '../../kernel/index.ts';
import { at } from './objects.ts';

/**
 * What a kubelet says of its node (`stats/summary`), as far as anybody here asks: nothing is ever written to a simulated disk, so all of it
 * is free. A test fills the disk by saying that less can be allocated.
 */
export function nodeStatistics(node: Manifest): object {
  const availableBytes = quantityNumber(at(node, 'status', 'allocatable', 'ephemeral-storage') ?? 0);
  const fs = { availableBytes };
  return { node: { nodeName: node.metadata.name, fs, runtime: { imageFs: fs } }, pods: [] };
}
