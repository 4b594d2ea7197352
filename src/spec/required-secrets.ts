import type { Application } from './application.ts';

/** The names of all secrets the services refer to, sorted, each once. */
export function requiredSecrets(application: Application): readonly string[] {
  const refs = Object.values(application.services).flatMap((service) =>
    Object.values(service.secrets).map(({ ref }) => ref),
  );
  return [...new Set(refs)].sort();
}
