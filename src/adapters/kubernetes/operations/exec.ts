import { at, fail, isMissing, ok, type Problem, problem, type Result, records } from '../../../kernel/index.ts';
import {
  type ExecSession,
  type ExecSpec,
  OPERATION_LIMITS,
  parseExecSpec,
} from '../../../ports/cluster-operations/index.ts';
import { baselineViolation } from './baseline.ts';
import { openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';
import { type ExecTimes, Session } from './exec-session.ts';
import { podSecurity } from './gate.ts';

const { callMs } = OPERATION_LIMITS;

export type ExecOptions = { readonly signal?: AbortSignal; readonly times?: Partial<ExecTimes> };

/**
 * Runs `argv` on a terminal in a container (cluster operations 10). Nothing is opened before the pod is the one meant (its UID, Running, with
 * that container: `exec_refused`), its namespace and the pod itself meet Pod Security baseline (`pod_security`), and the account may
 * (`forbidden`). Also `invalid_request`, `exec_unavailable`, `pod_not_found`, `exec_setup`. Neither argv nor output is logged.
 */
export async function openExec(
  deps: OperationDeps,
  spec: ExecSpec,
  { signal, times }: ExecOptions = {},
): Promise<Result<ExecSession>> {
  const valid = parseExecSpec(spec);
  if (!valid.ok) return valid;
  const { exec } = deps.streams;
  if (exec === undefined) return fail(problem('exec_unavailable'));
  const read = await readPod(deps, valid.value, signal);
  if (!read.ok) return read;
  const refused = await refusal(deps, { spec: valid.value, pod: read.value }, signal);
  if (refused !== undefined) return fail(refused);
  return start(deps, { exec, spec: valid.value, times }, signal);
}

async function readPod(deps: OperationDeps, { pod }: ExecSpec, signal?: AbortSignal): Promise<Result<unknown>> {
  const context = openContext(deps.clock, callMs, signal);
  try {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: pod.namespace, name: pod.name };
    const read = await deps.api.get(ref, context.signal);
    if (!read.ok) {
      if (isMissing(read.failure)) return fail(problem('pod_not_found'));
      return fail(failure(read.failure.status, 'the pod could not be read'));
    }
    const isMeant =
      read.value.metadata.uid === pod.uid &&
      at(read.value, 'status', 'phase') === 'Running' &&
      records(at(read.value, 'spec', 'containers')).some(({ name }) => name === pod.container);
    return isMeant ? ok(read.value) : fail(problem('exec_refused'));
  } finally {
    context.end();
  }
}

function failure(status: number | undefined, message: string): Problem {
  return status === 403 ? problem('forbidden') : problem('exec_refused', message, { cause: { status } });
}

/** Why the account or the rules of the cluster do not allow it; the question of rights comes last. */
async function refusal(
  deps: OperationDeps,
  { spec, pod }: { readonly spec: ExecSpec; readonly pod: unknown },
  signal?: AbortSignal,
): Promise<Problem | undefined> {
  const { namespace, name } = spec.pod;
  const context = openContext(deps.clock, callMs, signal);
  try {
    const gate = await podSecurity(deps.api, namespace, context.signal);
    if (!gate.passed) {
      return 'gap' in gate ? problem('pod_security') : failure(gate.failure.status, 'the namespace could not be read');
    }
    const violation = baselineViolation(pod);
    if (violation !== undefined) {
      deps.log.info('an exec was refused: the pod does not meet Pod Security baseline', {
        namespace,
        pod: name,
        violation,
      });
      return problem('pod_security');
    }
    // The stream is an upgraded GET: API servers ask for either verb, the newer ones for both.
    for (const verb of ['create', 'get']) {
      const right = { verb, group: '', resource: 'pods', subresource: 'exec', namespace, name } as const;
      const review = await deps.api.review(right, context.signal);
      if (!review.ok) return problem('exec_refused', 'the right to run commands could not be asked for');
      if (!review.value) return problem('forbidden');
    }
    return undefined;
  } finally {
    context.end();
  }
}

type Start = {
  readonly exec: NonNullable<OperationDeps['streams']['exec']>;
  readonly spec: ExecSpec;
  readonly times: Partial<ExecTimes> | undefined;
};

async function start(
  deps: OperationDeps,
  { exec, spec, times }: Start,
  signal?: AbortSignal,
): Promise<Result<ExecSession>> {
  const query = new URLSearchParams({ container: spec.pod.container, stdin: 'true', stdout: 'true', tty: 'true' });
  for (const argument of spec.argv) query.append('command', argument);
  const session = new Session(deps.clock, times);
  const context = openContext(deps.clock, callMs, signal);
  const opening = exec(spec.pod, query, {
    onFrame: (channel, data) => session.onFrame(channel, data),
    onGone: () => session.onGone(),
  });
  const ended = new Promise<'ended'>((resolve) => {
    if (context.signal.aborted) resolve('ended');
    context.signal.addEventListener('abort', () => resolve('ended'), { once: true });
  });
  try {
    const opened = await Promise.race([opening, ended]);
    if (opened === 'ended') {
      void opening.then((late) => (late.ok ? late.value.close() : undefined));
      return fail(context.state() === 'expired' ? problem('exec_setup') : problem('exec_closed'));
    }
    if (!opened.ok) return fail(failure(opened.failure.status, 'the stream to the container could not be opened'));
    session.start(opened.value);
    return ok(session);
  } finally {
    context.end();
  }
}
