import type { Service } from './application.ts';
import type { Finding } from './path.ts';
import { at, type Rule, rule, type Subject, when } from './rule.ts';
import type { ServiceFile } from './schema.ts';

/** Rules about listening (facts 1.3, 1.5, 1.8, 1.13, 1.14). Jobs and sessions have one finding for each such field already. */
export const LISTEN_RULES: readonly Rule[] = [
  unlessClosed(['port', 'public', 'healthcheck', 'public_tcp', 'backend_http2'], listener),
  rule(['port', 'ports'], ports),
  unlessClosed(['backend_http2', 'http'], ({ service }) =>
    when(
      service.backend_http2 && Object.keys(service.http).length > 0,
      ['backend_http2'],
      'can not be set together with http endpoints',
    ),
  ),
  unlessClosed(['port', 'ports', 'readiness'], readiness),
  unlessClosed(['public', 'tls'], tls),
  unlessClosed(['port', 'ports', 'public', 'http'], httpEndpoints),
  unlessClosed(['port', 'ports', 'public', 'public_tcp'], publicTcp),
];

function unlessClosed(reads: readonly (keyof ServiceFile)[], run: (subject: Subject) => readonly Finding[]): Rule {
  return rule(['job', 'session', ...reads], (subject) =>
    subject.service.job !== undefined || subject.service.session !== undefined ? [] : run(subject),
  );
}

function listener({ service }: Subject): readonly Finding[] {
  const message = 'needs a public service with a port';
  return [
    ...when(service.backend_http2 && !(service.public && service.port !== 0), ['backend_http2'], message),
    ...(service.port !== 0
      ? []
      : [
          ...when(service.public, ['public'], 'a public service needs a port'),
          ...when(service.healthcheck !== '', ['healthcheck'], 'needs a port'),
          ...when(service.public_tcp.length > 0, ['public_tcp'], 'needs a port'),
        ]),
  ];
}

/** Facts 1.5: names are unique, `service` is the primary port's, protocol and port together are unique. */
function ports({ service, file }: Subject): readonly Finding[] {
  const names = new Set(service.port === 0 ? [] : ['service']);
  const numbers = new Set(service.port === 0 ? [] : [`TCP/${service.port}`]);
  return (file.ports ?? []).flatMap((port, i) => {
    const number = `${port.protocol?.toUpperCase() || 'TCP'}/${port.port}`;
    const findings = [
      ...when(names.has(port.name), ['ports', i, 'name'], nameTaken(service, port.name)),
      ...when(numbers.has(number), ['ports', i, 'port'], 'another port of the service has this number and protocol'),
    ];
    names.add(port.name);
    numbers.add(number);
    return findings;
  });
}

function nameTaken(service: Service, name: string): string {
  return service.port !== 0 && name === 'service'
    ? 'is reserved for the primary port'
    : 'another port of the service has this name';
}

/** Every TCP port of a service, the primary one first. */
function tcpPorts(service: Service): readonly { readonly port: number; readonly target_port: number }[] {
  const extra = service.ports.filter(({ protocol }) => protocol === 'TCP');
  return service.port === 0 ? extra : [{ port: service.port, target_port: service.port }, ...extra];
}

/** Facts 1.8. */
function readiness({ service, file }: Subject): readonly Finding[] {
  const probe = service.readiness;
  if (probe === undefined) return [];
  const starttls = probe.protocol === 'smtp_starttls';
  const only = 'can only be set for smtp_starttls';
  return [
    ...when(!file.readiness?.protocol, ['readiness', 'protocol'], 'is required'),
    ...when(
      !tcpPorts(service).some(({ target_port }) => target_port === probe.port),
      ['readiness', 'port'],
      'must be the target of a declared TCP port',
    ),
    ...when(starttls && probe.tls_server_name === '', ['readiness', 'tls_server_name'], 'is required'),
    ...when(!starttls && probe.tls_server_name !== '', ['readiness', 'tls_server_name'], only),
    ...when(!starttls && probe.tls_ca_file !== '', ['readiness', 'tls_ca_file'], only),
    ...when(
      probe.timeout_seconds >= probe.period_seconds,
      ['readiness', 'timeout_seconds'],
      'must be less than period_seconds',
    ),
  ];
}

function tls({ service }: Subject): readonly Finding[] {
  const own = service.tls;
  if (own === undefined) return [];
  return [
    ...when(!service.public, ['tls'], 'needs a public service'),
    ...when(own.certificate !== '' && own.issuer !== '', ['tls', 'issuer'], 'excludes certificate'),
    ...when(own.certificate === '' && own.issuer === '', ['tls', 'certificate'], 'is required, or issuer'),
    ...when(
      own.certificate !== '' && own.issuer === '' && own.issuer_kind === 'Issuer',
      ['tls', 'issuer_kind'],
      'needs an issuer',
    ),
  ];
}

/** Facts 1.13. Domains and host names are the application's to check. */
function httpEndpoints({ service }: Subject): readonly Finding[] {
  const endpoints = Object.entries(service.http);
  if (endpoints.length === 0) return [];
  if (!service.public) return at(['http'], 'needs a public service');
  const declared = new Set(tcpPorts(service).map(({ port }) => port));
  return endpoints.flatMap(([endpoint, { port }]) =>
    when(!declared.has(port), ['http', endpoint, 'port'], 'must be a declared TCP port of the service'),
  );
}

/** Facts 1.14. */
function publicTcp({ service, file }: Subject): readonly Finding[] {
  if (service.port === 0) return [];
  return (file.public_tcp ?? []).flatMap(({ target_port }, i) => {
    const path = ['public_tcp', i, 'target_port'];
    const targets = tcpPorts(service).filter((port) => port.target_port === target_port);
    if (targets.length !== 1) return at(path, 'must be the target of exactly one declared TCP port');
    return when(service.public && target_port === service.port, path, 'is public over HTTP already');
  });
}
