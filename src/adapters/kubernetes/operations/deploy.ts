import { refKey, refOf } from '../../../kernel/index.ts';
import {
  type DeploymentRequest,
  type DeploymentResult,
  OPERATION_LIMITS,
  parseDeploymentRequest,
  type RunOptions,
} from '../../../ports/cluster-operations/index.ts';
import { classify } from './classify.ts';
import { openContext } from './context.ts';
import { createService } from './deploy-create.ts';
import { type Standing, standingOf } from './deploy-precondition.ts';
import { restoreService } from './deploy-restore.ts';
import type { OperationDeps } from './deps.ts';
import { discover } from './discover.ts';
import { permitted } from './gate.ts';
import { type Owner, refusedWrite, removeRead } from './owned.ts';
import { type RenderedService, renderDeployment } from './render.ts';
import { awaitRollout } from './rollout.ts';
import { type Run, runSteps, type StepEnd } from './steps.ts';

type Deps = Pick<OperationDeps, 'api' | 'clock'> & { readonly pollMs?: number };

/**
 * Applies each service's objects and waits for its rollout (cluster operations 6). First the precondition of every service, so that any
 * refusal leaves the cluster as it is; then `create` and `start` service by service; a failure leaves the services before as applied. Once
 * all have started, `prune` removes what the instance has no service for any more; after a `rollout_timeout`, `restore` puts that service
 * back to what it was. Claims are never changed or removed.
 */
export function deploy(deps: Deps, input: unknown, options?: RunOptions): Promise<DeploymentResult> {
  return runSteps(deps, { parse: parseDeploymentRequest, id: 'deployment' }, { input, options }, (request, run) =>
    deployAll(deps, request, run),
  );
}

async function deployAll(deps: Deps, request: DeploymentRequest, run: Run): Promise<void> {
  const { namespace, instanceId } = request.target;
  const owner: Owner = { api: deps.api, context: run.context, instanceId };
  const services = renderDeployment(request);
  const standings = new Map<string, Standing>();
  for (const [index, service] of services.entries())
    await run.step(service.service, 'precondition', async () => {
      const right = { verb: 'create', group: 'apps', resource: 'deployments', namespace } as const;
      const refusal = index === 0 ? await permitted(deps.api, right, run.context) : undefined;
      if (refusal !== undefined) return refusal;
      const stood = await standingOf(owner, service);
      if (!stood.ok) return stood.failure;
      standings.set(service.service, stood.value);
      return undefined;
    });
  for (const service of services) {
    const standing = standings.get(service.service) ?? { missingClaims: [] };
    await run.step(service.service, 'create', () => create(owner, { service, standing }, run));
    const end = await run.step(service.service, 'start', () =>
      awaitRollout(deps, { namespace, name: service.name, own: { claims: namesOf(service) } }, run.context),
    );
    if (end !== undefined && end !== 'skipped' && end.code === 'rollout_timeout')
      await restore(deps, { request, service, standing }, run);
  }
  const last = services.at(-1)?.service ?? '';
  await run.step(last, 'prune', () => prune(owner, { namespace, services }));
}

function namesOf(service: RenderedService): readonly string[] {
  return service.claims.map((claim) => claim.metadata.name);
}

type Pair = { readonly service: RenderedService; readonly standing: Standing };

async function create(owner: Owner, pair: Pair, run: Run): Promise<StepEnd> {
  const { failure, deployment } = await createService(owner, pair, run);
  if (failure !== undefined || deployment === undefined) return failure;
  const { service, name, imageDigest } = pair.service;
  const { namespace = '', uid = '', generation = 0 } = deployment.metadata;
  run.deployed({ service, kind: 'Deployment', namespace, name, uid, generation, imageDigest });
  return undefined;
}

async function restore(
  { api, clock }: Deps,
  { request, service, standing }: Pair & { readonly request: DeploymentRequest },
  run: Run,
): Promise<void> {
  // The time of the run is over as a rule; putting back gets its own.
  const context = openContext(clock, OPERATION_LIMITS.callMs, run.caller);
  try {
    const owner: Owner = { api, context, instanceId: request.target.instanceId };
    const failure = await restoreService(owner, { service, standing, deployment: request.deployment });
    run.record(service.service, 'restore', failure);
    if (failure === undefined) run.undone(service.service);
  } finally {
    context.end();
  }
}

/** Removes the instance's objects of services the request does not have. */
async function prune(
  owner: Owner,
  { namespace, services }: { readonly namespace: string; readonly services: readonly RenderedService[] },
): Promise<StepEnd> {
  const discovery = await discover(owner, namespace);
  if (!discovery.ok) return classify(discovery.failure, owner.context);
  const planned = new Set(
    services.flatMap(({ configMap, secret, deployment, network }) =>
      [configMap, secret, deployment, network].flatMap((one) => (one === undefined ? [] : [refKey(refOf(one))])),
    ),
  );
  const stale = discovery.found.filter(({ object }) => !planned.has(refKey(refOf(object))));
  if (stale.length === 0) return 'skipped';
  for (const { object } of stale) {
    const failure = await removeRead(owner, object, 'Foreground');
    if (failure !== undefined) return refusedWrite(owner, { wanted: object, verb: 'delete' }, failure);
  }
  return undefined;
}
