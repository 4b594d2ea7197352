import type { Service } from './application.ts';
import type { Finding } from './path.ts';
import { resourceAmounts } from './resources.ts';
import { type Rule, rule, type Subject, says, when } from './rule.ts';
import type { ServiceFile } from './schema.ts';

/*
 * What kinds of services exclude: jobs, sandbox sessions, runner pools, serverless ones. One finding for each field they can not have.
 */

type Field = keyof ServiceFile & keyof Service;

/** Facts 1.9. */
const NOT_ON_JOBS: readonly Field[] = [
  'autoscaling',
  'port',
  'ports',
  'public',
  'backend_http2',
  'public_tcp',
  'tls',
  'http',
  'readiness',
  'healthcheck',
  'certificate_mounts',
  'update_strategy',
  'replicas',
  'container_daemon',
  'startup_timeout_seconds',
  'kubernetes',
];

/** Facts 1.17. */
const NOT_ON_SESSIONS: readonly Field[] = [
  'build',
  'port',
  'ports',
  'public',
  'public_tcp',
  'backend_http2',
  'replicas',
  'suspended',
  'autoscaling',
  'serverless',
  'healthcheck',
  'readiness',
  'update_strategy',
  'env',
  'secrets',
  'bindings',
  'depends_on',
  'network_access',
  'private_egress',
  'job',
  'files',
  'http',
  'volume',
  'mounts',
  'certificate_mounts',
  'gpu',
  'startup_timeout_seconds',
  'kubernetes',
  'aws_identity',
  'container_daemon',
  'tls',
  'actions',
];

/** Facts 1.7. */
const NOT_ON_SERVERLESS: readonly Field[] = [
  'job',
  'autoscaling',
  'volume',
  'mounts',
  'gpu',
  'public_tcp',
  'http',
  'ports',
  'certificate_mounts',
  'replicas',
  'backend_http2',
  'runtime_profile',
  'kubernetes',
];

/** Facts 1.18 and spec kubernetes-patches. */
const NOT_ON_ACTIONS: readonly Field[] = ['build', 'job', 'serverless', 'autoscaling', 'runtime_profile', 'kubernetes'];

/** Rules of the kinds of services, in the order of facts 2.1. */
export const KIND_RULES: readonly Rule[] = [
  ...excluding('session', NOT_ON_SESSIONS, 'can not be set on a session'),
  rule(
    [
      'session',
      'image',
      'command',
      'run_as_user',
      'run_as_group',
      'fs_group',
      'runtime_profile',
      'read_only_root_filesystem',
    ],
    session,
    ['env', 'secrets', 'inject_env'],
  ),
  ...excluding('actions', NOT_ON_ACTIONS, 'can not be set on a runner pool'),
  rule(['actions', 'replicas'], actions),
  rule(['actions', 'size', 'resources'], runnerResources),
  ...excluding('job', NOT_ON_JOBS, 'can not be set on a job'),
  rule(['job', 'suspended'], ({ service: { job, suspended } }) =>
    when(
      suspended && job !== undefined && job.schedule === undefined && job.invocation === undefined,
      ['suspended'],
      'can not be set on a deployment job; only services, scheduled jobs and jobs that people start can pause',
    ),
  ),
  rule(['job', 'volume', 'mounts'], invocation),
  ...excluding('serverless', NOT_ON_SERVERLESS, 'can not be set on a serverless service'),
  rule(['serverless', 'public', 'port'], ({ service }) =>
    service.serverless === undefined || service.job !== undefined
      ? []
      : when(!service.public || service.port === 0, ['serverless'], 'needs a public service with a port'),
  ),
  rule(['autoscaling', 'volume', 'mounts', 'gpu', 'job', 'serverless'], autoscaling),
];

/** One rule for each field, so that a refused one silences no other. */
function excluding(
  kind: 'job' | 'session' | 'serverless' | 'actions',
  fields: readonly Field[],
  message: string,
): readonly Rule[] {
  return fields.map((field) =>
    rule(field === 'replicas' ? [kind, field, 'autoscaling'] : [kind, field], (subject) =>
      when(subject.service[kind] !== undefined && isSet(subject, field), [field], message),
    ),
  );
}

