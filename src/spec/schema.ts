import { z } from 'zod';
import { LIMITS } from '../kernel/index.ts';
import { cleanAbsolute } from './file-paths.ts';
import { validImage } from './image.ts';
import { BuildFile, KubernetesFile } from './schema-build.ts';
import {
  AutoscalingFile,
  HttpEndpointFile,
  NetworkAccessFile,
  PortFile,
  PublicTcpFile,
  ReadinessFile,
  ServerlessFile,
  TlsFile,
  validHealthcheck,
} from './schema-listen.ts';
import {
  ABSOLUTE_PATTERN,
  EnvName,
  Host,
  int,
  intOrUnset,
  listOf,
  mapOf,
  Name,
  NameOrUnset,
  orEmpty,
  plainText,
  RuntimeNameOrUnset,
  textOrUnset,
  uniqueListOf,
  wordOrUnset,
} from './schema-parts.ts';
import { ActionsFile, GpuFile, JobFile, ResourcesFile, SessionFile } from './schema-run.ts';
import { BindingFile, SecretRefFile } from './schema-secrets.ts';
import {
  CertificateMountFile,
  FileMountFile,
  MountFile,
  NamedVolumeFile,
  TemporaryMountFile,
  VolumeFile,
} from './schema-storage.ts';

/*
 * What the file may say (facts 1), strictly, before defaults. An empty text or a zero means "not set", as does absence. All messages
 * are ours and name no value.
 */

/** One path, or a list of them (facts 1.16): `env-files.ts` judges and reads them before the rest of the file is looked at. */
const EnvFile = z
  .custom<string | readonly string[]>(
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every((path) => typeof path === 'string')),
    'must be a path or a list of paths',
  )
  .meta({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 8 }] });

const Env = mapOf(EnvName, plainText(LIMITS.envValueBytes), LIMITS.envEntries);
const Secrets = mapOf(EnvName, SecretRefFile, LIMITS.secretsPerService);
/** Facts 2.2 for editors. */
const IMAGE = { pattern: '^$|^(?!/)(?!.*(?:://|\\.\\.))[^\\s\\\\?#@]+(?:@sha256:[a-f0-9]{64})?$', maxLength: 512 };
const LARGEST_ID = 2_147_483_647;

/** The fields of a service. */
export const ServiceFile = z.strictObject({
  image: textOrUnset(validImage, 'must be an image reference', IMAGE).optional(),
  build: BuildFile.optional(),
  port: int(0, 65_535).optional(),
  ports: listOf(PortFile, LIMITS.extraPorts).optional(),
  public: z.boolean().optional(),
  public_tcp: listOf(PublicTcpFile, 16).optional(),
  backend_http2: z.boolean().optional(),
  size: wordOrUnset('small', 'medium', 'large', 'compute', 'gpu').optional(),
  resources: ResourcesFile.optional(),
  replicas: int(0, 20).optional(),
  suspended: z.boolean().optional(),
  autoscaling: AutoscalingFile.optional(),
  serverless: ServerlessFile.optional(),
  healthcheck: textOrUnset(
    validHealthcheck,
    'must be an HTTP path of at most 2048 characters that begins with one slash, without host and fragment',
    { pattern: '^$|^/(?!/)[!"$-\\[\\]-~]*$', maxLength: 2048 },
  ).optional(),
  readiness: ReadinessFile.optional(),
  update_strategy: wordOrUnset('rolling', 'recreate').optional(),
  env: Env.optional(),
  env_file: EnvFile.optional(),
  secrets: Secrets.optional(),
  bindings: mapOf(EnvName, BindingFile, 16).optional(),
  command: listOf(plainText(4096), LIMITS.commandElements).optional(),
  args: listOf(plainText(4096), LIMITS.argsElements).optional(),
  depends_on: listOf(Name, LIMITS.services).optional(),
  networks: listOf(Name, LIMITS.networks).optional(),
  network_access: NetworkAccessFile.optional(),
  private_egress: uniqueListOf(Name, 16).optional(),
  job: JobFile.optional(),
  files: mapOf(Name, FileMountFile, 16).optional(),
  http: mapOf(Name.max(8, 'must be at most 8 characters'), HttpEndpointFile, 4).optional(),
  volume: VolumeFile.optional(),
  mounts: listOf(MountFile, 16).optional(),
  temporary_mounts: listOf(TemporaryMountFile, 16).optional(),
  certificate_mounts: listOf(CertificateMountFile, 4).optional(),
  gpu: GpuFile.optional(),
  architecture: wordOrUnset('amd64', 'arm64').optional(),
  node_name: textOrUnset(
    (name) => name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name),
    'must be the name of a node: at most 253 lowercase letters, digits, hyphens and dots',
    { pattern: '^$|^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$', maxLength: 253 },
  ).optional(),
  run_as_user: int(0, LARGEST_ID).optional(),
  run_as_group: int(0, LARGEST_ID).optional(),
  fs_group: int(0, LARGEST_ID).optional(),
  read_only_root_filesystem: z.boolean().optional(),
  working_dir: textOrUnset((path) => cleanAbsolute(path), 'must be a clean absolute path of at most 200 characters', {
    pattern: orEmpty(ABSOLUTE_PATTERN),
    maxLength: 200,
  }).optional(),
  termination_grace_seconds: int(0, 300).optional(),
  restart_nonce: textOrUnset(
    (text) => /^[a-zA-Z0-9_-]{1,64}$/.test(text),
    'must be at most 64 letters, digits, hyphens and underscores',
    { pattern: '^[a-zA-Z0-9_-]{0,64}$' },
  ).optional(),
  startup_timeout_seconds: intOrUnset(10, 900, ' seconds').optional(),
  kubernetes: KubernetesFile.optional(),
  registry_credential: RuntimeNameOrUnset.optional(),
  aws_identity: RuntimeNameOrUnset.optional(),
  container_daemon: RuntimeNameOrUnset.optional(),
  runtime_profile: RuntimeNameOrUnset.optional(),
  tls: TlsFile.optional(),
  actions: ActionsFile.optional(),
  session: SessionFile.optional(),
  /** Known upstream, without effect here: accepted with a warning. */
  database_client_profiles: mapOf(EnvName, Name, LIMITS.secretsPerService).optional(),
});
/** One service as the file has it. */
export type ServiceFile = z.infer<typeof ServiceFile>;

const NetworkFile = z.strictObject({
  internal: z.boolean().optional(),
  virtual_network: NameOrUnset.optional(),
  segment: NameOrUnset.optional(),
});

/** The whole file. */
export const SpecFile = z.strictObject({
  schema_version: z
    .int()
    .refine((version) => version === 0 || version === 1, 'only schema version 1 is supported')
    .meta({ enum: [1, 0] })
    .optional(),
  name: Name,
  services: mapOf(Name, ServiceFile, LIMITS.services),
  networks: mapOf(Name, NetworkFile, LIMITS.networks)
    .refine(
      (networks) => Object.keys(networks).length + (Object.hasOwn(networks, 'default') ? 0 : 1) <= LIMITS.networks,
      `must have at most ${LIMITS.networks} entries, counting the implicit default`,
    )
    .optional(),
  volumes: mapOf(Name, NamedVolumeFile, 16).optional(),
  domains: mapOf(Host, z.string(), LIMITS.domains).optional(),
  env: Env.optional(),
  env_file: EnvFile.optional(),
  secrets: Secrets.optional(),
  inject_env: z.boolean().optional(),
  recovery: z.strictObject({ on_failure: wordOrUnset('safe', 'disabled').optional() }).optional(),
});
export type SpecFile = z.infer<typeof SpecFile>;
