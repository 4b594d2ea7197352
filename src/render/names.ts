import { createHmac } from 'node:crypto';
import { canonicalJson, sha256 } from '../kernel/index.ts';
import type { RenderOptions } from './input.ts';

/** `hp-` and the application's id; 35 characters. The id never changes, so renames move nothing (facts 3.1). */
export function namespaceName(id: string): string {
  return `hp-${id}`;
}

/** A deployment job's Job (facts 3.1). */
export function jobName(service: string): string {
  return `${service}-job`;
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

/**
 * `<service>-environment-<16 hex>`: the hex depends on the values, so a change of values is a new Secret and rolls the pods. It is
 * bound to the application, and keyed when the installation hands in a key, so that a name seen in a pod confirms no guess.
 */
export function environmentSecretName(
  service: string,
  data: Readonly<Record<string, string>>,
  scope: { readonly id: string; readonly snapshotKey?: string },
): string {
  const content = canonicalJson({ id: scope.id, service, data });
  const hex =
    scope.snapshotKey === undefined
      ? sha256(content)
      : createHmac('sha256', scope.snapshotKey).update(content).digest('hex');
  return `${service}-environment-${hex.slice(0, 16)}`;
}

/** `<service>-<id[:12]>.<app domain>`: one label, so a wildcard certificate covers it (facts 3.4). */
export function publicHost(service: string, id: string, appDomain: string): string {
  return `${service}-${id.slice(0, 12)}.${appDomain}`;
}

/** The URL people open, or `undefined` when the installation has no application domain. */
export function publicUrl(service: string, id: string, options: RenderOptions): string | undefined {
  if (options.appDomain === undefined) return undefined;
  const scheme = options.tlsIssuer === undefined ? 'http' : 'https';
  const port = options.publicPort;
  const usual = scheme === 'https' ? 443 : 80;
  const suffix = port === undefined || port === usual ? '' : `:${port}`;
  return `${scheme}://${publicHost(service, id, options.appDomain)}${suffix}`;
}
