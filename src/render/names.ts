import { createHmac } from 'node:crypto';
import { canonicalJson, sha256 } from '../kernel/index.ts';
import type { RenderOptions } from './input.ts';

/** `hp-` and the application's id; 35 characters. The id never changes, so renames move nothing (facts 3.1). */
export function namespaceName(id: string): string {
  return `hp-${id}`;
}

/** True for the name of a namespace as applications have them. */
export function isApplicationNamespace(name: string): boolean {
  return /^hp-[0-9a-f]{32}$/.test(name);
}

/** A deployment job's Job (facts 3.1). */
export function jobName(service: string): string {
  return `${service}-job`;
}

/** Longest name of a CronJob: the names of its Jobs get eleven characters more. */
const CRON_JOB_NAME = 52;

/** A scheduled job's CronJob: `<service>-cron`, with a hash in the place of what is too long (facts 3.1). */
export function cronJobName(service: string): string {
  const name = `${service}-cron`;
  return name.length <= CRON_JOB_NAME ? name : `${service.slice(0, 38)}-${sha256(service).slice(0, 8)}-cron`;
}

/** The claim of a named volume (facts 3.1). */
export function volumeClaimName(volume: string): string {
  return `hakopod-volume-${volume}`;
}

/** The claim of a service's own volume, the legacy form (facts 3.1). */
export function dataClaimName(service: string): string {
  return `${service}-data`;
}

/** The policy of one service (facts 3.1). */
export function policyName(service: string): string {
  return `hakopod-service-${service}`;
}

export const DEFAULT_DENY = 'hakopod-default-deny';
export const ACME_POLICY = 'hakopod-acme-http01';
export const QUOTA = 'hakopod-budget';

/** The secret a TLS issuer fills for a service's hosts (facts 3.1). */
export function tlsSecretName(service: string): string {
  return `hakopod-tls-${service}`;
}

/** What a snapshot's name is bound to. */
export type SnapshotScope = { readonly id: string; readonly service: string; readonly snapshotKey?: string };

/**
 * `<base>-<16 hex>`: the hex depends on the content, so a change is a new object and rolls the pods. It is bound to the application and
 * the service, and keyed when the installation hands in a key, so that a name seen in a pod confirms no guess.
 */
export function snapshotName(base: string, data: Readonly<Record<string, string>>, scope: SnapshotScope): string {
  const content = canonicalJson({ id: scope.id, service: scope.service, data });
  const hex =
    scope.snapshotKey === undefined
      ? sha256(content)
      : createHmac('sha256', scope.snapshotKey).update(content).digest('hex');
  return `${base}-${hex.slice(0, 16)}`;
}

/** `<service>-<id[:12]>.<app domain>`: one label, so a wildcard certificate covers it (facts 3.4). */
export function publicHost(service: string, id: string, appDomain: string): string {
  return `${service}-${id.slice(0, 12)}.${appDomain}`;
}

/** The host of an additional HTTP endpoint of a service (facts 3.4). */
export function endpointHost(service: string, endpoint: string, of: { id: string; appDomain: string }): string {
  return publicHost(`${service}-${endpoint}`, of.id, of.appDomain);
}

/** The URL people open, or `undefined` when the installation has no application domain. `hasTls`: the service has an issuer of its own. */
export function publicUrl(
  service: string,
  id: string,
  options: RenderOptions & { readonly hasTls?: boolean },
): string | undefined {
  if (options.appDomain === undefined) return undefined;
  const scheme = options.tlsIssuer === undefined && options.hasTls !== true ? 'http' : 'https';
  const port = options.publicPort;
  const usual = scheme === 'https' ? 443 : 80;
  const suffix = port === undefined || port === usual ? '' : `:${port}`;
  return `${scheme}://${publicHost(service, id, options.appDomain)}${suffix}`;
}
