import { type ApplicationKey, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';
import type { Deps } from './context.ts';
import { endpointRefusals } from './endpoints/index.ts';
import { patchRefusals } from './patch-check.ts';
import { buildRefusals } from './plan-builds.ts';
import { credentialRefusals } from './registry-credentials.ts';

/** Whose file it is. */
export type InstallationQuestion = {
  readonly key: ApplicationKey;
  /** The application's id, when it has one already. */
  readonly id: string | undefined;
  readonly application: Application;
  /** A stranger's file: who holds a domain, and which certificates and logins there are, is not theirs to know. */
  readonly fork?: boolean;
};

/**
 * What this installation can not run, whatever the grant says: domains and certificates, logins to registries, public services without a
 * domain of the installation, builds, Kubernetes patches. One order for everybody who plans: a push, a pull request, the API.
 */
export async function installationRefusals(
  deps: Pick<Deps, 'store' | 'certificates' | 'clock' | 'options' | 'dns' | 'registries'>,
  asked: InstallationQuestion,
): Promise<Result<readonly Problem[]>> {
  const { key, application, fork = false } = asked;
  const fixed = [...exposureRefusals(deps, application), ...patchRefusals(application, deps.options)];
  if (fork) return ok(fixed);
  const endpoints = await endpointRefusals(deps, asked);
  if (!endpoints.ok) return endpoints;
  const registries = await credentialRefusals(deps, key, application);
  return registries.ok ? ok([...endpoints.value, ...registries.value, ...fixed]) : registries;
}

/** A public service needs a name under the installation's domain; without any, nothing is said of builds. */
function exposureRefusals(deps: Pick<Deps, 'options'>, application: Application): readonly Problem[] {
  const [exposed] = Object.entries(application.services).filter(([, service]) => service.public);
  return exposed !== undefined && deps.options.appDomain === undefined
    ? [problem('app_domain_required', undefined, { at: `services.${exposed[0]}.public` })]
    : buildRefusals(deps, application);
}
