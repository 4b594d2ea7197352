import { z } from 'zod';
import { ENV_NAME, LIMITS, NAME } from '../kernel/index.ts';
import { validImage } from './image.ts';
import { cpuMillis, memoryBytes } from './quantity.ts';
import { isTable } from './unsupported.ts';

/*
 * What the file may say (facts 1), strictly, before defaults. An empty text or a zero means "not set", as does absence. All messages
 * are ours and name no value.
 */

const NAME_TEXT =
  'must be 1 to 40 lowercase letters, digits and hyphens, starting with a letter and not ending with a hyphen';
const ENV_TEXT = 'must be a variable name: letters, digits and underscores, at most 128, not starting with a digit';

const Name = z.string().regex(NAME, NAME_TEXT);
const EnvName = z.string().regex(ENV_NAME, ENV_TEXT);
const Int = (low: number, high: number) => z.int().min(low).max(high);
const NoNul = (bytes: number) =>
  z
    .string()
    .refine((text) => Buffer.byteLength(text) <= bytes, `must be at most ${bytes} bytes`)
    .refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** A map of at most `max` entries; larger ones are refused before their entries are looked at. */
function mapOf<K extends z.ZodString, V extends z.ZodType>(key: K, value: V, max: number) {
  return z
    .custom<Readonly<Record<string, unknown>>>(isTable, requiredOr('must be a table'))
    .refine((map) => Object.keys(map).length <= max, `must have at most ${max} entries`)
    .pipe(z.record(key, value));
}

/** A list of at most `max` elements, as `mapOf`. */
function listOf<V extends z.ZodType>(value: V, max: number) {
  return z
    .custom<readonly unknown[]>(Array.isArray, requiredOr('must be a list'))
    .refine((list) => list.length <= max, `must have at most ${max} entries`)
    .pipe(z.array(value));
}

function requiredOr(message: string): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? 'is required' : message) };
}

const Healthcheck = z
  .string()
  .refine(
    (path) => path === '' || validHealthcheck(path),
    'must be an HTTP path of at most 2048 characters that begins with one slash, without host and fragment',
  );

const Cpu = z
  .string()
  .refine(
    (text) => text === '' || cpuMillis(text) !== undefined,
    'must be a CPU quantity from 1m to 64, such as 250m or 1.5',
  );
const Memory = z
  .string()
  .refine(
    (text) => text === '' || memoryBytes(text) !== undefined,
    'must be a memory quantity from 1Mi to 256Gi, such as 512Mi or 2Gi',
  );

const ResourcesFile = z.strictObject({
  cpu_request: Cpu.optional(),
  cpu_limit: Cpu.optional(),
  memory_request: Memory.optional(),
  memory_limit: Memory.optional(),
});

// as Kubernetes checks port names: no two hyphens in a row, a letter somewhere
const PORT_NAME = /^(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/;

const PortFile = z.strictObject({
  name: z
    .string()
    .regex(PORT_NAME, 'must be a port name: at most 15 lowercase letters, digits and single hyphens, with a letter'),
  port: Int(1, 65_535),
  target_port: Int(0, 65_535).optional(),
  protocol: z
    .string()
    .refine((text) => /^(?:tcp|udp|)$/i.test(text), 'must be TCP or UDP')
    .optional(),
});

const SecretRefFile = z.strictObject({ ref: Name });

/** 0 stands for the default in both. */
const JobFile = z.strictObject({
  timeout_seconds: z
    .int()
    .refine((n) => n === 0 || (n >= 10 && n <= 900), 'must be 10 to 900 seconds')
    .optional(),
  retries: Int(0, 3).optional(),
});

const Patch = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= LIMITS.patchBytes, `must be at most ${LIMITS.patchBytes} bytes`)
  .optional();
const KubernetesFile = z.strictObject({ deployment: Patch, service: Patch, ingress: Patch });

const BuildPath = (longest: number) =>
  z
    .string()
    .refine(
      (path) => path === '' || path === '.' || (path.length <= longest && cleanPath(path)),
      `must be a clean relative path of at most ${longest} letters, digits and _ . - / without ..`,
    );

