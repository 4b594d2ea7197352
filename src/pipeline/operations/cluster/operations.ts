import { ok } from '../../../kernel/index.ts';
import type { ClusterApiOperations } from '../../../ports/api/index.ts';
import { clusterHealth } from '../../../ports/cluster-operations/index.ts';
import { type ClusterDeps, clusterAdmin } from './context.ts';
import { runOperations } from './run-operations.ts';
import { servicePodOperations } from './services.ts';
import { workloadOperations } from './workloads.ts';

/** What is done in the cluster itself, over the API. */
export function clusterOperations(deps: ClusterDeps): ClusterApiOperations {
  return {
    ...servicePodOperations(deps),
    ...workloadOperations(deps),
    ...runOperations(deps),
    facts: async (principal) => {
      const may = clusterAdmin(principal);
      return may.ok ? ok(await deps.operations.facts()) : may;
    },
    workloads: async (principal) => {
      const may = clusterAdmin(principal);
      if (!may.ok) return may;
      const snapshot = await deps.operations.snapshot();
      return ok({ health: clusterHealth(snapshot), ...snapshot });
    },
    manifest: async (principal, request) => {
      const may = clusterAdmin(principal);
      return may.ok ? deps.manifest(request) : may;
    },
  };
}
