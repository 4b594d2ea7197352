import { hostname } from 'node:os';
import { createLeases } from '../adapters/kubernetes/index.ts';
import { createClusterRunStore } from '../adapters/store/index.ts';
import { createRunKeeper, type OperationsDeps } from '../pipeline/operations/index.ts';
import type { Foundation } from './foundation.ts';

/** What an API needs so that its runs are done once, whatever else answers requests beside it. `key` is the installation's own. */
export function openRuns(
  { cluster, config, clock, random, log }: Foundation,
  key: string,
): Pick<OperationsDeps, 'leases' | 'runs' | 'namespaces'> {
  const { namespace, leaseSeconds, operationNamespaces } = config;
  const holder = `${hostname()}-${random.hex(6)}`;
  const leases = createLeases(cluster, { namespace, holder, durationMs: leaseSeconds * 1000, clock, log });
  const runs = createRunKeeper({ runs: createClusterRunStore({ cluster, namespace, log }), leases, clock, log, key });
  return { leases, runs, namespaces: { granted: operationNamespaces, control: namespace } };
}
