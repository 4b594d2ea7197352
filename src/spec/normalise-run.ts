import type {
  Actions,
  Binding,
  Build,
  Job,
  KubernetesPatches,
  Resources,
  SandboxSession,
  Schedule,
  SecretRef,
} from './application.ts';
import { canonicalCron } from './cron.ts';
import { canonicalMemory, cpuMillis, formatCpu } from './quantity.ts';
import type { ServiceFile } from './schema.ts';
import type { SecretRefFile } from './schema-secrets.ts';
import { saysNothing, sorted, sortKeys, unsigned } from './sorted.ts';

type Running = {
  readonly resources?: Resources;
  readonly kubernetes?: KubernetesPatches;
  readonly job?: Job;
  readonly gpu?: { readonly count: number };
  readonly session?: SandboxSession;
  readonly actions?: Actions;
};

/** Tables about how a service runs. A job is one also when its table is empty; resources, patches and GPU tables say nothing then. */
export function normaliseRunning(file: ServiceFile): Running {
  const resources = normaliseResources(file.resources ?? {});
  const kubernetes = normalisePatches(file.kubernetes ?? {});
  return {
    ...(resources === undefined ? {} : { resources }),
    ...(kubernetes === undefined ? {} : { kubernetes }),
    ...(file.job === undefined ? {} : { job: normaliseJob(file.job) }),
    ...(file.gpu?.count ? { gpu: { count: file.gpu.count } } : {}),
    ...(file.session === undefined ? {} : { session: normaliseSession(file.session) }),
    ...(file.actions === undefined ? {} : { actions: normaliseActions(file.actions) }),
  };
}

/** Facts 1.9: 300 seconds and no retry unless said otherwise. */
function normaliseJob(file: NonNullable<ServiceFile['job']>): Job {
  const { schedule, invocation } = file;
  return {
    timeout_seconds: file.timeout_seconds || 300,
    retries: unsigned(file.retries),
    ...(schedule === undefined ? {} : { schedule: normaliseSchedule(schedule) }),
    ...(invocation === undefined
      ? {}
      : {
          invocation: {
            allowed_identities: sorted(invocation.allowed_identities),
            input_keys: sorted(invocation.input_keys),
            max_input_bytes: invocation.max_input_bytes || 65_536,
            queue_limit: invocation.queue_limit || 16,
          },
        }),
  };
}

function normaliseSchedule(file: NonNullable<NonNullable<ServiceFile['job']>['schedule']>): Schedule {
  return {
    cron: canonicalCron(file.cron),
    timezone: file.timezone || 'UTC',
    history_limit: file.history_limit || 1,
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

/** Facts 1.17. */
function normaliseSession(file: NonNullable<ServiceFile['session']>): SandboxSession {
  return {
    allowed_identities: sorted(file.allowed_identities),
    helper_command: [...file.helper_command],
    idle_seconds: file.idle_seconds || 900,
    lifetime_seconds: file.lifetime_seconds || 3600,
  };
}

/** Facts 1.18. */
function normaliseActions(file: NonNullable<ServiceFile['actions']>): Actions {
  const labels = file.labels ?? [];
  return {
    repository: file.repository ?? '',
    organization: file.organization ?? '',
    runner_group_id: unsigned(file.runner_group_id),
    credential: file.credential ?? '',
    labels: labels.length === 0 ? ['hakopod'] : sorted(labels),
    timeout_minutes: file.timeout_minutes || 60,
    workspace_size_gib: unsigned(file.workspace_size_gib),
  };
}

/** A build table means "build" also when it is empty: every field of it has a default. */
export function normaliseBuild(file: NonNullable<ServiceFile['build']>): Build {
  const context = file.context || '.';
  const secrets = file.build_secrets ?? {};
  return {
    context,
    dockerfile: file.dockerfile || (context === '.' ? 'Dockerfile' : `${context}/Dockerfile`),
    ...(file.target ? { target: file.target } : {}),
    build_args: sortKeys(file.build_args),
    ...(Object.keys(secrets).length === 0 ? {} : { build_secrets: sortKeys(secrets) }),
    ...(file.mode && file.mode !== 'dockerfile' ? { mode: file.mode } : {}),
    ...(file.preset && file.preset !== 'auto' ? { preset: file.preset } : {}),
    ...(file.submodules ? { submodules: true } : {}),
  };
}

/** A reference that the checks found to be one of the two forms. */
export function normaliseSecretRef(file: SecretRefFile): SecretRef {
  if (file.provider) return { provider: file.provider, path: file.path ?? '', key: file.key ?? '' };
  return { ref: file.ref ?? '' };
}

/** Facts 1.12. */
export function normaliseBinding(file: NonNullable<ServiceFile['bindings']>[string]): Binding {
  const { password } = file;
  return {
    service: file.service,
    protocol: file.protocol,
    database: file.database ?? '',
    username: file.username ?? '',
    ...(password === undefined || saysNothing(password) ? {} : { password: normaliseSecretRef(password) }),
  };
}
