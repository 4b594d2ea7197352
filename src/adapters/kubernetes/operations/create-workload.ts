import {
  fail,
  isMissing,
  isRaced,
  isRefusedWrite,
  type Manifest,
  ok,
  problem,
  type Result,
} from '../../../kernel/index.ts';
import {
  OPERATION_LABELS,
  OPERATION_LIMITS,
  type WorkloadApply,
  type WorkloadContainer,
} from '../../../ports/cluster-operations/index.ts';
import { entrySource } from './apply-patch.ts';
import { classify, denied, type StepFailure } from './classify.ts';
import type { OperationDeps } from './deps.ts';
import { permitted } from './gate.ts';
import { awaitRollout } from './rollout.ts';
import { readRunManifest } from './run-manifest.ts';
import type { Run } from './steps.ts';
import { objectOf } from './workload-kinds.ts';

type Deps = Pick<OperationDeps, 'api' | 'clock'> & { readonly pollMs?: number };

const WORKLOAD = 'workload';

/** Makes a Deployment that is nobody's application, and waits for it; never changes one that is there (cluster operations 5). */
export async function createWorkload(deps: Deps, request: WorkloadApply, run: Run): Promise<void> {
  const { namespace, name } = request.target;
  const right = { verb: 'create', group: 'apps', resource: 'deployments', namespace } as const;
  await run.step(WORKLOAD, 'precondition', async () => {
    const refusal = await permitted(deps.api, right, run.context);
    if (refusal !== undefined) return refusal;
    const answer = await deps.api.get(objectOf(request.target), run.context.signal);
    if (answer.ok) return denied('name_taken', `Deployment/${name}`);
    return isMissing(answer.failure) ? undefined : classify(answer.failure, run.context);
  });
  await run.step(WORKLOAD, 'create', () => create(deps, request, run));
  await run.step(WORKLOAD, 'rollout', () => awaitRollout(deps, { namespace, name }, run.context));
}

async function create({ api }: Deps, request: WorkloadApply, run: Run): Promise<StepFailure | undefined> {
  const body = bodyOf(request);
  if (!body.ok) return denied('configuration_unreported');
  await run.started();
  const answer = await api.create(body.value, run.context.signal);
  if (answer.ok) return undefined;
  const { status } = answer.failure;
  if (isRaced(answer.failure)) return denied('name_taken', `Deployment/${request.target.name}`);
  if (isRefusedWrite(answer.failure)) return denied('admission_denied');
  // Writes of ours are strict: a field the server does not know is the manifest's fault.
  if (status === 400 && request.spec.runManifest !== undefined) return denied('configuration_unreported');
  return classify(answer.failure, run.context);
}

function bodyOf(request: WorkloadApply): Result<Manifest> {
  const { runManifest } = request.spec;
  if (runManifest !== undefined) return readRunManifest(runManifest, request);
  // The schema lets every configuration in; one without replicas has no number to render.
  return request.spec.replicas === undefined ? fail(problem('invalid_request')) : ok(renderRun(request));
}

/** The Deployment of a create. Not managed by us, so that it stays editable. Pure. */
export function renderRun({ target, spec }: WorkloadApply): Manifest {
  const { namespace, name } = target;
  const labels = {
    [OPERATION_LABELS.name]: name,
    [OPERATION_LABELS.instanceName]: name,
    [OPERATION_LABELS.run]: name,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.replicas,
      strategy: { type: spec.strategy === '' ? 'RollingUpdate' : spec.strategy },
      progressDeadlineSeconds: OPERATION_LIMITS.progressDeadlineSeconds,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Always',
          automountServiceAccountToken: false,
          containers: spec.containers.map(renderContainer),
        },
      },
    },
  };
}

function renderContainer({ name, image, command, args, env, resources }: WorkloadContainer): object {
  const variables = env.map((entry) => {
    const source = entrySource(entry);
    if (source === undefined) return { name: entry.name, value: entry.value ?? '' };
    return { name: entry.name, valueFrom: { [source.field]: source.reference } };
  });
  const amounts = Object.entries(resources).flatMap(([kind, values]) => {
    const set = Object.entries(values).filter(([, value]) => value !== '');
    return set.length === 0 ? [] : [[kind, Object.fromEntries(set)] as const];
  });
  return {
    name,
    image,
    ...(command.length === 0 ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...(variables.length === 0 ? {} : { env: variables }),
    ...(amounts.length === 0 ? {} : { resources: Object.fromEntries(amounts) }),
  };
}