/** Facts 5.1. The default Dockerfile of the longest context is a valid path too, since a release's canonical JSON is read again. */
const CONTEXT_LENGTH = 200;
const DOCKERFILE_LENGTH = CONTEXT_LENGTH + '/Dockerfile'.length;

const BuildFile = z.strictObject({
  context: BuildPath(CONTEXT_LENGTH).optional(),
  dockerfile: BuildPath(DOCKERFILE_LENGTH)
    .refine((path) => path !== '.', 'must name a file')
    .optional(),
  target: z
    .string()
    .regex(/^(?:[A-Za-z0-9][A-Za-z0-9_.-]{0,127})?$/, 'must be the name of a build stage')
    .optional(),
  build_args: mapOf(
    EnvName,
    z
      .string()
      .refine(
        (text) => Buffer.byteLength(text) <= LIMITS.buildArgBytes,
        `must be at most ${LIMITS.buildArgBytes} bytes`,
      )
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL is what this refuses
      .refine((text) => !/[\u0000\r\n]/.test(text), 'must be a single line')
      .refine((text) => !text.includes('{{'), 'must not contain a workflow expression'),
    LIMITS.buildArgs,
  ).optional(),
});

const ServiceFile = z.strictObject({
  image: z
    .string()
    .refine((image) => image === '' || validImage(image), 'must be an image reference')
    .optional(),
  build: BuildFile.optional(),
  port: Int(0, 65_535).optional(),
  ports: listOf(PortFile, LIMITS.extraPorts).optional(),
  public: z.boolean().optional(),
  size: z
    .enum(['', 'small', 'medium', 'large', 'compute', 'gpu'], 'must be small, medium, large, compute or gpu')
    .optional(),
  resources: ResourcesFile.optional(),
  replicas: Int(0, 20).optional(),
  healthcheck: Healthcheck.optional(),
  env: mapOf(EnvName, NoNul(LIMITS.envValueBytes), LIMITS.envEntries).optional(),
  secrets: mapOf(EnvName, SecretRefFile, LIMITS.secretsPerService).optional(),
  command: listOf(NoNul(4096), LIMITS.commandElements).optional(),
  args: listOf(NoNul(4096), LIMITS.argsElements).optional(),
  depends_on: listOf(Name, LIMITS.services).optional(),
  networks: listOf(Name, LIMITS.networks).optional(),
  job: JobFile.optional(),
  startup_timeout_seconds: z
    .int()
    .refine((n) => n === 0 || (n >= 10 && n <= 900), 'must be 10 to 900 seconds')
    .optional(),
  kubernetes: KubernetesFile.optional(),
});
/** One service as the file has it. */
export type ServiceFile = z.infer<typeof ServiceFile>;

const Host = z
  .string()
  .refine(validHostname, 'must be a lowercase DNS name with a dot, without scheme, port, path or wildcard');

/** The whole file. */
export const SpecFile = z.strictObject({
  schema_version: z
    .int()
    .refine((version) => version === 0 || version === 1, 'only schema version 1 is supported')
    .optional(),
  name: Name,
  services: mapOf(Name, ServiceFile, LIMITS.services),
  networks: mapOf(Name, z.strictObject({ internal: z.boolean().optional() }), LIMITS.networks)
    .refine(
      (networks) => Object.keys(networks).length + (Object.hasOwn(networks, 'default') ? 0 : 1) <= LIMITS.networks,
      `must have at most ${LIMITS.networks} entries, counting the implicit default`,
    )
    .optional(),
  domains: mapOf(Host, z.string(), LIMITS.domains).optional(),
});
export type SpecFile = z.infer<typeof SpecFile>;

/** Facts 1.3. What is not printable ASCII has to be percent-encoded on the wire, so it is asked to be so here. */
function validHealthcheck(path: string): boolean {
  return path.length <= 2048 && /^\/(?!\/)[!-~]*$/.test(path) && !/[#\\]|%(?![0-9A-Fa-f]{2})/.test(path);
}

/** Facts 2.6: a lowercase DNS name with a dot, at most 244 characters, labels of at most 63, not an IP address. */
export function validHostname(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 244 &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    !/^[0-9.]+$/.test(host)
  );
}

/** Facts 5.1: relative, no empty, `.` or `..` part. */
function cleanPath(path: string): boolean {
  return (
    /^[A-Za-z0-9_.\-/]+$/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}
