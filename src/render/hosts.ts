import type { Application, Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { endpointHost, publicHost } from './names.ts';

/** A host name that leads to a port of a Service. */
export type ServiceHost = {
  readonly host: string;
  readonly port: number;
  /** A domain of the application's own, which leads somewhere only once its ownership is verified. */
  readonly custom: boolean;
};

/**
 * Every host name of a service (facts 1.13 and 3.4): its own, one for each additional endpoint by name, then its custom domains by name. A
 * custom domain leads to the endpoint that names it, else to the primary port. None without an application domain, or for what is private.
 */
export function serviceHosts(
  input: Pick<RenderInput, 'application' | 'id'> & { readonly options: Pick<RenderInput['options'], 'appDomain'> },
  name: string,
): readonly ServiceHost[] {
  const service = input.application.services[name];
  const { appDomain } = input.options;
  if (service === undefined || !service.public || appDomain === undefined) return [];
  const endpoints = Object.entries(service.http).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    { host: publicHost(name, input.id, appDomain), port: service.port, custom: false },
    ...endpoints.map(([endpoint, { port }]) => {
      return { host: endpointHost(name, endpoint, { id: input.id, appDomain }), port, custom: false };
    }),
    ...customDomains(input.application, name).map((host) => ({ host, port: portOf(service, host), custom: true })),
  ];
}

/** The custom domains of one service, by name. */
function customDomains({ domains }: Application, service: string): readonly string[] {
  return Object.keys(domains)
    .filter((host) => domains[host] === service)
    .sort();
}

function portOf(service: Service, host: string): number {
  return Object.values(service.http).find(({ domain }) => domain === host)?.port ?? service.port;
}
