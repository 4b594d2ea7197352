import type { Application, Service } from './application.ts';
import { normaliseListening } from './normalise-listen.ts';
import { normaliseBinding, normaliseBuild, normaliseRunning, normaliseSecretRef } from './normalise-run.ts';
import { normaliseStorage, normaliseVolumes, propagatePlacement } from './normalise-storage.ts';
import type { ServiceFile, SpecFile } from './schema.ts';
import { mapValues, sorted, sortKeys, unsigned } from './sorted.ts';

/**
 * A schema-valid file as an application: defaults filled, names and lists sorted, quantities canonical, empty texts and zeros taken as
 * "not set". Never mutates its input; applied to its own output it changes nothing.
 */
export function normalise(file: SpecFile): Application {
  const networks = mapValues(file.networks, (network) => ({
    internal: network.internal ?? false,
    virtual_network: network.virtual_network ?? '',
    segment: network.segment ?? '',
  }));
  return propagatePlacement({
    schema_version: 1,
    name: file.name,
    services: mapValues(file.services, normaliseService),
    networks: sortKeys({ default: { internal: false, virtual_network: '', segment: '' }, ...networks }),
    volumes: normaliseVolumes(file.volumes),
    domains: sortKeys(file.domains),
    env: sortKeys(file.env),
    secrets: mapValues(file.secrets, normaliseSecretRef),
    inject_env: file.inject_env ?? false,
    recovery: { on_failure: file.recovery?.on_failure || 'safe' },
  });
}

/** Facts 1.3: what user and groups are unless said otherwise. */
const USER = 10_001;

function normaliseService(file: ServiceFile): Service {
  const storage = normaliseStorage(file);
  const listening = normaliseListening(file);
  const persistent = storage.volume !== undefined || storage.mounts.length > 0;
  return {
    ...texts(file),
    ...flags(file),
    ...identities(file),
    ...(file.image ? { image: file.image } : {}),
    ...(file.build === undefined ? {} : { build: normaliseBuild(file.build) }),
    port: unsigned(file.port),
    size: file.size || (file.actions === undefined ? 'small' : 'compute'),
    replicas: listening.autoscaling?.min_replicas ?? (file.replicas || 1),
    // what keeps data is replaced, never doubled (facts 1.10)
    update_strategy: persistent && file.job === undefined ? 'recreate' : file.update_strategy || 'rolling',
    env: sortKeys(file.env),
    secrets: mapValues(file.secrets, normaliseSecretRef),
    bindings: mapValues(file.bindings, normaliseBinding),
    command: [...(file.command ?? [])],
    args: [...(file.args ?? [])],
    depends_on: sorted(file.depends_on),
    // a session is on no network (facts 1.3)
    networks: file.session === undefined ? sorted(file.networks ?? ['default']) : [],
    private_egress: sorted(file.private_egress),
    architecture: file.architecture ?? '',
    termination_grace_seconds: file.termination_grace_seconds || 30,
    ...listening,
    ...storage,
    ...normaliseRunning(file),
    ...(file.startup_timeout_seconds ? { startup_timeout_seconds: file.startup_timeout_seconds } : {}),
  };
}

const TEXTS = [
  'healthcheck',
  'node_name',
  'working_dir',
  'restart_nonce',
  'registry_credential',
  'aws_identity',
  'container_daemon',
  'runtime_profile',
] as const;

/** Texts that are empty unless said otherwise. */
function texts(file: ServiceFile): Readonly<Record<(typeof TEXTS)[number], string>> {
  return Object.fromEntries(TEXTS.map((field) => [field, file[field] ?? ''])) as Record<(typeof TEXTS)[number], string>;
}

const FLAGS = ['public', 'backend_http2', 'suspended', 'read_only_root_filesystem'] as const;

function flags(file: ServiceFile): Readonly<Record<(typeof FLAGS)[number], boolean>> {
  return Object.fromEntries(FLAGS.map((field) => [field, file[field] ?? false])) as Record<
    (typeof FLAGS)[number],
    boolean
  >;
}

/** The groups are the user's unless said otherwise. */
function identities(file: ServiceFile): Pick<Service, 'run_as_user' | 'run_as_group' | 'fs_group'> {
  const user = file.run_as_user || USER;
  return { run_as_user: user, run_as_group: file.run_as_group || user, fs_group: file.fs_group || user };
}
