import type { Application, Build, Job, KubernetesPatches, Network, Port, Resources, Service } from './application.ts';
import { canonicalMemory, cpuMillis, formatCpu } from './quantity.ts';
import type { ServiceFile, SpecFile } from './schema.ts';

/**
 * A schema-valid file as an application: defaults filled, names and lists sorted, quantities canonical, empty texts and zeros taken as
 * "not set". Never mutates its input; applied to its own output it changes nothing.
 */
export function normalise(file: SpecFile): Application {
  const networks = mapValues<{ internal?: boolean | undefined }, Network>(file.networks ?? {}, (network) => ({
    internal: network.internal ?? false,
  }));
  return {
    schema_version: 1,
    name: file.name,
    services: mapValues(file.services, normaliseService),
    networks: sortKeys({ default: { internal: false }, ...networks }),
    domains: sortKeys(file.domains ?? {}),
  };
}

function normaliseService(file: ServiceFile): Service {
  return {
    ...imageOrBuild(file),
    port: unsigned(file.port ?? 0),
    ports: (file.ports ?? []).map(normalisePort).sort((a, b) => compare(a.name, b.name)),
    public: file.public ?? false,
    size: file.size || 'small',
    replicas: file.replicas || 1,
    healthcheck: file.healthcheck ?? '',
    env: sortKeys(file.env ?? {}),
    secrets: mapValues(file.secrets ?? {}, ({ ref }) => ({ ref })),
    command: [...(file.command ?? [])],
    args: [...(file.args ?? [])],
    depends_on: [...(file.depends_on ?? [])].sort(compare),
    networks: [...(file.networks ?? ['default'])].sort(compare),
    ...optionalTables(file),
    ...(file.startup_timeout_seconds ? { startup_timeout_seconds: file.startup_timeout_seconds } : {}),
  };
}

/** A build table means "build" also when it is empty: every field of it has a default. */
function imageOrBuild(file: ServiceFile): Pick<Service, 'image' | 'build'> {
  return {
    ...(file.image ? { image: file.image } : {}),
    ...(file.build === undefined ? {} : { build: normaliseBuild(file.build) }),
  };
}

/** An empty job table makes a job; the other tables say nothing when they are empty. */
function optionalTables(file: ServiceFile): Pick<Service, 'job' | 'resources' | 'kubernetes'> {
  const resources = normaliseResources(file.resources ?? {});
  const kubernetes = normalisePatches(file.kubernetes ?? {});
  return {
    ...(file.job === undefined ? {} : { job: normaliseJob(file.job) }),
    ...(resources === undefined ? {} : { resources }),
    ...(kubernetes === undefined ? {} : { kubernetes }),
  };
}

/** Facts 1.9: 300 seconds and no retry unless said otherwise. */
function normaliseJob(file: NonNullable<ServiceFile['job']>): Job {
  return { timeout_seconds: file.timeout_seconds || 300, retries: unsigned(file.retries ?? 0) };
}

function normalisePort(file: NonNullable<ServiceFile['ports']>[number]): Port {
  return {
    name: file.name,
    port: file.port,
    target_port: file.target_port || file.port,
    protocol: file.protocol?.toUpperCase() === 'UDP' ? 'UDP' : 'TCP',
  };
}

function normaliseResources(file: NonNullable<ServiceFile['resources']>): Resources | undefined {
  const cpu = (text: string): string => formatCpu(cpuMillis(text) ?? 0);
  const resources: Resources = {
    ...(file.cpu_request ? { cpu_request: cpu(file.cpu_request) } : {}),
    ...(file.cpu_limit ? { cpu_limit: cpu(file.cpu_limit) } : {}),
    ...(file.memory_request ? { memory_request: canonicalMemory(file.memory_request) } : {}),
    ...(file.memory_limit ? { memory_limit: canonicalMemory(file.memory_limit) } : {}),
  };
  return Object.keys(resources).length === 0 ? undefined : resources;
}

function normalisePatches(file: NonNullable<ServiceFile['kubernetes']>): KubernetesPatches | undefined {
  const patches: KubernetesPatches = {
    ...(file.deployment ? { deployment: file.deployment } : {}),
    ...(file.service ? { service: file.service } : {}),
    ...(file.ingress ? { ingress: file.ingress } : {}),
  };
  return Object.keys(patches).length === 0 ? undefined : patches;
}

function normaliseBuild(file: NonNullable<ServiceFile['build']>): Build {
  const context = file.context || '.';
  return {
    context,
    dockerfile: file.dockerfile || (context === '.' ? 'Dockerfile' : `${context}/Dockerfile`),
    ...(file.target ? { target: file.target } : {}),
    build_args: sortKeys(file.build_args ?? {}),
  };
}

/** Turns minus zero, which TOML can write, into zero. */
function unsigned(n: number): number {
  return n === 0 ? 0 : n;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortKeys<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return mapValues(map, (value) => value);
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(
    Object.entries(map)
      .sort(([a], [b]) => compare(a, b))
      .map(([key, value]) => [key, change(value)]),
  );
}