function isSet({ service, file }: Subject, field: Field): boolean {
  switch (field) {
    case 'replicas':
      // autoscaling sets them, and has a finding of its own
      return service.replicas !== 1 && service.autoscaling === undefined;
    case 'update_strategy':
      // a volume implies it, and has a finding of its own
      return file.update_strategy === 'recreate';
    case 'network_access':
    case 'build':
      return service[field] !== undefined;
    default:
      return says(service[field]);
  }
}

function session({ service, file, application }: Subject): readonly Finding[] {
  const { session: own } = service;
  if (own === undefined) return [];
  const required = (field: 'run_as_user' | 'run_as_group' | 'fs_group'): readonly Finding[] =>
    when(!file[field], [field], 'must be set on a session');
  const bare = !says(application.env) && !says(application.secrets) && !application.inject_env;
  return [
    ...when(service.command.length === 0, ['command'], 'must be set on a session'),
    ...when(service.runtime_profile === '', ['runtime_profile'], 'must be set on a session'),
    ...required('run_as_user'),
    ...required('run_as_group'),
    ...required('fs_group'),
    ...when(!service.read_only_root_filesystem, ['read_only_root_filesystem'], 'must be true on a session'),
    ...when(service.image !== undefined && !service.image.includes('@'), ['image'], 'must name a digest on a session'),
    ...when(own.lifetime_seconds < own.idle_seconds, ['session', 'lifetime_seconds'], 'must be at least idle_seconds'),
    ...when(!bare, ['session'], 'needs an application without env, secrets and inject_env'),
  ];
}

function actions({ service, file }: Subject): readonly Finding[] {
  const own = service.actions;
  if (own === undefined) return [];
  return [
    ...when(own.repository !== '' && own.organization !== '', ['actions', 'organization'], 'excludes repository'),
    ...when(
      own.repository === '' && own.organization === '',
      ['actions', 'repository'],
      'is required, or organization',
    ),
    ...when(own.credential === '', ['actions', 'credential'], 'is required'),
    ...when((file.replicas ?? 0) > 10, ['replicas'], 'must be at most 10 on a runner pool'),
  ];
}

const MIB = 1024 ** 2;

function runnerResources({ service }: Subject): readonly Finding[] {
  if (service.actions === undefined) return [];
  const { cpuRequest, memoryRequest, memoryLimit } = resourceAmounts(service);
  return [
    ...when(cpuRequest < 200, ['resources', 'cpu_request'], 'must be at least 200m on a runner pool'),
    ...when(memoryRequest < 768 * MIB, ['resources', 'memory_request'], 'must be at least 768Mi on a runner pool'),
    ...when(memoryLimit < 4096 * MIB, ['resources', 'memory_limit'], 'must be at least 4Gi on a runner pool'),
  ];
}

/** Facts 1.9: a job that people start repeats nothing and keeps nothing. */
function invocation({ service: { job, volume, mounts } }: Subject): readonly Finding[] {
  if (job?.invocation === undefined) return [];
  return [
    ...when(job.schedule !== undefined, ['job', 'schedule'], 'excludes invocation'),
    ...when(job.retries !== 0, ['job', 'retries'], 'can not be set together with invocation'),
    ...when(volume !== undefined, ['volume'], 'can not be set on a job that people start'),
    ...when(mounts.length > 0, ['mounts'], 'can not be set on a job that people start'),
  ];
}

/** Facts 1.6. */
function autoscaling({ service }: Subject): readonly Finding[] {
  const scaling = service.autoscaling;
  if (scaling === undefined || service.job !== undefined || service.serverless !== undefined) return [];
  const fixed = service.volume !== undefined || service.mounts.length > 0;
  return [
    ...when(
      scaling.min_replicas > scaling.max_replicas,
      ['autoscaling', 'min_replicas'],
      'must be at most max_replicas',
    ),
    ...when(fixed, ['autoscaling'], 'can not be set on a service with volumes'),
    ...when(service.gpu !== undefined, ['autoscaling'], 'can not be set on a service with a GPU'),
  ];
}
