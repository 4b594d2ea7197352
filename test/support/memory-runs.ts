import { ok } from '../../src/kernel/index.ts';
import type { ClusterRun, ClusterRunCollection } from '../../src/ports/index.ts';
import { memoryCollection } from './memory-collection.ts';

export type MemoryRuns = ClusterRunCollection & Pick<ReturnType<typeof memoryCollection<ClusterRun>>, 'items'>;

/** The runs on record, in memory. */
export function memoryRuns(): MemoryRuns {
  const collection = memoryCollection<ClusterRun>();
  return {
    ...collection,
    all: async () =>
      ok(
        [...collection.items.values()].sort((a, b) => Date.parse(b.spec.requestedAt) - Date.parse(a.spec.requestedAt)),
      ),
  };
}
