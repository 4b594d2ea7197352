/**
 * The specification: TOML or JSON text of one application in, a normalised `Application` or every problem of the file out. Also what
 * follows from an application alone: its digest, the order of its services, who may connect to whom, effective resources. Pure: reads
 * nothing, resolves nothing, and no message it builds contains a value of the file.
 */
export type {
  Actions,
  Application,
  Autoscaling,
  Binding,
  Build,
  CertificateMount,
  FileMount,
  HttpEndpoint,
  Invocation,
  Job,
  KubernetesPatches,
  Mount,
  NamedVolume,
  Network,
  NetworkAccess,
  Port,
  PublicTcp,
  Readiness,
  Resources,
  SandboxSession,
  Schedule,
  SecretRef,
  Serverless,
  Service,
  Size,
  TemporaryMount,
  Tls,
  Volume,
} from './application.ts';
export { type CronStarts, cronStarts, matchesCron, validCron, validTimezone, type WallMinute } from './cron.ts';
export { isDeploymentJob } from './deployment-job.ts';
export { specDigest } from './digest.ts';
export { effectiveEnv, effectiveSecrets } from './effective.ts';
export { ENV_FILE_BYTES, type ImportedEntry, type ImportedSecret } from './env-files.ts';
export { imageRegistry } from './image.ts';
export { describeField, type FieldHelp, type JsonSchema, specJsonSchema } from './json-schema.ts';
export { maskedLine } from './masked-line.ts';
export { allowsPeer, peers } from './network.ts';
export { dependencyOrder } from './order.ts';
export {
  envFileMentions,
  envFilePaths,
  type ParseResult,
  parseDocument,
  parseSpec,
  parseSpecJson,
  withPosition,
} from './parse.ts';
export { formatPath } from './path.ts';
export { previewProblems } from './preview.ts';
export { type RecoveryBlocker, recoveryBlockers } from './recovery.ts';
export { requiredSecrets } from './required-secrets.ts';
export { type EffectiveResources, effectiveResources, PROFILES, resourceAmounts } from './resources.ts';
export { sharedGroups, storageGroupName } from './storage-groups.ts';
export { parseVirtualNetwork, type VirtualNetwork } from './virtual-network.ts';
