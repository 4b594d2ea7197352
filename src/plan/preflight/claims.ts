import type { ObservedClaim, ObservedNode } from '../../kernel/index.ts';
import type { Application } from '../../spec/index.ts';
import { attaches } from './nodes.ts';

/** The application's claims that exist, by what they are for. */
export type ClaimsOf = {
  /** By named volume. */
  readonly volumes: Readonly<Record<string, ObservedClaim>>;
  /** By service with a volume of its own. */
  readonly own: Readonly<Record<string, ObservedClaim>>;
};

export const NO_CLAIMS: ClaimsOf = { volumes: {}, own: {} };

/** The existing claims a service uses. */
export function claimsOfService(application: Application, name: string, claims: ClaimsOf): readonly ObservedClaim[] {
  const service = application.services[name];
  if (service === undefined) return [];
  const own = service.volume !== undefined && Object.hasOwn(claims.own, name) ? claims.own[name] : undefined;
  const volumes = [...new Set(service.mounts.map(({ volume }) => volume))].sort();
  const named = volumes.map((volume) => (Object.hasOwn(claims.volumes, volume) ? claims.volumes[volume] : undefined));
  return [own, ...named].filter((claim) => claim !== undefined);
}

/** Whether all of them can be used on a node. */
export function attachAll(node: ObservedNode, claims: readonly ObservedClaim[]): boolean {
  return claims.every(({ nodeTerms }) => attaches(node, nodeTerms));
}
