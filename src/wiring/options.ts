import type { Config } from '../config.ts';
import type { PipelineOptions } from '../pipeline/index.ts';

/** What the configuration says to the pipeline. `snapshotKey` is the installation's own secret. */
export function pipelineOptions(config: Config, snapshotKey: string): PipelineOptions {
  return {
    appDomain: config.appDomain,
    localRepositories: config.localRepositories,
    publicPort: config.publicPort,
    tlsIssuer: config.tlsIssuer,
    ingressClass: config.ingressClass,
    rolloutTimeoutSeconds: config.rolloutTimeoutSeconds,
    policySettleMs: config.policySettleSeconds * 1000,
    pullRequestsCheckMs: config.pullRequestsCheckSeconds * 1000,
    mentionGraceMs: config.mentionGraceSeconds * 1000,
    buildRegistry: config.buildRegistry,
    buildRegistryCredentialsSecret: config.buildRegistryCredentialsSecret,
    buildTimeoutMs: config.buildTimeoutSeconds * 1000,
    buildContextBytes: config.buildContextBytes,
    buildContextFiles: config.buildContextFiles,
    grantWarningMs: config.grantWarningDays * 86_400_000,
    publicUrl: config.publicUrl,
    snapshotKey,
  };
}
