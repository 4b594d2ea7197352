import { type Problem, problem } from '../kernel/index.ts';
import type { Application, Service } from './application.ts';
import { type Finding, formatPath } from './path.ts';
import { at, when } from './rule.ts';

const SERVICES = 4;
const TOTAL_GIB = 5;

/**
 * What a preview of an application may not have (facts 2.10): more than 4 services or 5 GiB, sizes but `small`, several replicas, host
 * names, and what reaches outside its namespace. Judges the application as it is deployed; every problem is `invalid_spec`.
 */
export function previewProblems(application: Application): readonly Problem[] {
  const findings: readonly Finding[] = [
    ...when(count(application.services) > SERVICES, ['services'], `a preview must have at most ${SERVICES} services`),
    ...when(count(application.domains) > 0, ['domains'], 'can not be set in a preview'),
    ...Object.entries(application.networks).flatMap(([name, { virtual_network }]) =>
      when(virtual_network !== '', ['networks', name, 'virtual_network'], 'can not be set in a preview'),
    ),
    ...providers(application.secrets).flatMap((key) => at(['secrets', key, 'provider'], 'can not be set in a preview')),
    ...Object.entries(application.services).flatMap(([name, service]) =>
      serviceFindings(service).map(({ path, message }) => ({ path: ['services', name, ...path], message })),
    ),
    ...when(totalGib(application) > TOTAL_GIB, ['volumes'], `a preview must have at most ${TOTAL_GIB} GiB of volumes`),
  ];
  return findings.map(({ path, message }) => problem('invalid_spec', message, { at: formatPath(path) }));
}

const REFUSED = ['autoscaling', 'gpu', 'aws_identity', 'tls', 'public_tcp', 'certificate_mounts'] as const;

function serviceFindings(service: Service): readonly Finding[] {
  const refused = REFUSED.filter((field) => {
    const value = service[field];
    return Array.isArray(value) ? value.length > 0 : Boolean(value);
  });
  return [
    ...when(service.size !== 'small', ['size'], 'must be small in a preview'),
    ...when(service.replicas > 1 && service.autoscaling === undefined, ['replicas'], 'must be at most 1 in a preview'),
    ...refused.flatMap((field) => at([field], 'can not be set in a preview')),
    ...when(
      service.job?.schedule !== undefined && !service.suspended,
      ['suspended'],
      'must be true on a scheduled job of a preview',
    ),
    ...providerPaths(service).flatMap((path) => at([...path, 'provider'], 'can not be set in a preview')),
  ];
}

/** Where a service names another provider's secrets. */
function providerPaths(service: Service): readonly (readonly string[])[] {
  return [
    ...providers(service.secrets).map((key) => ['secrets', key]),
    ...Object.entries(service.bindings).flatMap(([key, { password }]) =>
      password !== undefined && 'provider' in password ? [['bindings', key, 'password']] : [],
    ),
    ...Object.entries(service.files).flatMap(([name, { secret }]) =>
      secret !== undefined && 'provider' in secret ? [['files', name, 'secret']] : [],
    ),
  ];
}

function providers(secrets: Application['secrets']): readonly string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => 'provider' in secret)
    .map(([key]) => key);
}

function count(map: Readonly<Record<string, unknown>>): number {
  return Object.keys(map).length;
}

function totalGib(application: Application): number {
  const named = Object.values(application.volumes).map(({ size_gib }) => size_gib);
  const own = Object.values(application.services).map(({ volume }) => volume?.size_gib ?? 0);
  return [...named, ...own].reduce((sum, gib) => sum + gib, 0);
}
