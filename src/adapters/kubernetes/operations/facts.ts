import { type Facts, OPERATION_LIMITS } from '../../../ports/cluster-operations/index.ts';
import { clean } from './clean.ts';
import { openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';

const UNKNOWN = 'unknown';

/**
 * What an approver compares with the cluster they meant to enrol (cluster operations 7): always all four facts, `unknown` for what can not
 * be read within 20 s. A cluster of more than 500 nodes is counted to the end of the page that passes them.
 */
export async function facts(deps: Pick<OperationDeps, 'api' | 'clock'>, signal?: AbortSignal): Promise<Facts> {
  const context = openContext(deps.clock, OPERATION_LIMITS.callMs, signal);
  try {
    const [version, nodes] = await Promise.all([
      deps.api.version(context.signal),
      deps.api.list({ apiVersion: 'v1', kind: 'Node', stopAfter: OPERATION_LIMITS.nodes }, context.signal),
    ]);
    const said = (field: string): string =>
      (version.ok ? clean(version.value[field], OPERATION_LIMITS.shortBytes) : '') || UNKNOWN;
    return {
      runtime: 'kubernetes',
      server_version: said('gitVersion'),
      platform: said('platform'),
      node_count: nodes.ok ? String(nodes.value.items.length) : UNKNOWN,
    };
  } finally {
    context.end();
  }
}
