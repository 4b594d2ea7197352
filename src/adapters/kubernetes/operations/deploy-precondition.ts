import {
  at,
  displayRef,
  type Manifest,
  normalQuantity,
  type ObjectRef,
  refOf,
  strings,
} from '../../../kernel/index.ts';
import { classify, denied, type StepFailure } from './classify.ts';
import { secretName } from './names.ts';
import { isOwned, type Owner, readObject } from './owned.ts';
import type { RenderedService } from './render.ts';

/** What stands of one service before the run: its own objects, each absent when there is none. */
export type Standing = {
  readonly configMap?: Manifest;
  readonly secret?: Manifest;
  readonly deployment?: Manifest;
  readonly network?: Manifest;
  readonly missingClaims: readonly Manifest[];
};

export type Stood =
  | { readonly ok: true; readonly value: Standing }
  | { readonly ok: false; readonly failure: StepFailure };

/**
 * Reads everything one service would write, in this order: its claims, ConfigMap, Secret, Deployment, Service (cluster operations 6). Denied
 * when something of these names is not the instance's own, when a claim is another one than planned, or when the address would change. A
 * Secret or Service that is not wanted any more is remembered when it is ours and ignored when it is not.
 */
export async function standingOf(owner: Owner, service: RenderedService): Promise<Stood> {
  const missingClaims: Manifest[] = [];
  for (const claim of service.claims) {
    const found = await checkClaim(owner, claim);
    if (found === 'missing') missingClaims.push(claim);
    else if (found !== 'as_planned') return { ok: false, failure: found };
  }
  const standing: { -readonly [Part in Part4]?: Manifest } = {};
  for (const { part, ref, isWanted } of partsOf(service)) {
    const answer = await readObject(owner, ref);
    if (!answer.ok) return { ok: false, failure: classify(answer.failure, owner.context) };
    const live = answer.value;
    if (live === undefined) continue;
    if (isOwned(live, owner.instanceId)) standing[part] = live;
    else if (isWanted) return { ok: false, failure: denied('name_taken', displayRef(ref)) };
  }
  const refusal = standing.network === undefined ? undefined : addressRefusal(service, standing.network);
  return refusal === undefined ? { ok: true, value: { ...standing, missingClaims } } : { ok: false, failure: refusal };
}

type Part4 = 'configMap' | 'secret' | 'deployment' | 'network';
type Part = { readonly part: Part4; readonly ref: ObjectRef; readonly isWanted: boolean };

function partsOf(service: RenderedService): readonly Part[] {
  const { namespace = '' } = service.deployment.metadata;
  const core = (kind: string, name: string): ObjectRef => ({ apiVersion: 'v1', kind, namespace, name });
  const secret = core('Secret', secretName(service.name));
  return [
    { part: 'configMap', ref: refOf(service.configMap), isWanted: true },
    { part: 'secret', ref: secret, isWanted: service.secret !== undefined },
    { part: 'deployment', ref: refOf(service.deployment), isWanted: true },
    { part: 'network', ref: core('Service', service.name), isWanted: service.network !== undefined },
  ];
}

/** An address is given once: asking an existing Service for another one is refused. */
export function addressRefusal(service: RenderedService, live: Manifest): StepFailure | undefined {
  const asked = service.clusterIP;
  const isChange = asked !== undefined && at(live, 'spec', 'clusterIP') !== asked;
  return isChange ? denied('service_ip_immutable', `Service/${service.name}`) : undefined;
}

/** Whether a planned claim is missing, there as planned, or what stands in the way. */
export async function checkClaim(owner: Owner, planned: Manifest): Promise<'missing' | 'as_planned' | StepFailure> {
  const name = displayRef(refOf(planned));
  const answer = await readObject(owner, refOf(planned));
  if (!answer.ok) return classify(answer.failure, owner.context);
  const live = answer.value;
  if (live === undefined) return 'missing';
  if (!isOwned(live, owner.instanceId)) return denied('name_taken', name);
  return isAsPlanned(live, planned) ? 'as_planned' : denied('claim_immutable', name);
}

/** A plan without a class takes whatever class the claim got. */
function isAsPlanned(live: Manifest, planned: Manifest): boolean {
  const modes = (claim: Manifest): string => [...strings(at(claim, 'spec', 'accessModes'))].sort().join();
  const size = (claim: Manifest): string => normalQuantity(at(claim, 'spec', 'resources', 'requests', 'storage'));
  const storageClass = at(planned, 'spec', 'storageClassName');
  return (
    modes(live) === modes(planned) &&
    size(live) === size(planned) &&
    (storageClass === undefined || at(live, 'spec', 'storageClassName') === storageClass)
  );
}
