import type { Application } from './application.ts';

/** Whether two services exist and share a network. */
export function shareNetwork(application: Pick<Application, 'services'>, a: string, b: string): boolean {
  if (!Object.hasOwn(application.services, a) || !Object.hasOwn(application.services, b)) return false;
  const theirs = application.services[b]?.networks ?? [];
  return (application.services[a]?.networks ?? []).some((network) => theirs.includes(network));
}

/**
 * Whether `from` may connect to `to`: both exist, differ and share a network, and `to` has no `network_access` or lists `from` in it
 * (facts 2.5).
 */
export function allowsPeer(application: Pick<Application, 'services'>, from: string, to: string): boolean {
  if (from === to || !shareNetwork(application, from, to)) return false;
  const access = application.services[to]?.network_access;
  return access === undefined || access.from.includes(from);
}

/** The other services that may connect to `service`, sorted by name. */
export function peers(application: Pick<Application, 'services'>, service: string): readonly string[] {
  return Object.keys(application.services)
    .filter((other) => allowsPeer(application, other, service))
    .sort();
}
