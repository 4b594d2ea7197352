import { type Problem, problem } from '../kernel/index.ts';
import { type Application, formatPath, type SecretRef, type Service } from '../spec/index.ts';
import { secretUses } from './secrets.ts';

type Use = readonly (string | number)[];

/**
 * Features that are valid and need a system this installation does not run: where a service sets one, or an empty list. To support one,
 * delete its line. Together with networks and secret references below these are all fields that are understood but refused.
 */
const FEATURES: readonly ((service: Service) => readonly Use[])[] = [
  ({ build }) => BUILD_FIELDS.filter((field) => field in (build ?? {})).map((field) => ['build', field]),
  ({ public_tcp }) => when(public_tcp.length > 0, 'public_tcp'),
  ({ serverless }) => when(serverless !== undefined, 'serverless'),
  ({ readiness }) => when(readiness !== undefined && readiness.protocol !== 'tcp', 'readiness', 'protocol'),
  ({ readiness, healthcheck }) => when(readiness !== undefined && healthcheck !== '', 'readiness'),
  ({ network_access: access }) =>
    when((access?.from_applications ?? []).length > 0, 'network_access', 'from_applications'),
  ({ private_egress }) => when(private_egress.length > 0, 'private_egress'),
  ({ job }) => when(job?.invocation !== undefined, 'job', 'invocation'),
  ({ certificate_mounts }) => when(certificate_mounts.length > 0, 'certificate_mounts'),
  ({ aws_identity }) => when(aws_identity !== '', 'aws_identity'),
  ({ container_daemon }) => when(container_daemon !== '', 'container_daemon'),
  ({ runtime_profile }) => when(runtime_profile !== '', 'runtime_profile'),
  ({ actions }) => when(actions !== undefined, 'actions'),
  ({ session }) => when(session !== undefined, 'session'),
];

/** Fields of a build table (facts 5.1) that only a provider's CI can follow. */
const BUILD_FIELDS = ['build_secrets', 'mode', 'preset', 'submodules'] as const;

function when(isSet: boolean, ...path: Use): readonly Use[] {
  return isSet ? [path] : [];
}

/**
 * One `unsupported_feature` for each field that asks for what this installation can not run: networks first, then secrets of the
 * application, then services by name.
 */
export function unsupportedFeatures(application: Application): readonly Problem[] {
  const networks = Object.keys(application.networks)
    .sort()
    .filter((name) => application.networks[name]?.virtual_network !== '')
    .map((name): Use => ['networks', name, 'virtual_network']);
  const uses = secretUses(application).filter(({ secret }) => isExternal(secret));
  const external = (service: string | undefined): readonly Use[] =>
    uses.filter((use) => use.service === service).map(({ path }) => [...path, 'provider']);
  const services = Object.keys(application.services)
    .sort()
    .flatMap((name): readonly Use[] => {
      const service = application.services[name];
      const features = service === undefined ? [] : FEATURES.flatMap((feature) => feature(service));
      return [...features.map((path) => ['services', name, ...path]), ...external(name)];
    });
  return [...networks, ...external(undefined), ...services].map((path) =>
    problem('unsupported_feature', undefined, { at: formatPath(path) }),
  );
}

function isExternal(secret: SecretRef): boolean {
  return 'provider' in secret;
}
