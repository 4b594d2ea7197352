import type {
  Autoscaling,
  HttpEndpoint,
  NetworkAccess,
  Port,
  PublicTcp,
  Readiness,
  Serverless,
  Tls,
} from './application.ts';
import { maskedNetwork } from './cidr.ts';
import type { ServiceFile } from './schema.ts';
import { compare, mapValues, saysNothing, sorted, unsigned } from './sorted.ts';

type Listening = {
  readonly ports: readonly Port[];
  readonly public_tcp: readonly PublicTcp[];
  readonly http: Readonly<Record<string, HttpEndpoint>>;
  readonly autoscaling?: Autoscaling;
  readonly serverless?: Serverless;
  readonly readiness?: Readiness;
  readonly network_access?: NetworkAccess;
  readonly tls?: Tls;
};

/** What concerns listening and scaling (facts 1.5 to 1.8, 1.13, 1.14). */
export function normaliseListening(file: ServiceFile): Listening {
  const { autoscaling, serverless, readiness, network_access, tls } = file;
  return {
    ports: (file.ports ?? []).map(port).sort((a, b) => compare(a.name, b.name)),
    public_tcp: (file.public_tcp ?? []).map(publicTcp).sort((a, b) => a.port - b.port),
    http: mapValues(file.http, (endpoint) => ({ port: endpoint.port, domain: endpoint.domain ?? '' })),
    ...(autoscaling === undefined ? {} : { autoscaling: scaling(autoscaling) }),
    ...(serverless === undefined ? {} : { serverless: onDemand(serverless) }),
    ...(readiness === undefined || saysNothing(readiness) ? {} : { readiness: probe(readiness) }),
    ...(network_access === undefined ? {} : { network_access: access(network_access) }),
    ...(tls === undefined || saysNothing(tls) ? {} : { tls: certificate(tls) }),
  };
}

function port(file: NonNullable<ServiceFile['ports']>[number]): Port {
  return {
    name: file.name,
    port: file.port,
    target_port: file.target_port || file.port,
    protocol: file.protocol?.toUpperCase() === 'UDP' ? 'UDP' : 'TCP',
  };
}

function publicTcp(file: NonNullable<ServiceFile['public_tcp']>[number]): PublicTcp {
  const networks = new Set(file.source_cidrs.map(maskedNetwork));
  return { port: file.port, target_port: file.target_port, source_cidrs: sorted([...networks]) };
}

function scaling(file: NonNullable<ServiceFile['autoscaling']>): Autoscaling {
  return {
    min_replicas: file.min_replicas || 1,
    max_replicas: file.max_replicas,
    target_cpu: file.target_cpu || 70,
  };
}

function onDemand(file: NonNullable<ServiceFile['serverless']>): Serverless {
  return {
    min_replicas: unsigned(file.min_replicas),
    idle_seconds: file.idle_seconds || 300,
    startup_timeout_seconds: file.startup_timeout_seconds || 60,
    request_timeout_seconds: file.request_timeout_seconds || 60,
    max_concurrency: file.max_concurrency || 16,
  };
}

/** A table without a protocol gets a finding of its own. */
function probe(file: NonNullable<ServiceFile['readiness']>): Readiness {
  return {
    protocol: file.protocol || 'tcp',
    port: unsigned(file.port),
    tls_server_name: file.tls_server_name ?? '',
    tls_ca_file: file.tls_ca_file ?? '',
    period_seconds: file.period_seconds || 5,
    timeout_seconds: file.timeout_seconds || 3,
    failure_threshold: file.failure_threshold || 3,
  };
}

function access(file: NonNullable<ServiceFile['network_access']>): NetworkAccess {
  return { from: sorted(file.from), from_applications: sorted(file.from_applications) };
}

function certificate(file: NonNullable<ServiceFile['tls']>): Tls {
  return {
    certificate: file.certificate ?? '',
    issuer: file.issuer ?? '',
    issuer_kind: file.issuer_kind || 'ClusterIssuer',
  };
}
