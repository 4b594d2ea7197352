import type { Finding } from './path.ts';
import { at, type Checked, when } from './rule.ts';

const PUBLIC_TCP = 64;

/** Facts 1.1: a custom host name leads to a public service. */
export function checkDomains({ application, known }: Checked): readonly Finding[] {
  return Object.entries(application.domains).flatMap(([host, target]): readonly Finding[] => {
    const path = ['domains', host];
    if (!known.service(target) || !known.fields(target, ['public', 'port'])) return [];
    const service = Object.hasOwn(application.services, target) ? application.services[target] : undefined;
    if (service === undefined) return at(path, 'there is no service of this name');
    return when(!service.public || service.port === 0, path, 'must name a public service with a port');
  });
}

/** Facts 1.13: domains of endpoints are declared for their service, once; automatic host names do not collide. */
export function checkHttpEndpoints({ application, known }: Checked): readonly Finding[] {
  const endpoints = Object.entries(application.services).flatMap(([service, { http, job, session }]) =>
    job === undefined && session === undefined
      ? Object.entries(http).map(([endpoint, { domain }]) => ({ service, endpoint, domain }))
      : [],
  );
  const domains = new Set<string>();
  const keys = new Set<string>();
  return endpoints.flatMap(({ service, endpoint, domain }) => {
    const path = ['services', service, 'http', endpoint];
    const key = `${service}-${endpoint}`;
    const collides = keys.has(key) || Object.hasOwn(application.services, key);
    keys.add(key);
    const twice = domain !== '' && domains.has(domain);
    domains.add(domain);
    const declared = Object.hasOwn(application.domains, domain) && application.domains[domain] === service;
    return [
      ...when(collides, path, 'has the automatic host name of another service or endpoint'),
      ...(twice
        ? at([...path, 'domain'], 'another endpoint has this domain')
        : when(
            domain !== '' && known.root('domains') && !declared,
            [...path, 'domain'],
            'must be among the domains of the application, for this service',
          )),
    ];
  });
}

/** Facts 1.14: a port of the installation's address belongs to one service. */
export function checkPublicTcp({ file }: Checked): readonly Finding[] {
  const taken = new Set<number>();
  let count = 0;
  return Object.entries(file.services).flatMap(([name, { public_tcp = [] }]) =>
    public_tcp.flatMap(({ port }, i) => {
      const path = ['services', name, 'public_tcp', i];
      const twice = taken.has(port);
      taken.add(port);
      count += 1;
      return [
        ...when(twice, [...path, 'port'], 'is listed twice in the application'),
        ...when(count === PUBLIC_TCP + 1, path, `the application must have at most ${PUBLIC_TCP} public TCP ports`),
      ];
    }),
  );
}

const SESSIONS = 8;

/** Facts 1.17 and 1.18: a runner pool stands among runner pools only, and sessions are few. */
export function checkKinds({ application, known }: Checked): readonly Finding[] {
  const services = Object.entries(application.services).filter(([name]) => known.fields(name, ['actions', 'session']));
  const pool = services.some(([, { actions }]) => actions !== undefined);
  const sessions = services.filter(([, { session }]) => session !== undefined);
  const extra = sessions[SESSIONS];
  return [
    ...(pool ? services : [])
      .filter(([, { actions }]) => actions === undefined)
      .flatMap(([name]) => at(['services', name], 'must be a runner pool, like the others of the application')),
    ...(extra === undefined
      ? []
      : at(['services', extra[0], 'session'], `the application must have at most ${SESSIONS} sessions`)),
  ];
}
