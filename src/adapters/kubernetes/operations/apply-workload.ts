import { isMissing, isRaced, isRefusedWrite, type Manifest } from '../../../kernel/index.ts';
import {
  type DeploymentResult,
  parseWorkloadApply,
  type RunOptions,
  type WorkloadApply,
} from '../../../ports/cluster-operations/index.ts';
import { rightOn } from '../kinds.ts';
import { carriedSecrets, containerNames, wantedSecrets } from './apply-obstacles.ts';
import { configurationPatch } from './apply-patch.ts';
import { classify, denied, type StepFailure } from './classify.ts';
import { createWorkload } from './create-workload.ts';
import type { OperationDeps } from './deps.ts';
import { permitted } from './gate.ts';
import { configurationOf } from './read-workload.ts';
import { awaitRollout } from './rollout.ts';
import { type Run, runSteps } from './steps.ts';
import { deletesClaims, isManaged, objectOf } from './workload-kinds.ts';

type Deps = Pick<OperationDeps, 'api' | 'clock'> & { readonly pollMs?: number };

/** The name of the service in every step. */
const WORKLOAD = 'workload';

/**
 * Writes the image, command, args, env, and cpu and memory of named containers, and replicas and paused, onto a workload at the version it was
 * read at, and waits for a Deployment's rollout; with `create`, makes a Deployment instead (cluster operations 5). Only changed paths are
 * sent, so that whatever a configuration does not show keeps its exact bytes.
 */
export function applyWorkload(deps: Deps, input: unknown, options?: RunOptions): Promise<DeploymentResult> {
  return runSteps(deps, { parse: parseWorkloadApply, id: 'request' }, { input, options }, (request, run) =>
    request.create ? createWorkload(deps, request, run) : updateWorkload(deps, request, run),
  );
}

async function updateWorkload(deps: Deps, request: WorkloadApply, run: Run): Promise<void> {
  const { api } = deps;
  const { target, spec } = request;
  let live: Manifest | undefined;
  await run.step(WORKLOAD, 'precondition', async () => {
    const refusal = await permitted(api, rightOn(objectOf(target), 'patch'), run.context);
    if (refusal !== undefined) return refusal;
    const answer = await api.get(objectOf(target), run.context.signal);
    if (!answer.ok) return isMissing(answer.failure) ? denied('conflict') : classify(answer.failure, run.context);
    live = answer.value;
    return obstacleTo(request, live);
  });
  await run.step(WORKLOAD, 'apply', () => apply(deps, { request, live }, run));
  await run.step(WORKLOAD, 'rollout', async () => {
    if (target.kind !== 'deployment' || spec.paused === true) return 'skipped';
    return awaitRollout(deps, { namespace: target.namespace, name: target.name }, run.context);
  });
}

/** What of the object as it is now forbids the change, in the order of the reference. */
function obstacleTo({ target, resourceVersion, spec }: WorkloadApply, live: Manifest): StepFailure | undefined {
  if (isManaged(live)) return denied('application_managed');
  if (live.metadata.resourceVersion !== resourceVersion) return denied('conflict');
  const read = configurationOf(target, live);
  if (read.unsupported.length > 0) return denied('configuration_unreported');
  const carried = carriedSecrets(live);
  if (wantedSecrets(spec).some((reference) => !carried.has(reference))) return denied('secret_ref_refused');
  const isFewer = spec.replicas !== undefined && spec.replicas < (read.replicas ?? 0);
  if (target.kind === 'statefulset' && deletesClaims(live, 'whenScaled') && isFewer) return denied('pvc_retention');
  const unknown = (['containers', 'initContainers'] as const).some((list) => {
    const names = containerNames(live, list);
    return spec[list].some((container) => !names.has(container.name));
  });
  return unknown ? denied('conflict') : undefined;
}

async function apply(
  { api }: Deps,
  { request, live }: { readonly request: WorkloadApply; readonly live: Manifest | undefined },
  run: Run,
): Promise<StepFailure | undefined> {
  if (live === undefined) throw new Error('a workload is changed before it was read');
  await run.started();
  const body = configurationPatch(request.spec, live);
  const answer = await api.patch(objectOf(request.target), { type: 'strategic', body }, run.context.signal);
  if (answer.ok) return undefined;
  if (isRaced(answer.failure)) return denied('conflict');
  // The review allowed it, so a policy refused it.
  return isRefusedWrite(answer.failure) ? denied('admission_denied') : classify(answer.failure, run.context);
}
