import { isRaced, type Manifest } from '../../../kernel/index.ts';
import { classify, type StepFailure } from './classify.ts';
import { addressRefusal, checkClaim, type Standing } from './deploy-precondition.ts';
import { type Owner, over, refusedWrite, removeRead, upsert } from './owned.ts';
import type { RenderedService } from './render.ts';
import type { Run } from './steps.ts';

/** What a service's writes came to, also the ones before a refusal. */
export type Created = { readonly failure?: StepFailure; readonly deployment?: Manifest };

/**
 * Writes one service (cluster operations 6): first its Service, so that an address nobody can have does not replace a running workload, then
 * missing claims, ConfigMap, Secret, Deployment, and last the removal of a Service nobody publishes any more.
 */
export async function createService(
  owner: Owner,
  { service, standing }: { readonly service: RenderedService; readonly standing: Standing },
  run: Run,
): Promise<Created> {
  await run.started();
  let deployment: Manifest | undefined;
  const writes: readonly (() => Promise<StepFailure | undefined>)[] = [
    () => writeNetwork(owner, service, standing.network),
    () => createClaims(owner, standing.missingClaims),
    () => write(owner, service.configMap, standing.configMap),
    () => (service.secret === undefined ? drop(owner, standing.secret) : write(owner, service.secret, standing.secret)),
    async () => {
      const written = await upsert(owner, service.deployment, standing.deployment);
      if (!written.ok) return written.failure;
      deployment = written.value;
      return undefined;
    },
    async () => (service.network === undefined ? drop(owner, standing.network) : undefined),
  ];
  for (const one of writes) {
    const failure = await one();
    if (failure !== undefined) return { failure };
  }
  return deployment === undefined ? {} : { deployment };
}

async function write(owner: Owner, wanted: Manifest, known: Manifest | undefined): Promise<StepFailure | undefined> {
  const written = await upsert(owner, wanted, known);
  return written.ok ? undefined : written.failure;
}

async function writeNetwork(
  owner: Owner,
  service: RenderedService,
  known: Manifest | undefined,
): Promise<StepFailure | undefined> {
  const { network } = service;
  if (network === undefined) return undefined;
  const written = await upsert(owner, network, known, (live) => addressRefusal(service, live) ?? over(network, live));
  return written.ok ? undefined : written.failure;
}

async function createClaims(owner: Owner, missing: readonly Manifest[]): Promise<StepFailure | undefined> {
  for (const claim of missing) {
    const answer = await owner.api.create(claim, owner.context.signal);
    if (answer.ok) continue;
    if (!isRaced(answer.failure)) return refusedWrite(owner, { wanted: claim, verb: 'create' }, answer.failure);
    // Somebody was faster: what is there now has to be ours and as planned.
    const found = await checkClaim(owner, claim);
    if (found === 'missing') return classify(answer.failure, owner.context);
    if (found !== 'as_planned') return found;
  }
  return undefined;
}

async function drop(owner: Owner, stale: Manifest | undefined): Promise<StepFailure | undefined> {
  if (stale === undefined) return undefined;
  const failure = await removeRead(owner, stale, 'Background');
  return failure === undefined ? undefined : refusedWrite(owner, { wanted: stale, verb: 'delete' }, failure);
}
