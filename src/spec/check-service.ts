import type { Service } from './application.ts';
import type { Finding, Path } from './path.ts';
import { resourceAmounts } from './resources.ts';
import type { ServiceFile } from './schema.ts';
import { looksSensitive } from './sensitive.ts';

type Check = (service: Service, file: ServiceFile) => readonly Finding[];

const CHECKS: readonly Check[] = [
  imageOrBuild,
  job,
  listener,
  ports,
  resources,
  command,
  environment,
  dockerfile,
  buildArgs,
  kubernetes,
];

/** The rules inside one service that span fields. `file` is the service before normalisation, in the order of the file. */
export function checkService(name: string, service: Service, file: ServiceFile): readonly Finding[] {
  return CHECKS.flatMap((check) => check(service, file)).map((finding) => ({
    ...finding,
    path: ['services', name, ...finding.path],
  }));
}

function at(path: Path, message: string): readonly Finding[] {
  return [{ path, message }];
}

function imageOrBuild(service: Service): readonly Finding[] {
  if (service.image !== undefined && service.build !== undefined)
    return at(['build'], 'image and build exclude each other');
  if (service.image === undefined && service.build === undefined) return at(['image'], 'is required, or a build table');
  return [];
}

/** Facts 1.9: a job listens on nothing, is not probed, runs once. */
function job(service: Service): readonly Finding[] {
  if (service.job === undefined) return [];
  const refused: readonly (readonly [string, boolean])[] = [
    ['port', service.port !== 0],
    ['ports', service.ports.length > 0],
    ['public', service.public],
    ['replicas', service.replicas !== 1],
    ['healthcheck', service.healthcheck !== ''],
    ['startup_timeout_seconds', service.startup_timeout_seconds !== undefined],
    ['kubernetes', service.kubernetes !== undefined],
  ];
  return refused.filter(([, set]) => set).flatMap(([field]) => at([field], 'can not be set on a job'));
}

function listener(service: Service): readonly Finding[] {
  if (service.port !== 0 || service.job !== undefined) return [];
  return [
    ...(service.public ? at(['public'], 'a public service needs a port') : []),
    ...(service.healthcheck !== '' ? at(['healthcheck'], 'needs a port') : []),
  ];
}

/** Facts 1.5: names are unique, `service` is the primary port's, protocol and port together are unique. */
function ports(service: Service, file: ServiceFile): readonly Finding[] {
  const names = new Set(service.port === 0 ? [] : ['service']);
  const numbers = new Set(service.port === 0 ? [] : [`TCP/${service.port}`]);
  return (file.ports ?? []).flatMap((port, i) => {
    const number = `${port.protocol?.toUpperCase() || 'TCP'}/${port.port}`;
    const findings = [
      ...(names.has(port.name) ? at(['ports', i, 'name'], nameTaken(service, port.name)) : []),
      ...(numbers.has(number)
        ? at(['ports', i, 'port'], 'another port of the service has this number and protocol')
        : []),
    ];
    names.add(port.name);
    numbers.add(number);
    return findings;
  });
}

function nameTaken(service: Service, name: string): string {
  return service.port !== 0 && name === 'service'
    ? 'is reserved for the primary port'
    : 'another port of the service has this name';
}

/** Facts 1.4: the request stays within the limit, also when either comes from the profile. */
function resources(service: Service): readonly Finding[] {
  const amounts = resourceAmounts(service);
  const own = service.resources ?? {};
  const message = 'the request is larger than the limit; one of them may come from the size';
  return [
    ...(amounts.cpuRequest > amounts.cpuLimit ? at(blame(own, 'cpu'), message) : []),
    ...(amounts.memoryRequest > amounts.memoryLimit ? at(blame(own, 'memory'), message) : []),
  ];
}

function blame(own: NonNullable<Service['resources']>, kind: 'cpu' | 'memory'): Path {
  return ['resources', own[`${kind}_request`] === undefined ? `${kind}_limit` : `${kind}_request`];
}

function command(service: Service): readonly Finding[] {
  return service.command[0]?.trim() === '' ? at(['command', 0], 'must not be blank') : [];
}

/** Facts 2.3 and 2.4. */
function environment(service: Service): readonly Finding[] {
  const sensitive = Object.entries(service.env)
    .filter(([name, value]) => looksSensitive(name, value))
    .flatMap(([name]) =>
      at(['env', name], 'looks like a secret; put it into the secrets of the service as a reference'),
    );
  const both = Object.keys(service.secrets)
    .filter((name) => Object.hasOwn(service.env, name))
    .flatMap((name) => at(['secrets', name], 'is in env too'));
  return [...sensitive, ...both];
}

/** What is built is one folder of the commit (issue: the context is the commit's tree), and the Dockerfile is part of it. */
function dockerfile(service: Service): readonly Finding[] {
  const { build } = service;
  if (build === undefined || build.context === '.' || build.dockerfile.startsWith(`${build.context}/`)) return [];
  return at(['build', 'dockerfile'], 'must be inside the context; it is a path from the root of the repository');
}

/** Facts 2.8. */
function buildArgs(service: Service): readonly Finding[] {
  return Object.entries(service.build?.build_args ?? {})
    .filter(([name, value]) => looksSensitive(name, value))
    .flatMap(([name]) => at(['build', 'build_args', name], 'looks like a secret; build arguments are public'));
}

function kubernetes(service: Service): readonly Finding[] {
  const patches = service.kubernetes;
  if (patches === undefined || service.job !== undefined) return [];
  const exposed = service.public && service.port !== 0;
  return [
    ...(patches.service !== undefined && service.port === 0
      ? at(['kubernetes', 'service'], 'needs a service with a port')
      : []),
    ...(patches.ingress !== undefined && !exposed
      ? at(['kubernetes', 'ingress'], 'needs a public service with a port')
      : []),
  ];
}
