import type { Application } from './application.ts';

/** Whether `from` may connect to `to`: both exist, differ and share a network (facts 2.5). */
export function allowsPeer(application: Application, from: string, to: string): boolean {
  if (from === to || !Object.hasOwn(application.services, from) || !Object.hasOwn(application.services, to)) {
    return false;
  }
  const target = application.services[to]?.networks ?? [];
  return (application.services[from]?.networks ?? []).some((network) => target.includes(network));
}

/** The other services that may connect to `service`, sorted by name. */
export function peers(application: Application, service: string): readonly string[] {
  return Object.keys(application.services)
    .filter((other) => allowsPeer(application, other, service))
    .sort();
}
