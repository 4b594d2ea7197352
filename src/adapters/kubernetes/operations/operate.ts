import { type Answer, type CallFailure, failureClass, isMissing, type Manifest } from '../../../kernel/index.ts';
import {
  ACTIONS,
  type Action,
  type Command,
  type CommandDetail,
  type CommandOutcome,
  OPERATION_ANNOTATIONS,
  OPERATION_LIMITS,
  parseWorkloadRef,
  type WorkloadRef,
} from '../../../ports/cluster-operations/index.ts';
import { rightOn } from '../kinds.ts';
import { type Context, openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';
import { replicasOf } from './snapshot-items.ts';
import { deletesClaims, isManaged, objectOf } from './workload-kinds.ts';

const DONE: CommandOutcome = { outcome: 'succeeded', detail: '' };

/**
 * Runs one action on a workload or a pod (cluster operations 11): what is wrong with the command itself without any call, then one access
 * review, one read and one write within 20 s and the command's deadline. A write is bound to what was read, so whatever changed or was
 * replaced meanwhile is a conflict. Which namespaces may be touched at all is the caller's to check.
 */
export async function operate(
  deps: Pick<OperationDeps, 'api' | 'clock'>,
  command: Command,
  signal?: AbortSignal,
): Promise<CommandOutcome> {
  const asked = understand(command);
  if ('detail' in asked) return asked;
  const context = openContext(deps.clock, timeFor(command, deps.clock.now()), signal);
  try {
    return await act(deps, asked, context);
  } finally {
    context.end();
  }
}

type Asked = { readonly action: Action; readonly ref: WorkloadRef; readonly replicas: number };

function understand(command: Command): Asked | CommandOutcome {
  const action = ACTIONS.find((known) => known === command.action);
  if (action === undefined) return denied('unsupported action');
  const ref = parseWorkloadRef(command.reference);
  if (!ref.ok) return denied('invalid_reference');
  const { kind } = ref.value;
  if ((kind === 'pod') !== (action === 'pod.delete')) return denied('unsupported');
  if (action !== 'workload.scale') return { action, ref: ref.value, replicas: 0 };
  if (kind === 'daemonset') return denied('unsupported');
  const replicas = command.expects?.replicas;
  const isCount = typeof replicas === 'number' && Number.isInteger(replicas);
  if (!isCount || replicas < 0 || replicas > OPERATION_LIMITS.replicas) return denied('replicas_out_of_range');
  return { action, ref: ref.value, replicas };
}

/** Milliseconds; a deadline nobody can read has passed. */
function timeFor({ deadline }: Command, now: Date): number {
  if (deadline === undefined) return OPERATION_LIMITS.callMs;
  const left = Date.parse(deadline) - now.getTime();
  return Number.isNaN(left) ? 0 : Math.min(left, OPERATION_LIMITS.callMs);
}

function denied(detail: CommandDetail): CommandOutcome {
  return { outcome: 'denied', detail };
}

async function act(
  deps: Pick<OperationDeps, 'api' | 'clock'>,
  asked: Asked,
  context: Context,
): Promise<CommandOutcome> {
  const { action, ref } = asked;
  const isDelete = action === 'workload.delete' || action === 'pod.delete';
  const review = await deps.api.review(rightOn(objectOf(ref), isDelete ? 'delete' : 'patch'), context.signal);
  if (!review.ok) return failure(review.failure, context, 'forbidden');
  if (!review.value) return denied('forbidden');
  const read = await deps.api.get(objectOf(ref), context.signal);
  if (!read.ok) return failure(read.failure, context, 'forbidden');
  const obstacle = obstacleTo(asked, read.value);
  if (obstacle !== undefined) return denied(obstacle);
  const written = await write(deps, asked, { live: read.value, context });
  if (written.ok || (isDelete && isMissing(written.failure))) return DONE;
  return failure(written.failure, context, 'admission_denied');
}

/** What of the live object forbids the action: the application it belongs to, or claims that would go with it. */
function obstacleTo({ action, ref, replicas }: Asked, live: Manifest): CommandDetail | undefined {
  const isStateful = ref.kind === 'statefulset';
  if (action === 'workload.scale' && isStateful && deletesClaims(live, 'whenScaled') && replicas < replicasOf(live))
    return 'pvc_retention';
  if (action !== 'workload.delete') return undefined;
  if (isManaged(live)) return 'application_managed';
  return isStateful && deletesClaims(live, 'whenDeleted') ? 'pvc_retention' : undefined;
}

async function write(
  { api, clock }: Pick<OperationDeps, 'api' | 'clock'>,
  { action, ref, replicas }: Asked,
  { live, context }: { readonly live: Manifest; readonly context: Context },
): Promise<Answer<unknown>> {
  const { uid = '', resourceVersion = '' } = live.metadata;
  const object = objectOf(ref);
  const patch = (spec: object): Promise<Answer<unknown>> =>
    api.patch(object, { type: 'merge', body: { metadata: { resourceVersion }, spec } }, context.signal);
  switch (action) {
    case 'workload.restart': {
      const annotations = { [OPERATION_ANNOTATIONS.restartedAt]: clock.now().toISOString() };
      return patch({ template: { metadata: { annotations } } });
    }
    case 'workload.scale':
      return patch({ replicas });
    case 'workload.delete':
      return api.delete(object, { uid, resourceVersion, propagation: 'Background' }, context.signal);
    case 'pod.delete':
      return api.delete(object, { uid, propagation: 'Background' }, context.signal);
  }
}

/** The word of a failed call, from the one classification; what a 403 means depends on whether it was a read or a write. */
function failure(failed: CallFailure, context: Context, on403: CommandDetail): CommandOutcome {
  const { status } = failed;
  if (status === 403) return denied(on403);
  const state = context.state();
  switch (failureClass(failed, state === 'live' ? undefined : state)) {
    case 'missing':
    case 'not_served':
      return denied('not_found');
    case 'conflict':
    case 'name_taken':
      return denied('conflict');
    case 'admission_denied':
      return denied('admission_denied');
    case 'timed_out':
      return { outcome: 'timed_out', detail: 'runtime_timeout' };
    case 'cancelled':
      return { outcome: 'unknown', detail: 'cancelled' };
    case 'unanswered':
      return { outcome: 'failed', detail: 'runtime_error' };
    default:
      return { outcome: 'failed', detail: `runtime_status ${status ?? 0}` };
  }
}
