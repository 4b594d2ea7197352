import {
  type DeploymentResult,
  OPERATION_LABELS,
  OPERATION_LIMITS,
  parseRemovalRequest,
  type RemovalRequest,
  type RunOptions,
} from '../../../ports/cluster-operations/index.ts';
import { classify } from './classify.ts';
import type { OperationDeps } from './deps.ts';
import { discover, type Found, serviceOf } from './discover.ts';
import { objectNames, secretName } from './names.ts';
import { type Owner, removeRead } from './owned.ts';
import { type Run, runSteps, type StepEnd } from './steps.ts';

type Deps = Pick<OperationDeps, 'api' | 'clock' | 'log'>;

/**
 * Deletes an instance's objects, service by service, and keeps its claims (cluster operations 13). What has not the instance's label is never
 * touched; every delete is bound to the object read, so one recreated by someone else survives. The end of the deletion is not awaited.
 */
export function remove(deps: Deps, input: unknown, options?: RunOptions): Promise<DeploymentResult> {
  return runSteps(deps, { parse: parseRemovalRequest, id: 'deployment' }, { input, options }, (request, run) =>
    removeAll(deps, request, run),
  );
}

async function removeAll({ api, log }: Deps, request: RemovalRequest, run: Run): Promise<void> {
  const { namespace, instanceId } = request.target;
  const owner: Owner = { api, context: run.context, instanceId };
  const [first = '', ...others] = request.services;
  let found: readonly Found[] = [];
  let claims: readonly Found[] = [];
  await run.step(first, 'precondition', async () => {
    const read = await readAll(owner, request);
    if ('failure' in read) return read.failure;
    ({ found, claims } = read);
    return undefined;
  });
  const unnamed = [...found, ...claims].map((one) => one.service);
  const rest = [...new Set([...others, ...unnamed])].filter((service) => service !== first).sort();
  for (const service of [first, ...rest]) {
    if (service !== first) await run.step(service, 'precondition', async () => undefined);
    const mine = found.filter((one) => one.service === service);
    await run.step(service, 'remove', () => removeService(owner, mine, run));
  }
  for (const { service } of claims.slice(0, OPERATION_LIMITS.retainedClaims))
    run.record(service, 'volume', 'skipped', 'retained');
  if (claims.length > OPERATION_LIMITS.retainedClaims)
    log.info('claims of a removed instance are kept', { namespace, claims: claims.length });
}

type ReadAll = { readonly found: readonly Found[]; readonly claims: readonly Found[] };

/** Every read of the removal: one that fails deletes nothing. */
async function readAll(
  owner: Owner,
  request: RemovalRequest,
): Promise<ReadAll | { readonly failure: Exclude<StepEnd, 'skipped' | undefined> }> {
  const { namespace, instanceId } = request.target;
  const names = objectNames(request.project, request.services);
  const guesses = [...names].map(([service, name]) => ({ service, name: secretName(name) }));
  const discovery = await discover(owner, namespace, guesses);
  if (!discovery.ok) return { failure: classify(discovery.failure, owner.context) };
  const claims = await owner.api.list(
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace,
      labelSelector: `${OPERATION_LABELS.instance}=${instanceId}`,
    },
    owner.context.signal,
  );
  if (!claims.ok) return { failure: classify(claims.failure, owner.context) };
  const kept = claims.value.items.flatMap((object) => {
    const service = serviceOf(object);
    return service === undefined ? [] : [{ service, object }];
  });
  return { found: discovery.found, claims: kept };
}

async function removeService(owner: Owner, found: readonly Found[], run: Run): Promise<StepEnd> {
  if (found.length === 0) return 'skipped';
  await run.started();
  for (const { object } of found) {
    // Foreground, so that a Deployment's pods go with it.
    const failure = await removeRead(owner, object, 'Foreground');
    if (failure !== undefined) return classify(failure, owner.context);
  }
  return undefined;
}
