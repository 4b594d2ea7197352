import {
  at,
  type Manifest,
  type ObservedClaim,
  ok,
  quantityNumber,
  type Result,
  strings,
  text,
} from '../../../kernel/index.ts';
import type { Cluster } from '../../../ports/index.ts';
import { nodeTermsOf } from './nodes.ts';

/** The claims of a namespace, each with where the volume it is bound to can be used. A volume that is gone restricts nothing. */
export async function readClaims(
  cluster: Pick<Cluster, 'get' | 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<Result<readonly ObservedClaim[]>> {
  const claims = await cluster.list({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace }, signal);
  if (!claims.ok) return claims;
  const observed = await Promise.all(claims.value.map((claim) => claimOf(cluster, claim, signal)));
  const found: ObservedClaim[] = [];
  for (const one of observed) {
    if (!one.ok) return one;
    found.push(one.value);
  }
  return ok(found);
}

async function claimOf(
  cluster: Pick<Cluster, 'get'>,
  claim: Manifest,
  signal: AbortSignal,
): Promise<Result<ObservedClaim>> {
  const observed: ObservedClaim = {
    name: claim.metadata.name,
    storageClass: text(at(claim.spec, 'storageClassName')) ?? '',
    sizeBytes: quantityNumber(at(claim.spec, 'resources', 'requests', 'storage') ?? 0),
    accessModes: strings(at(claim.spec, 'accessModes')),
  };
  const name = text(at(claim.spec, 'volumeName')) ?? '';
  if (name === '') return ok(observed);
  const volume = await cluster.get({ apiVersion: 'v1', kind: 'PersistentVolume', name }, signal);
  if (!volume.ok) return volume;
  const nodeTerms = volume.value === undefined ? undefined : nodeTermsOf(volume.value);
  return ok(nodeTerms === undefined ? observed : { ...observed, nodeTerms });
}
