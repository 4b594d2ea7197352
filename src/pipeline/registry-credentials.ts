import { type ApplicationKey, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import { type Application, imageRegistry } from '../spec/index.ts';
import type { Deps } from './context.ts';

/** The refusal of a service that names registry credentials which are not there, or are for another host (facts 5.8). */
export function missingCredential(service: string): Problem {
  return problem('registry_credential_missing', undefined, { at: `services.${service}.registry_credential` });
}

/**
 * What of `registry_credential` can not be obeyed, by service: reads names and hosts alone, and nothing for a file that names none. What a
 * built image is pulled with is for its build's registry, which is known only then.
 */
export async function credentialRefusals(
  deps: Pick<Deps, 'registries'>,
  { project, environment }: ApplicationKey,
  application: Application,
): Promise<Result<readonly Problem[]>> {
  const naming = Object.entries(application.services)
    .filter(([, service]) => service.registry_credential !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (naming.length === 0) return ok([]);
  const saved = await deps.registries.list({ project, environment });
  if (!saved.ok) return saved;
  const isThere = (name: string, image: string | undefined): boolean =>
    saved.value.some((one) => one.name === name && (image === undefined || one.server === imageRegistry(image)));
  return ok(
    naming.flatMap(([name, { registry_credential: credential, image }]) =>
      isThere(credential, image) ? [] : [missingCredential(name)],
    ),
  );
}
