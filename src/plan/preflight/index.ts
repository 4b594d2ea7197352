/**
 * The preflight (facts 11): whether the cluster has the nodes, the room, the disks and the storage an application asks for, before anything
 * is written. In: an application, the cluster as observed, the application's own claims. Out: a report with its checks, the problems that
 * block a release, warnings for what is not known, and the nodes that groups of services sharing storage are to be placed on. Pure; it
 * reserves nothing and packs nothing: what fits now can be taken by somebody else.
 */
export type { PreflightCheck } from './check.ts';
export { type ClaimsOf, NO_CLAIMS } from './claims.ts';
export { type Preflight, type PreflightReport, preflight } from './preflight.ts';
export type { Before, Placement } from './shared.ts';
