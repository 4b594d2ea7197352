/**
 * The specification: TOML or JSON text of one application in, a normalised `Application` or every problem of the file out. Also what
 * follows from an application alone: its digest, the order of its services, who may connect to whom, effective resources. Pure: reads
 * nothing, resolves nothing, and no message it builds contains a value of the file.
 */
export type {
  Application,
  Build,
  Job,
  KubernetesPatches,
  Network,
  Port,
  Resources,
  SecretRef,
  Service,
  Size,
} from './application.ts';
export { specDigest } from './digest.ts';
export { effectiveEnv, effectiveSecrets } from './effective.ts';
export { imageRegistry } from './image.ts';
export { maskedLine } from './masked-line.ts';
export { allowsPeer, peers } from './network.ts';
export { dependencyOrder } from './order.ts';
export { type ParseResult, parseSpec, parseSpecJson, withPosition } from './parse.ts';
export { formatPath } from './path.ts';
export { requiredSecrets } from './required-secrets.ts';
export { type EffectiveResources, effectiveResources, PROFILES, resourceAmounts } from './resources.ts';
