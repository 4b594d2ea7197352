import { z } from 'zod';
import { CIDR, validNetwork } from './cidr.ts';
import { cleanAbsolute } from './file-paths.ts';
import {
  ABSOLUTE_PATTERN,
  HOST_PATTERN,
  int,
  intOrUnset,
  listOf,
  Name,
  orEmpty,
  RuntimeNameOrUnset,
  textOrUnset,
  uniqueListOf,
  validHostname,
  wordOrUnset,
} from './schema-parts.ts';

// as Kubernetes checks port names: no two hyphens in a row, a letter somewhere
const PORT_NAME = /^(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/;

/** Facts 1.5. */
export const PortFile = z.strictObject({
  name: z
    .string()
    .regex(PORT_NAME, 'must be a port name: at most 15 lowercase letters, digits and single hyphens, with a letter'),
  port: int(1, 65_535),
  target_port: int(0, 65_535).optional(),
  protocol: textOrUnset((text) => /^(?:tcp|udp)$/i.test(text), 'must be TCP or UDP', {
    pattern: '^$|^[Tt][Cc][Pp]$|^[Uu][Dd][Pp]$',
  }).optional(),
});

/** Facts 1.14. */
const RESERVED: ReadonlySet<number> = new Set([
  22, 53, 80, 443, 1024, 1042, 2379, 2380, 6060, 6443, 8080, 8443, 10_250,
]);

export const PublicTcpFile = z.strictObject({
  port: int(1, 65_535)
    .refine((port) => !RESERVED.has(port), 'is a port the installation keeps for itself')
    .meta({ not: { enum: [...RESERVED] } }),
  target_port: int(1, 65_535),
  source_cidrs: listOf(
    z.string().refine(validNetwork, 'must be an IPv4 network such as 203.0.113.0/24').meta({ pattern: CIDR.source }),
    16,
  )
    .refine((list) => list.length > 0, 'must name a network; 0.0.0.0/0 is everyone')
    .meta({ minItems: 1 }),
});

/** Facts 1.13; the name's own limit is in the service. */
export const HttpEndpointFile = z.strictObject({
  port: int(1, 65_535),
  domain: textOrUnset(validHostname, 'must be a lowercase DNS name with a dot', {
    pattern: orEmpty(HOST_PATTERN),
    maxLength: 244,
  }).optional(),
});

/** Facts 1.8. Says nothing when all of it is empty. */
export const ReadinessFile = z.strictObject({
  protocol: wordOrUnset('tcp', 'smtp', 'smtp_starttls').optional(),
  port: intOrUnset(1, 65_535).optional(),
  tls_server_name: textOrUnset(validHostname, 'must be a lowercase DNS name with a dot', {
    pattern: orEmpty(HOST_PATTERN),
    maxLength: 244,
  }).optional(),
  tls_ca_file: textOrUnset(
    (path) => path !== '/' && cleanAbsolute(path, 256),
    'must be a clean absolute path of at most 256 characters',
    { pattern: orEmpty(ABSOLUTE_PATTERN), maxLength: 256 },
  ).optional(),
  period_seconds: intOrUnset(3, 60, ' seconds').optional(),
  timeout_seconds: intOrUnset(1, 10, ' seconds').optional(),
  failure_threshold: intOrUnset(1, 10).optional(),
});

/** Facts 1.6. */
export const AutoscalingFile = z.strictObject({
  min_replicas: int(0, 20).optional(),
  max_replicas: int(1, 20),
  target_cpu: intOrUnset(10, 95, ' percent').optional(),
});

/** Facts 1.7. */
export const ServerlessFile = z.strictObject({
  min_replicas: int(0, 1).optional(),
  idle_seconds: intOrUnset(30, 86_400, ' seconds').optional(),
  startup_timeout_seconds: intOrUnset(5, 300, ' seconds').optional(),
  request_timeout_seconds: intOrUnset(1, 300, ' seconds').optional(),
  max_concurrency: intOrUnset(1, 64).optional(),
});

/** Facts 1.3. Says nothing when all of it is empty. */
export const TlsFile = z.strictObject({
  certificate: RuntimeNameOrUnset.optional(),
  issuer: RuntimeNameOrUnset.optional(),
  issuer_kind: wordOrUnset('ClusterIssuer', 'Issuer').optional(),
});

const PAIR = /^([a-z0-9-]+)\/([a-z0-9-]+)$/;

/** Facts 1.3 and 2.5. */
export const NetworkAccessFile = z.strictObject({
  from: uniqueListOf(Name, 20).optional(),
  from_applications: uniqueListOf(
    z
      .string()
      .refine(applicationService, 'must be the names of an application and its service with a slash between')
      .meta({ pattern: PAIR.source }),
    32,
  ).optional(),
});

function applicationService(text: string): boolean {
  const [, application, service] = PAIR.exec(text) ?? [];
  return Name.safeParse(application).success && Name.safeParse(service).success;
}

/** Facts 1.3. What is not printable ASCII has to be percent-encoded on the wire, so it is asked to be so here. */
export function validHealthcheck(path: string): boolean {
  return path.length <= 2048 && /^\/(?!\/)[!-~]*$/.test(path) && !/[#\\]|%(?![0-9A-Fa-f]{2})/.test(path);
}
