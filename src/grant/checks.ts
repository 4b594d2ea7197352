import { type ApplicationKey, type DeployGrant, type Problem, problem } from '../kernel/index.ts';
import { type Application, formatPath, imageRegistry, resourceAmounts, type Service } from '../spec/index.ts';
import { matchesAny } from './glob.ts';
import { servicesWithNewPatches } from './patches.ts';

/** What is to be done, by whom it was set off, and when. */
export type GrantRequest = {
  /** The source's bound ref; for a pull request its base. */
  readonly ref: string;
  readonly path: string;
  /** The application the source is bound to. */
  readonly application: ApplicationKey;
  readonly now: Date;
  readonly trigger: 'push' | 'pull_request';
  /** Whether the commit comes from another repository; only a pull request can be from a fork. */
  readonly fork: boolean;
};

/** Everything the decision depends on. */
export type GrantQuestion = {
  readonly grant: DeployGrant;
  readonly request: GrantRequest;
  readonly application: Application;
  /** The current revision, whatever made it; absent for a new application. */
  readonly previous: Application | undefined;
};

type Check = (question: GrantQuestion) => Problem | undefined;

/** In order; the first refusal is the reason. */
export const CHECKS: readonly Check[] = [
  permissions,
  expiry,
  ref,
  path,
  boundApplication,
  applicationName,
  domains,
  registries,
  buildArgs,
  serviceLimit,
  replicaLimit,
  cpuLimit,
  memoryLimit,
  kubernetesPatches,
];

function refused(at: string, message: string): Problem {
  return problem('grant_refused', message, { at });
}

function permissions({ grant, request }: GrantQuestion): Problem | undefined {
  if (request.trigger === 'pull_request') {
    if (grant.pullRequests === 'none') return refused('grant.pullRequests', 'the grant plans no pull requests');
    const reads = grant.permissions.includes('deployments:read');
    return reads ? undefined : refused('grant.permissions', 'the grant lacks deployments:read');
  }
  if (request.fork) return refused('grant.permissions', 'a commit of a fork is never deployed');
  const writes = grant.permissions.includes('deployments:write');
  return writes ? undefined : refused('grant.permissions', 'the grant lacks deployments:write');
}

function expiry({ grant, request }: GrantQuestion): Problem | undefined {
  // written so that a time that can not be read counts as expired
  return request.now.getTime() < Date.parse(grant.expiresAt) ? undefined : problem('grant_expired');
}

function ref({ grant, request }: GrantQuestion): Problem | undefined {
  return matchesAny(grant.refs, request.ref) ? undefined : refused('grant.refs', 'the grant does not list this ref');
}

function path({ grant, request }: GrantQuestion): Problem | undefined {
  return grant.path === request.path ? undefined : refused('grant.path', 'the grant is for another file');
}

function boundApplication({ grant, request }: GrantQuestion): Problem | undefined {
  const { project, environment, name } = grant.application;
  const bound = request.application;
  const same = project === bound.project && environment === bound.environment && name === bound.name;
  return same ? undefined : refused('grant.application', 'the grant is for another application');
}

function applicationName({ request, application }: GrantQuestion): Problem | undefined {
  return application.name === request.application.name
    ? undefined
    : problem('application_mismatch', undefined, { at: 'name' });
}

function domains({ grant, application }: GrantQuestion): Problem | undefined {
  const strange = Object.keys(application.domains)
    .sort()
    .find((host) => !matchesAny(grant.domains, host));
  if (strange === undefined) return undefined;
  const at = formatPath(['domains', strange]);
  return problem('domain_verification_required', 'the grant does not list this custom domain', { at });
}

/** A built image goes to the installation's own registry, which is no choice of the file. */
function registries({ grant, application }: GrantQuestion): Problem | undefined {
  const strange = services(application).find(
    ([, { image }]) => image !== undefined && !matchesAny(grant.registries, imageRegistry(image)),
  );
  return strange && refused(`services.${strange[0]}.image`, 'the grant does not list the registry of this image');
}

function buildArgs({ grant, application }: GrantQuestion): Problem | undefined {
  for (const [name, service] of services(application)) {
    const args = Object.keys(service.build?.build_args ?? {}).sort();
    const strange = args.find((arg) => !matchesAny(grant.buildArgs, arg));
    if (strange !== undefined) {
      return refused(
        formatPath(['services', name, 'build', 'build_args', strange]),
        'the grant does not list this build argument',
      );
    }
  }
  return undefined;
}

function serviceLimit({ grant, application }: GrantQuestion): Problem | undefined {
  return overLimit(services(application).length, grant.limits.services, 'services');
}

function replicaLimit({ grant, application }: GrantQuestion): Problem | undefined {
  return overLimit(
    total(application, () => 1),
    grant.limits.replicas,
    'replicas',
  );
}

function cpuLimit({ grant, application }: GrantQuestion): Problem | undefined {
  const millis = total(application, (service) => resourceAmounts(service).cpuRequest);
  return overLimit(millis, grant.limits.cpuMillis, 'thousandths of a CPU requested');
}

function memoryLimit({ grant, application }: GrantQuestion): Problem | undefined {
  const bytes = total(application, (service) => resourceAmounts(service).memoryRequest);
  return overLimit(bytes, grant.limits.memoryBytes, 'bytes of memory requested');
}

/** DESIGN invariant 5: whatever the grant says. Removing a patch, and keeping one as it is, are fine. */
function kubernetesPatches({ application, previous }: GrantQuestion): Problem | undefined {
  const [first] = servicesWithNewPatches(application, previous);
  return first === undefined
    ? undefined
    : problem('kubernetes_patch_refused', undefined, { at: `services.${first}.kubernetes` });
}

function services(application: Application): readonly (readonly [string, Service])[] {
  return Object.entries(application.services).sort(([a], [b]) => (a < b ? -1 : 1));
}

function total(application: Application, perReplica: (service: Service) => number): number {
  return services(application).reduce((sum, [, service]) => sum + service.replicas * perReplica(service), 0);
}

function overLimit(used: number, limit: number | undefined, unit: string): Problem | undefined {
  if (limit === undefined || used <= limit) return undefined;
  return refused('services', `the grant allows ${limit} ${unit}, the file asks for ${used}`);
}
