import { type ClusterObservation, type Problem, problem } from '../../kernel/index.ts';
import type { Application } from '../../spec/index.ts';
import { attachAll, type ClaimsOf, claimsOfService } from './claims.ts';
import { isOtherArchitecture } from './nodes.ts';

/**
 * Refuses a service whose one node can not take it, whatever its room: the node is missing, not ready or cordoned, has another architecture,
 * or can not use a volume the service already has (facts 11.4). One problem per service.
 */
export function pinProblems(
  application: Application,
  cluster: ClusterObservation,
  claims: ClaimsOf,
): readonly Problem[] {
  // No node at all is what the check of nodes speaks of.
  if (cluster.nodes.length === 0) return [];
  return Object.entries(application.services)
    .filter(([, { node_name }]) => node_name !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, service]): readonly Problem[] => {
      const node = cluster.nodes.find((one) => one.name === service.node_name);
      const refuse = (message: string): readonly Problem[] => [
        problem('delivery_unavailable', message, { at: `services.${name}.node_name` }),
      ];
      if (node === undefined) return refuse('the cluster has no node of this name');
      if (!node.ready) return refuse('the node is not ready');
      if (node.unschedulable) return refuse('the node is cordoned');
      if (isOtherArchitecture(node, service)) return refuse('the node has another architecture than the service');
      const existing = claimsOfService(application, name, claims);
      return attachAll(node, existing) ? [] : refuse('a volume the service already has can not be used on this node');
    });
}
