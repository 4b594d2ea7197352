import { LIMITS } from '../kernel/index.ts';
import { effectiveEnv, effectiveSecrets } from './effective.ts';
import type { Finding, Path } from './path.ts';
import { AWS_ENV, DOCKER_ENV } from './reserved-env.ts';
import { at, type Checked, type Rule, rule, type Subject, when } from './rule.ts';
import type { SecretRefFile } from './schema-secrets.ts';
import { looksSensitive } from './sensitive.ts';
import { saysNothing } from './sorted.ts';

const TAKEN = 'is in env too';
const SENSITIVE = 'looks like a secret; put it into the secrets as a reference';

/** Rules about variables, secrets and bindings of a service (facts 1.3, 1.12, 1.16, 2.3, 2.4, 2.9). */
export const ENV_RULES: readonly Rule[] = [
  rule(['env'], ({ service }) => sensitiveKeys(service.env).flatMap((key) => at(['env', key], SENSITIVE))),
  rule(['env', 'secrets'], ({ service }) =>
    shared(service.secrets, service.env).flatMap((key) => at(['secrets', key], TAKEN)),
  ),
  rule(['env', 'secrets', 'bindings'], ({ service }) => [
    ...shared(service.bindings, service.env).flatMap((key) => at(['bindings', key], TAKEN)),
    ...shared(service.bindings, service.secrets).flatMap((key) => at(['bindings', key], 'is in secrets too')),
  ]),
  rule(['secrets'], ({ file }) => references(file.secrets).map(within('secrets'))),
  rule(['bindings'], bindings),
  rule(['files'], ({ file }) =>
    Object.entries(file.files ?? {}).flatMap(([name, { secret }]) =>
      secret === undefined || saysNothing(secret) ? [] : reference(secret, ['files', name, 'secret']),
    ),
  ),
  rule(['env', 'secrets', 'bindings', 'actions'], merged, ['env', 'secrets', 'inject_env']),
  rule(['secrets', 'env', 'bindings', 'files', 'actions'], internalKeys, ['secrets']),
  rule(['env', 'secrets', 'bindings', 'actions', 'aws_identity', 'container_daemon'], reserved, [
    'env',
    'secrets',
    'inject_env',
  ]),
];

/** The same of the application itself (facts 1.1). */
export function checkApplicationEnv({ application, file, known }: Checked): readonly Finding[] {
  return [
    ...(known.root('env') ? sensitiveKeys(application.env).flatMap((key) => at(['env', key], SENSITIVE)) : []),
    ...(known.root('secrets') ? references(file.secrets).map(within('secrets')) : []),
    ...(known.root('env', 'secrets')
      ? shared(application.secrets, application.env).flatMap((key) => at(['secrets', key], TAKEN))
      : []),
  ];
}

function within(field: string): (finding: Finding) => Finding {
  return (finding) => ({ ...finding, path: [field, ...finding.path] });
}

function sensitiveKeys(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env)
    .filter(([key, value]) => looksSensitive(key, value))
    .map(([key]) => key);
}

type Keys = Readonly<Record<string, unknown>>;

function shared(map: Keys, other: Keys): readonly string[] {
  return Object.keys(map).filter((key) => Object.hasOwn(other, key));
}

function references(map: Readonly<Record<string, SecretRefFile>> | undefined): readonly Finding[] {
  return Object.entries(map ?? {}).flatMap(([key, secret]) => reference(secret, [key]));
}

/** Facts 1.16: either `ref`, or a provider's with its key. */
function reference(secret: SecretRefFile, path: Path): readonly Finding[] {
  const { ref, provider } = secret;
  if (ref)
    return when(
      Boolean(provider || secret.path || secret.key),
      [...path, 'ref'],
      'stands alone, without provider, path and key',
    );
  if (provider) return when(!secret.key, [...path, 'key'], 'is required');
  return at([...path, 'ref'], 'is required');
}

/** Facts 1.12: what each protocol wants. Whether its target can be reached is the application's to check. */
function bindings({ file }: Subject): readonly Finding[] {
  return Object.entries(file.bindings ?? {}).flatMap(([key, binding]) => {
    const path = ['bindings', key];
    const { protocol, password } = binding;
    const hasPassword = password !== undefined && !saysNothing(password);
    const needs = (field: 'username' | 'database'): readonly Finding[] =>
      when(!binding[field], [...path, field], 'is required');
    const refused = (field: string, set: boolean): readonly Finding[] =>
      when(set, [...path, field], 'can not be set for http');
    if (protocol === 'http') {
      return [
        ...refused('username', Boolean(binding.username)),
        ...refused('password', hasPassword),
        ...refused('database', Boolean(binding.database)),
      ];
    }
    return [
      ...(hasPassword ? reference(password, [...path, 'password']) : at([...path, 'password'], 'is required')),
      ...(protocol === 'redis'
        ? when(!/^(?:|[0-9]|1[0-5])$/.test(binding.database ?? ''), [...path, 'database'], 'must be 0 to 15')
        : [...needs('username'), ...needs('database')]),
    ];
  });
}

/** Facts 2.4: the limits hold for what the service really gets. */
function merged({ service, application }: Subject): readonly Finding[] {
  const tooMany = (field: string, count: number, max: number): readonly Finding[] =>
    when(count > max, [field], `must have at most ${max} entries together with the application's`);
  return [
    ...tooMany('env', count(effectiveEnv(application, service)), LIMITS.envEntries),
    ...tooMany('secrets', count(effectiveSecrets(application, service)), LIMITS.secretsPerService),
  ];
}

function count(map: Keys): number {
  return Object.keys(map).length;
}

/** Facts 1.11: the names under which file contents and connection URLs stand beside the secrets of the service. */
function internalKeys({ service, application }: Subject): readonly Finding[] {
  if (count(service.files) + count(service.bindings) === 0) return [];
  const secrets = effectiveSecrets(application, service);
  const message = 'needs a name inside the service that one of its secrets has';
  return [
    ...Object.keys(service.files)
      .filter((name) => Object.hasOwn(secrets, `__file_${name}`))
      .flatMap((name) => at(['files', name], message)),
    ...Object.keys(service.bindings)
      .filter((key) => Object.hasOwn(secrets, `__binding_${key}`))
      .flatMap((key) => at(['bindings', key], message)),
  ];
}

/** Facts 2.9. */
function reserved({ service, application }: Subject): readonly Finding[] {
  if (service.aws_identity === '' && service.container_daemon === '') return [];
  const own = [
    ['env', service.env],
    ['secrets', service.secrets],
    ['bindings', service.bindings],
  ] as const;
  const inherited = [
    ...Object.keys(effectiveEnv(application, service)).filter((key) => !Object.hasOwn(service.env, key)),
    ...Object.keys(effectiveSecrets(application, service)).filter((key) => !Object.hasOwn(service.secrets, key)),
  ];
  return (['aws_identity', 'container_daemon'] as const).flatMap((field) => {
    if (service[field] === '') return [];
    const names = field === 'aws_identity' ? AWS_ENV : DOCKER_ENV;
    const taken = (key: string): boolean => names.has(key.toUpperCase());
    return [
      ...own.flatMap(([table, map]) =>
        Object.keys(map)
          .filter(taken)
          .flatMap((key) => at([table, key], `is reserved for ${field}`)),
      ),
      ...when(inherited.some(taken), [field], 'sets a variable that the application sets too'),
    ];
  });
}
