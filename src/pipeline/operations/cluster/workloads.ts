import type { Principal } from '../../../access/index.ts';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import {
  type ClusterApiOperations,
  fromSnake,
  type OutcomeAnswer,
  type RequestInfo,
} from '../../../ports/api/index.ts';
import { formatWorkloadRef, type WorkloadRef } from '../../../ports/cluster-operations/index.ts';
import { audited } from '../audited.ts';
import { type ClusterDeps, clusterAdmin } from './context.ts';

type Named = 'read' | 'apply' | 'restart' | 'scale' | 'remove' | 'inspect';

/** Any workload of the cluster, whoever made it; an administrator's, and on record whether it came to a change or not. */
export function workloadOperations(deps: ClusterDeps): Pick<ClusterApiOperations, Named> {
  return {
    read: async (principal, target) => {
      const may = clusterAdmin(principal);
      if (!may.ok) return may;
      return deps.operations.readWorkload({ namespace: target.namespace, kind: target.kind, name: target.name });
    },
    inspect: async (principal, target) => {
      const may = clusterAdmin(principal);
      return may.ok ? deps.operations.inspect(target) : may;
    },
    apply: (principal, input, info) => apply(deps, { principal, info }, input),
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
  const done = await deps.operations.operate({
    id: by.info.id,
    action,
    reference: formatWorkloadRef(target),
    ...(replicas === undefined ? {} : { expects: { replicas } }),
  });
  await audited(deps, by, {
    action: record,
    resource: resourceOf(target),
    after: { ...done, replicas: replicas ?? null },
  });
  return ok(done);
}

/** Of the adapter's request the person names the configuration; who asks and when is ours to say. */
async function apply(
  deps: ClusterDeps,
  by: By,
  input: Parameters<ClusterApiOperations['apply']>[1],
): ReturnType<ClusterApiOperations['apply']> {
  const may = clusterAdmin(by.principal);
  if (!may.ok) return may;
  const { namespace, kind, name, create } = input;
  const target = { namespace, kind, name };
  const spec = fromSnake(input.configuration) as Readonly<Record<string, unknown>>;
  const { observedAt: _, ...wanted } = spec;
  const now = deps.clock.now();
  const done = await deps.operations.applyWorkload({
    request: uuidOf(deps.random.hex(16)),
    endpoint: 'hakopod',
    issuedAt: now.toISOString(),
    deadline: new Date(now.getTime() + input.timeout_seconds * 1000).toISOString(),
    target,
    resourceVersion: wanted.resourceVersion,
    spec: wanted,
    create,
  });
  if (done.code === 'invalid_request')
    return fail(problem('invalid_request', 'is not a configuration of this workload', { at: 'configuration' }));
  // The configuration may hold what somebody should have made a secret; not even its digest is kept.
  const after = { outcome: done.outcome, code: done.code ?? null };
  await audited(deps, by, {
    action: create ? 'workload.create' : 'workload.apply',
    resource: resourceOf(target),
    after,
  });
  return ok(done);
}

/** 32 hex digits in the form of a random UUID (RFC 9562, version 4). */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const text = `${hex.slice(0, 12)}4${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`;
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

function resourceOf({ kind, namespace, name }: WorkloadRef) {
  const words = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet', pod: 'Pod' } as const;
  return { kind: words[kind], name: `${namespace}/${name}` };
}
