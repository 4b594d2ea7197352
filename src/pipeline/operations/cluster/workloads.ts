import type { Principal } from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { ClusterApiOperations, OutcomeAnswer, RequestInfo } from '../../../ports/api/index.ts';
import { formatWorkloadRef, type WorkloadRef } from '../../../ports/cluster-operations/index.ts';
import { audited } from '../audited.ts';
import { type ClusterDeps, clusterAdmin } from './context.ts';
import { granted } from './grants.ts';

type Named = 'read' | 'restart' | 'scale' | 'remove' | 'inspect';

/** The Lease of whoever carries out a command; there is one at a time (cluster operations 18b). */
const COMMAND_LEASE = 'cluster-command';

/** Any workload of the cluster, whoever made it; an administrator's, and on record whether it came to a change or not. */
export function workloadOperations(deps: ClusterDeps): Pick<ClusterApiOperations, Named> {
  return {
    read: async (principal, target) => {
      const may = clusterAdmin(principal);
      if (!may.ok) return may;
      const { namespace, kind, name } = target;
      const read = await deps.operations.readWorkload({ namespace, kind, name });
      return read.ok && read.value.managed ? fail(problem('application_managed')) : read;
    },
    inspect: async (principal, target) => {
      const may = clusterAdmin(principal);
      return may.ok ? deps.operations.inspect(target) : may;
    },
    restart: (principal, target, info) =>
      operate(deps, { principal, info }, { target, action: 'workload.restart', record: 'workload.restart' }),
    scale: (principal, { replicas, ...target }, info) =>
      operate(deps, { principal, info }, { target, action: 'workload.scale', record: 'workload.scale', replicas }),
    remove: async (principal, { confirm_name: confirmed, ...target }, info) => {
      const may = clusterAdmin(principal);
      if (!may.ok) return may;
      if (confirmed !== target.name)
        return fail(problem('invalid_request', 'is not the name of the workload', { at: 'confirm_name' }));
      const action = target.kind === 'pod' ? 'pod.delete' : 'workload.delete';
      return operate(deps, { principal, info }, { target, action, record: action });
    },
  };
}

type By = { readonly principal: Principal; readonly info: RequestInfo };
type Action = {
  readonly target: WorkloadRef;
  readonly action: string;
  readonly record: string;
  readonly replicas?: number;
};

async function operate(deps: ClusterDeps, by: By, wanted: Action): Promise<Result<OutcomeAnswer>> {
  const may = clusterAdmin(by.principal);
  if (!may.ok) return may;
  const { target, action, record, replicas } = wanted;
  const place = granted(deps, target.namespace);
  if (!place.ok) return place;
  const lease = await deps.leases.acquire(COMMAND_LEASE);
  if (!lease.ok)
    return lease.problem.code === 'lease_held' ? fail(problem('cluster_busy', undefined, { afterMs: 1000 })) : lease;
  const command = {
    id: by.info.id,
    action,
    reference: formatWorkloadRef(target),
    ...(replicas === undefined ? {} : { expects: { replicas } }),
  };
  const done = await deps.operations.operate(command, lease.value.signal).finally(() => lease.value.release());
  await audited(deps, by, {
    action: record,
    resource: resourceOf(target),
    after: { ...done, replicas: replicas ?? null },
  });
  return done.detail === 'application_managed' ? fail(problem('application_managed')) : ok(done);
}

/** What the audit trail calls a workload. */
export function resourceOf({ kind, namespace, name }: WorkloadRef): { readonly kind: string; readonly name: string } {
  const words = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet', pod: 'Pod' } as const;
  return { kind: words[kind], name: `${namespace}/${name}` };
}
